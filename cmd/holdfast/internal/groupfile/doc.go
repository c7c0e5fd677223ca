// Package groupfile reads the files that describe a consumer group: its topics,
// its members with what they claim, and the owners that are gone.
//
// A group file is YAML; one that begins with { or [ or is named .json is read by
// JSON's rules. Unknown keys, names given twice and values of the wrong kind are
// errors, each of which names the file, the line, the key and the value (*[Error]).
// Keys that only describe where a group came from are ignored.
//
// What is read is bounded: files by size, claims and partitions by number, and
// what the aliases of a YAML file expand to by the number of values visited.
package groupfile

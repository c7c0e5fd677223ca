// Package advise judges how a consumer group is configured: from a group file,
// from a client's configuration, or from both. It finds what is known to go
// wrong, with the figures of this very group, recommends a strategy, prints the
// configuration for each client, and the way from here to there.
//
// It knows no cluster, and it guesses nothing about one: what neither the file
// nor the configuration says is not found.
package advise

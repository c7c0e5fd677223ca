// Package conformance runs holdfast on the real thing: Kafka's own broker and
// its Java console consumer, started from Maven jars, and librdkafka from PyPI,
// in groups with a franz-go client that assigns with holdfast. Everything is in
// its tests, which ask for it by HOLDFAST_CONFORMANCE=1 (make conformance),
// because they need Java 17, Maven and Python 3. Without these they say what is
// missing; in CI that is a failure.
//
// What is judged are facts that the broker recorded: the group's generations in
// __consumer_offsets, read with package wire, and the records that each member
// consumed.
package conformance

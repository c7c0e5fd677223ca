"""A consumer on librdkafka that prints what happens as JSON, one event a line."""

import json
import signal
import sys

from confluent_kafka import Consumer

config = json.loads(sys.argv[1])
topics = config.pop("topics")
running = True


def stop(_signal, _frame):
    global running
    running = False


def show(**event):
    print(json.dumps(event), flush=True)


def listener(name):
    # A callback that neither assigns nor unassigns leaves both to the client, which
    # does so incrementally where the strategy is cooperative.
    def told(_consumer, partitions):
        show(event=name, partitions=[[p.topic, p.partition] for p in partitions])

    return told


signal.signal(signal.SIGTERM, stop)
consumer = Consumer(config)
consumer.subscribe(
    topics,
    on_assign=listener("assigned"),
    on_revoke=listener("revoked"),
    on_lost=listener("lost"),
)
while running:
    message = consumer.poll(0.1)
    if message is None:
        continue
    if message.error():
        show(event="error", text=str(message.error()))
        continue
    show(
        event="record",
        topic=message.topic(),
        partition=message.partition(),
        offset=message.offset(),
        value=message.value().decode(),
    )
consumer.close()

"""Hands settings to librdkafka's consumer. Each line of standard input is a JSON
object of settings; each line of standard output is null where the consumer takes
them, else why it does not."""

import json
import sys

from confluent_kafka import Consumer

for line in sys.stdin:
    settings = {"bootstrap.servers": "127.0.0.1:1", "group.id": "group", "log_level": 0}
    settings.update(json.loads(line))
    try:
        Consumer(settings).close()
        print("null", flush=True)
    except Exception as error:  # whatever it is, it is the answer
        print(json.dumps(str(error)), flush=True)

"""Share work among processes on any number of machines, by Celery on RabbitMQ or Redis.

Tasks carry ids, and the store decides what is due. Lost, repeated, delayed and reordered tasks only cost time. So
nothing here uses ETAs, chords, canvases or result backends, which keep state in the broker.

The names of tasks are here because ``tasks`` imports Celery.
"""

INGEST = "ingest"
COMPOSE = "compose"
DELIVER = "deliver"
TASKS = (INGEST, COMPOSE, DELIVER)

"""Share work among processes on any number of machines, by Celery on RabbitMQ or Redis.

    paperbot serve: tick --ingest(source), compose(profile, first, last), deliver(channel)--> broker
    paperbot worker: broker --task--> does the due work in the store

Tasks carry ids, and the store decides what is due. Lost, repeated, delayed and reordered tasks only cost time, because
the next tick enqueues again. So nothing here uses ETAs, chords, canvases or result backends, which keep state in the
broker.

The names of tasks are here because ``tasks`` imports Celery.
"""

INGEST = "ingest"
COMPOSE = "compose"
DELIVER = "deliver"
TASKS = (INGEST, COMPOSE, DELIVER)

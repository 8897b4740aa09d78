"""Work shared out to processes on any number of machines, by Celery on RabbitMQ or Redis.

    paperbot serve: tick --ingest(source), compose(profile, first, last), deliver(channel)--> broker
    paperbot worker: broker --task--> does what is due by the store, whatever the message says

The store is the truth and the broker only a hint: a task carries ids, and does nothing that is done already. So lost,
repeated, delayed and reordered tasks change nothing but time: what is still due is enqueued again by the next tick.
That is why nothing here uses an ETA, a chord, a canvas or a result backend, each of which keeps state in the broker.

The names of the tasks are here, as a home without a broker need not have Celery, which ``tasks`` imports.
"""

INGEST = "ingest"
COMPOSE = "compose"
DELIVER = "deliver"
TASKS = (INGEST, COMPOSE, DELIVER)

"""Work shared out to processes on any number of machines, by Celery on RabbitMQ or Redis.

    paperbot serve: tick --ingest(source), compose(profile, first, last), deliver(channel)--> broker
    paperbot worker: broker --task--> does what is due by the store, whatever the message says

The store is the truth and the broker only a hint: a task carries ids, and does nothing that is done already. So lost,
repeated, delayed and reordered tasks change nothing but time: what is still due is enqueued again by the next tick.
That is why nothing here uses an ETA, a chord, a canvas or a result backend, each of which keeps state in the broker.

names     of the tasks and queues
broker    the connection, the queues, and what Celery must do with them
queue     enqueues tasks
tasks     what a worker's process does for each task
process   runs the processes of a worker
"""

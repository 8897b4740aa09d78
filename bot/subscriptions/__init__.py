"""Subscriptions and what readers set for themselves, the same for the command line, the pages and Slack.

service.py       subscribe (double opt-in), pause, unsubscribe, resume; the operator adds and removes readers
preferences.py   a reader's own size, schedule and ignored words
"""

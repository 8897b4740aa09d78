"""Paperbot: reads the day's paper digests so that its readers don't have to."""

__version__ = "0.2.0"

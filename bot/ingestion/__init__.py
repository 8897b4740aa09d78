"""Ingestion: poll the sources and store what is new.

``service`` holds the ingest loop, one source and one digest; ``polling`` decides when a source is due (interval,
exponential backoff, Retry-After); ``health`` is the watchdog; ``link_resolution`` looks up links that digests lack.
"""

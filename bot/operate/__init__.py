"""Operation: the daily job (``day``), ingestion, evaluation, status, and messages on the operator's request."""

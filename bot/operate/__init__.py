"""Operation: the daily job (``day``), ingestion, evaluation, status, and operator messages."""

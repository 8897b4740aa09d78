"""Takes what sources bring into the store: ingest one source, watch its health, look up missing links."""

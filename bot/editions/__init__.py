"""Compose the editions of readers: who is due, candidates, ranking, selection, alerts and quiet days."""

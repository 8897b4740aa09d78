"""Prequential evaluation of the ranking on a reader's own votes, and replay of past days."""

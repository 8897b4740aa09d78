"""Chooses an edition's papers from ranked scores: threshold, size, diversity, exploration."""

"""Choose the papers of an edition from ranked scores: threshold, size, diversity, exploration, alert rules."""

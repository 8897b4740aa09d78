"""Makes every reader's edition: who is due, candidates, ranking, selection, alerts and quiet days."""

"""Records votes and says what they changed; exports and forgets what is kept of a reader."""

"""Record votes, return what they changed, and export what is stored about a reader."""

"""The weekly letter of profiles with ``weekly = true``: what a reader's votes did, and one paper that they missed."""

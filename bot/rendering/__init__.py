"""Editions made into messages: mail and Slack blocks. A paper's text is hostile until escaped."""

"""Render editions as messages: mail, Slack blocks, feeds. A paper's text is untrusted until escaped."""

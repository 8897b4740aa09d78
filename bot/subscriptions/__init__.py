"""Subscribing, confirming, pausing and unsubscribing, the same for command line, web and Slack."""

"""Operate an installation: its status, retries, test messages, and notices to the operator."""

"""Extractive summaries of abstracts."""

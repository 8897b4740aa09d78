"""Optional: a paper in one sentence, written by a language model behind any OpenAI-compatible endpoint.

Off unless the settings name an endpoint. What is sent is a paper's title and abstract, nothing about a reader.
"""

from __future__ import annotations

from bot.tldr.endpoint import Endpoint

__all__ = ["Endpoint"]

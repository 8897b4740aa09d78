"""One-sentence summaries (TL;DRs) by a language model behind any OpenAI-compatible endpoint.

Disabled unless the settings have an endpoint. Only a paper's title and abstract are sent, nothing about a reader.
"""

from __future__ import annotations

from bot.tldr.endpoint import Endpoint

__all__ = ["Endpoint"]

"""The writer that replaces summaries by TL;DRs of a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.editions.tldrs import TldrWriter
from bot.tldr import Endpoint

if TYPE_CHECKING:
    from bot.config.settings import SummariesSection
    from bot.store.tldrs import Tldrs


def make_tldr_writer(summaries: SummariesSection, tldrs: Tldrs) -> TldrWriter:
    """Make the writer for the endpoint of the settings."""
    key = summaries.key.get_secret_value() if summaries.key else None
    endpoint = Endpoint(summaries.endpoint, summaries.model, key=key, timeout=summaries.timeout)
    return TldrWriter(tldrs, endpoint, summaries.daily_budget)

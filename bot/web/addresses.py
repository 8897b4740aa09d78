"""``/go/{token}``: a paper's addresses, which the text part of mails links to where they are longer than a line.

The page shows where each link leads and doesn't redirect: an address that a digest names can't be passed off as ours.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from bot.tokens import Purpose
from bot.web.site import Site


class AddressPages:
    """The addresses of one paper, the same for all readers."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def show(self, request: Request) -> Response:
        """Show the paper with its addresses."""
        (paper_id,) = self._site.payload(request, Purpose.GO)
        return self._site.page("go.html.j2", paper=self._site.paper(paper_id))

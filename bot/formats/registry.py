"""The formats of digests, one entry each; ``recognition`` decides by the content alone which of them reads a file.

The order of entries is that of messages, and decides nothing: of line-based formats that begin on the same line the
one of higher ``specificity`` reads it, and no two documents or alerts recognise the same file.

How to add a format: write one module here that ends in a ``Format`` (see ``format.py``), and add it to ``FORMATS``. A
format gets clean lines (encodings, line ends and control characters are dealt with) and returns what it read, with a
sentence for each block that it could not read. It opens nothing, and recognises its digests by their content, never by
a file's name; a name only supplies day and topic if the text has neither. A format that needs a whole file, such as
XML, is a ``Document`` and gets the bytes. Alerts that come as HTML are ``AlertMail``.
"""

from __future__ import annotations

from bot.formats.alert_mails import GOOGLE_SCHOLAR, PUBMED, AlertMail
from bot.formats.daily_papers import DAILY_PAPERS_PAGE
from bot.formats.feed import FEED
from bot.formats.format import Document, Format
from bot.formats.json_lists import BIORXIV_LIST, DAILY_PAPERS_LIST, OPENALEX_LIST
from bot.formats.keyword import KEYWORD
from bot.formats.markdown import MARKDOWN
from bot.formats.preprint_mails import ARXIV, BIORXIV

FORMATS: tuple[Format, ...] = (KEYWORD, DAILY_PAPERS_PAGE, ARXIV, BIORXIV, MARKDOWN)
DOCUMENTS: tuple[Document, ...] = (FEED, BIORXIV_LIST, OPENALEX_LIST, DAILY_PAPERS_LIST)
HTML_MAILS: tuple[AlertMail, ...] = (GOOGLE_SCHOLAR, PUBMED)

"""The address that readers' votes by mail go to."""

from __future__ import annotations

from email.utils import parseaddr
from urllib.parse import urlsplit

from bot.config.settings import Settings
from bot.loopback import is_loopback
from bot.mail_address import is_one_address


def reply_address(settings: Settings) -> str:
    """Return the bot's mailbox if votes in mails are mails to it; empty if they are pages.

    They are with ``email.replies``, and where the pages are on this computer only, which no telephone reaches. Only a
    mailbox among the sources can read them: its user name counts if it is an address, else the sender's address.
    """
    login = next((s.votes_login for s in settings.sources if s.votes_login is not None), None)
    is_local = is_loopback(urlsplit(settings.bot.public_url).hostname or "")
    if login is None or not (settings.email.replies or is_local):
        return ""
    return login if is_one_address(login) else parseaddr(settings.email.sender)[1]

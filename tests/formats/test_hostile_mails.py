"""A mail that is made to cost time is read, or refused as one problem, within the parser's own limits.

The costliest takes five seconds of processor time on a quiet machine. Cost that grows faster than a mail takes minutes.
"""

import pytest
from hostile_mails import HOSTILE_MAILS

from bot.formats import ParseLimits, Parser
from bot.model import RawDigest
from bot.model.errors import DigestError, LimitError

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", HOSTILE_MAILS)
def test_a_hostile_mail_costs_bounded_time_and_one_problem_at_most(name: str) -> None:
    with Parser(ParseLimits()) as parser:
        try:
            digests = parser.parse(RawDigest("alerts", "1.eml", HOSTILE_MAILS[name]()))
        except LimitError:
            raise
        except DigestError as problem:
            message = str(problem)
            assert "\n" not in message
            assert "stranger@example.com" in message or "tags, more than" in message  # and no mistake of ours
            return
    assert sum(len(digest.entries) for digest in digests) > 0

"""Which sentences of an abstract tell what was known before the paper."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.summaries.roles import Reading

# A sentence tells what was known before, and comes after the others, from this probability on: the likelier side of
# the two. By .3 and .7 one summary of 200 begins otherwise.
_BACKGROUND_FROM = 0.5
# The wording of sentences that tell what is new.
_OWN_VOICE = re.compile(
    r"\b(?:we|our(?! (?:understanding|daily|everyday|lives|society|world|planet)\b)|"
    r"this (?:[\w-]+ )?(?:paper|work|study|article|survey|report|review)|the (?:paper|study|article)(?! of)|"
    r"is (?:presented|proposed|introduced))\b",
    re.IGNORECASE,
)


def tells_known(
    sentences: Sequence[str], readings: Sequence[Reading], proposals: Sequence[int]
) -> list[bool]:
    """Return for each sentence whether it tells what was known before.

    ``proposals`` are the places of the sentences that say what the paper proposes.

    What comes behind the first words on the paper itself counts as new, however it is worded: of 14 such sentences that
    were read as background, in summaries of 1,500 abstracts, 12 told of the paper ("The model integrates ...").
    """
    is_own = [_OWN_VOICE.search(text) is not None for text in sentences]
    is_known = [reading.background >= _BACKGROUND_FROM for reading in readings]
    # "In recent years we have seen" tells nothing new in spite of its "we", and what follows it may be known, too.
    places = range(len(sentences))
    is_new = [is_own[i] and (i in proposals or not is_known[i]) for i in places]
    first_new = is_new.index(True) if True in is_new else len(sentences)
    return [is_known[i] and not is_own[i] and i < first_new for i in places]

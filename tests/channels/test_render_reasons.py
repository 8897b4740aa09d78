"""The wording of reasons: one sentence, the same in every channel."""

from bot.model import Reason, ReasonKind
from bot.wording import sentence


def test_reasons_of_a_kind_are_named_together_and_in_their_order():
    reasons = (
        Reason(ReasonKind.AUTHOR, "Ada Lovelace"),
        Reason(ReasonKind.KEYWORD, "GRPO"),
        Reason(ReasonKind.KEYWORD, "R1"),
        Reason(ReasonKind.WROTE, "reward models"),
        Reason(ReasonKind.LEARNED, "verifiers"),
        Reason(ReasonKind.LIKED, r"\emph{Liked} before"),
        Reason(ReasonKind.TRENDING, "120 upvotes"),
    )
    assert sentence(reasons) == (
        "By Ada Lovelace, whom you follow; it has your keywords “GRPO” and “R1”; you wrote “reward models”; "
        "papers you liked mention “verifiers”; like “Liked before”, which you liked; trending: 120 upvotes."
    )


def test_a_long_title_is_shortened():
    words = sentence((Reason(ReasonKind.LIKED, "word " * 60),))
    assert len(words) < 120
    assert "…”, which you liked." in words


def test_braces_in_a_phrase_are_text():
    assert sentence((Reason(ReasonKind.WROTE, "{near}"),)) == "You wrote “{near}”."

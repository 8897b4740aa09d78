"""Whatever bytes come, parsers give papers or say why not, and what shows and compares texts never raises."""

import pytest
from fuzz.targets import TARGETS, seeds
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ROOT

DIGESTS = [path.read_bytes()[:3_000] for path in sorted((ROOT / "seeds").iterdir()) if path.is_file()]
TELLING = [
    *(b"<item>", b"</item>", b"<entry>", b"&#x0;", b"]]>", b"\\\\\n", b"arXiv:2601.15305\n", b"# A\n"),
    *(b"**Authors**: ", b"Daily Papers\n", b"Owls - 2025-05-06\n", b"Date: 2025-05-06\n", b"Submissions to:\n"),
    *(b"\xff\xfe", b"\0", b"$", b"{"),
]


def changed(target: str) -> st.SearchStrategy[bytes]:
    """A digest with pieces taken out, or put in that mean something to one format or another."""
    piece = st.sampled_from(TELLING) | st.binary(max_size=20)
    change = st.tuples(st.floats(0, 1), st.integers(0, 300), piece)

    def apply(seed: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
        for place, length, text in changes:
            at = int(place * len(seed))
            seed = seed[:at] + text + seed[at + length :]
        return seed

    return st.builds(apply, st.sampled_from([*seeds(target), *DIGESTS]), st.lists(change, max_size=4))


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "forms"])
def test_any_bytes_and_changed_digests_raise_nothing_unexpected(name):
    @settings(max_examples=150)
    @given(st.binary(max_size=200) | changed(name))
    def holds(data):
        TARGETS[name](data)

    holds()

"""Learns ``bot/summaries/words.json``: words that end no clause, no noun phrase, want a preposition, and verbs.

    python bench/line_words.py ../shared/bench

From where punctuation stands in the abstracts of ``arxiv-papers.jsonl.gz``, ``stream/papers.jsonl.gz`` and
``screening.jsonl.gz``. "rely" is before "on" far more often than before a comma: "rely" alone is unfinished.
"restructure" is mostly behind "we", "to" or "can", and hardly ever behind "the": it is a verb.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

from summary_weights import read_jsonl

from bot.summaries import clauses

FILES = ("arxiv-papers.jsonl.gz", "stream/papers.jsonl.gz", "screening.jsonl.gz")
TOKEN = re.compile(r"[a-z][a-z'’-]*|\d[\d.,]*|[.,;:!?()]")
PREPOSITIONS = set(
    "about against among as at between by for from in into of on over that to toward towards upon with".split()
)
IN_TEXTS = 60  # times that a word must occur to count as one that doesn't end a clause
OPEN_UP_TO = 0.03  # the share of a word's occurrences that end a clause
FUNCTION_WORDS = set(
    "is are was were has have had can may will that which who in on of for by with to from at as than while but".split()
)
IN_PHRASES, MODIFIER_UP_TO = 20, 0.34  # the share of occurrences before punctuation or a function word
WITH_PREPOSITION = 15  # times that a pair must occur
WANTED_FROM = 1.5  # how many times as often as at the end
BEFORE_VERBS = set("we they which it that who to can may will not".split())
BEFORE_NOUNS = set("the a an of our its their this these in on by for with".split())
VERB_IN_TEXTS, VERB_FROM, NOUN_UP_TO = 15, 0.25, 0.08


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    args = parser.parse_args()
    total, ends, pairs = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    phrase_ends = Counter[str]()
    as_verb, as_noun = Counter[str](), Counter[str]()
    for paper in (paper for file in FILES for paper in read_jsonl(args.bench / file)):
        words = TOKEN.findall(paper["abstract"].lower())
        for word, following in pairwise(words):
            total[word] += 1
            ends[word] += not following[0].isalnum()
            phrase_ends[word] += not following[0].isalnum() or following in FUNCTION_WORDS
            as_verb[following] += word in BEFORE_VERBS
            as_noun[following] += word in BEFORE_NOUNS
            if following in PREPOSITIONS:
                pairs[word, following] += 1
    usual = ends.total() / total.total()
    # A word counts as it is usual until it has been seen often.
    share = {word: (ends[word] + 1) / (count + 1 / usual) for word, count in total.items()}
    open_words = {w for w, n in total.items() if w.isalpha() and n >= IN_TEXTS and share[w] < OPEN_UP_TO}
    wanted: dict[str, list[str]] = {}
    for (word, preposition), count in sorted(pairs.items()):
        if word not in open_words and count >= max(WITH_PREPOSITION, WANTED_FROM * ends[word] + 3):
            wanted.setdefault(word, []).append(preposition)
    verbs = {
        word
        for word, count in total.items()
        if count >= VERB_IN_TEXTS
        and as_verb[word] >= VERB_FROM * count
        and as_noun[word] < NOUN_UP_TO * count
        and not word.endswith(("ly", "ed", "ing"))
    }
    modifiers = {
        word
        for word, count in total.items()
        if word[0].isalpha()
        and count >= IN_PHRASES
        and phrase_ends[word] < MODIFIER_UP_TO * count
        and word not in open_words
    }
    table = {
        "modifiers": sorted(modifiers),
        "open": sorted(open_words),
        "verbs": sorted(verbs),
        "wants": {word: " ".join(wanted[word]) for word in sorted(wanted)},
    }
    path = Path(clauses.__file__).with_name("words.json")
    path.write_text(json.dumps(table, indent=0) + "\n")
    counts = f"{len(open_words)} words end no clause, {len(modifiers)} no phrase, {len(wanted)} want a preposition"
    print(f"{path}: {counts}, {len(verbs)} are verbs")


if __name__ == "__main__":
    main()

"""Papers, readers and scores for the tests of reasons."""

import scipy.sparse as sp

from bot.model import PickKind, Score
from bot.ranking.corpus import Corpus
from bot.ranking.phrases import PaperText
from bot.ranking.ranking import VotedTerms
from bot.ranking.reasons import Evidence, choose
from bot.text.tokens import stem_terms
from bot.text.topics import profile_topics
from bot.text.vocabulary import Spellings

ABSTRACTS = [
    "We study reward hacking, where large language models (LLMs) exploit the reward model.",
    "Clinical notes and electronic health records help prediction; an electronic health record is long.",
    "We train VLMs by LoRA, with a KL penalty, and process reward models (PRMs).",
]
SPELLINGS = Spellings.learn([*ABSTRACTS, "an image of a robot"])


def read(title, abstract):
    return PaperText(title, abstract, SPELLINGS)


def evidence(profile, liked=(), disliked=(), ignored=(), *, library=False):
    """The evidence of a reader with these papers, pairs of title and abstract, liked and disliked.

    With ``library`` the liked papers are those of the reader's library.
    """
    texts = [f"{title}\n{abstract}" for title, abstract in (*liked, *disliked)]
    corpus = Corpus().fit([*texts, "another text"])
    rows = corpus.transform(texts) if texts else sp.csr_matrix((0, len(corpus.terms_)))
    ids = [-1 - number if library else number for number in range(len(liked))]
    votes = VotedTerms(corpus, rows, range(len(texts)), ids)
    titles = {number: title for number, (title, _) in zip(ids, liked, strict=True)}
    return Evidence(profile_topics(profile), votes, titles, ignored)


def reasons_for(paper, terms, reader, *, kind=PickKind.MATCH, alerted_by=(), **score):
    explained = Score(1, 0.5, 0.0, rest=0.0, terms=terms, **score)
    return choose(paper, explained, reader, kind, alerted_by)


def even(text, weight=0.1):
    return dict.fromkeys(stem_terms(text), weight)

"""Whether it says yes to a reader who was understood, and to nobody else."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from bot.config.profiles import Profile
from bot.domain import Entry, Kind, ParsedDigest, Vote
from bot.editions.composer import Candidates, EditionComposer
from bot.editions.source_activity import Sources
from bot.evaluation import service as evaluating
from bot.evaluation.report import FoldResult, Verdict, judge, mean
from bot.evaluation.service import evaluate
from bot.evaluation.wording import answer
from bot.feedback.service import record
from bot.ranking import Corpus, Ranker
from bot.ranking.examining import Graded, Marks
from bot.store import open_store

START = datetime(2026, 3, 2, 7, tzinfo=UTC)
DAYS, A_DAY = 15, 30
TOPICS = {
    "bees": "bees hive honey pollen swarm queen nectar wings".split(),
    "stars": "stars galaxy orbit telescope comet planet nebula light".split(),
    "ships": "ships harbour sail anchor mast cargo tide keel".split(),
    "bread": "bread flour oven yeast crust dough loaf baker".split(),
    "chess": "chess pawn bishop rook gambit endgame castle board".split(),
}
COMMON = [f"{a}{b}" for a in "bcdfglmnprst" for b in ("ano", "eru", "ilo", "osa", "umi")]
PROFILE = Profile(title="x", interests="studies of anything")


class World:
    """A store of fifteen days, thirty papers each, of five topics; the topic is the title's first word."""

    def __init__(self, store) -> None:
        self.store, self.random = store, random.Random(7)
        for n in range(DAYS):
            entries = tuple(self._entry(n, m) for m in range(A_DAY))
            parsed = ParsedDigest("keyword", "x", None, entries)
            store.papers.add_digests("seeds", f"{n}", f"{n}", [parsed], now=START + timedelta(days=n))
        texts = [f"{title}\n{text}" for _, title, text in store.papers.recent_texts(1000)]
        self.made = Ranker(Corpus().fit(texts))

    def _entry(self, n: int, m: int) -> Entry:
        topic = list(TOPICS)[m % len(TOPICS)]
        said = [*self.random.choices(TOPICS[topic], k=9), *self.random.choices(COMMON, k=25)]
        self.random.shuffle(said)
        return Entry(f"{topic} {n} {m} {self.random.choice(COMMON)}", " ".join(said))

    def ranker(self):
        return self.made

    def reader(self, address="ada@example.org"):
        return self.store.readers.sync("x", [(Kind.EMAIL, address)], START)[0]

    def day(self, n):
        """The papers that came in on a day."""
        at = START + timedelta(days=n)
        return list(self.store.papers.get(i for i, _ in self.store.papers.arrivals(at, at)).values())

    def vote(self, reader, paper, vote, n, minutes=60):
        at = START + timedelta(days=n, minutes=minutes)
        record(self.store, reader, paper, vote, now=at, via="cli")

    def evaluate(self, reader, profile=PROFILE, **how):
        return evaluate(self.store, self.ranker, reader, profile, **how)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    with open_store(f"sqlite:///{tmp_path_factory.mktemp('world')}/paperbot.db") as store:
        yield World(store)


@pytest.fixture
def world(filled):
    """The same papers for all tests; readers with their thumbs are gone after each."""
    yield filled
    for reader in filled.store.readers.all():
        filled.store.readers.forget(reader, START)
        filled.store.readers.remember(reader.profile, reader.address)


def likes_bees(world, reader, days=DAYS):
    """Two bees up, two others down, every day."""
    for n in range(days):
        bees = [paper for paper in world.day(n) if paper.title.startswith("bees")]
        others = [paper for paper in world.day(n) if not paper.title.startswith("bees")]
        for paper in world.random.sample(bees, 2):
            world.vote(reader, paper, Vote.UP, n)
        for paper in world.random.sample(others, 2):
            world.vote(reader, paper, Vote.DOWN, n)


def presses_at_random(world, reader, papers_of):
    for n in range(DAYS):
        for paper in papers_of(n):
            world.vote(reader, paper, world.random.choice([Vote.UP, Vote.DOWN]), n)


def shows(world, reader, n, profile=PROFILE):
    """The day's real edition, kept as sent."""
    now = START + timedelta(days=n)
    new = Candidates([paper.id for paper in world.day(n)], world.store.papers.newest_id())
    edition = EditionComposer(world.store, world.ranker, Sources(world.store, ())).edition(
        reader, profile, now.date(), now, new
    )
    world.store.editions.save(edition, now.date().isoformat(), [])
    return [pick.paper for pick in edition.picks]


def test_a_reader_whose_likes_have_something_in_common_is_learned(world):
    reader = world.reader()
    likes_bees(world, reader)
    found = world.evaluate(reader)
    assert found.verdict is Verdict.YES
    assert (found.likes, found.rounds, found.thumbs) == (
        28,
        14,
        60,
    )  # the first day has nothing to learn from
    assert found.learned.auc > 0.85
    assert found.words.auc < 0.65
    assert found.learned.precision > 2 * found.chance.precision
    assert found.gain.low > 0.1
    assert answer(found).startswith(
        f"Yes: of the 10 papers it puts first, you liked {10 * found.learned.precision:.1f};"
    )


@pytest.mark.parametrize("seed", range(5))
def test_thumbs_at_random_are_not_called_learning(world, seed):
    reader = world.reader()
    world.random.seed(seed)
    presses_at_random(world, reader, lambda n: world.random.sample(world.day(n), 6))
    found = world.evaluate(reader)
    assert found.verdict in (Verdict.NO, Verdict.UNCLEAR)
    assert answer(found).startswith(("Not so far: ", "Can't tell yet: "))
    assert found.learned.auc == pytest.approx(0.5, abs=0.12)


@pytest.mark.parametrize("looked_at", [4, 10])
@pytest.mark.parametrize("seed", range(3))
def test_random_thumbs_on_what_the_bot_chose_are_not_called_learning_either(world, seed, looked_at):
    """The bot shows what it learned to like, so what gets a thumb stands high in its ranking whatever the thumb."""
    reader = world.reader()
    world.random.seed(seed)
    presses_at_random(world, reader, lambda n: shows(world, reader, n)[:looked_at])
    found = world.evaluate(reader)
    assert found.learned.precision > 1.5 * found.chance.precision  # which alone would look like success
    assert found.verdict in (Verdict.NO, Verdict.UNCLEAR)


def test_one_who_judges_what_the_bot_chose_by_a_taste_is_learned(world):
    reader = world.reader()
    for n in range(DAYS):
        for paper in shows(world, reader, n):
            if paper.title.startswith("bees"):
                world.vote(reader, paper, Vote.UP, n)
            elif world.random.random() < 0.5:
                world.vote(reader, paper, Vote.DOWN, n)
    assert world.evaluate(reader).verdict is Verdict.YES


def test_words_that_said_it_all_from_the_first_leave_nothing_to_learn(world):
    reader = world.reader()
    likes_bees(world, reader)
    found = world.evaluate(reader, Profile(title="x", interests=" ".join(TOPICS["bees"])))
    assert found.words.auc > 0.9
    assert found.verdict is not Verdict.YES


def test_a_thumb_says_nothing_of_itself_or_of_those_given_with_it(world):
    """Every like is of a topic that no earlier like was of: whoever knew the day's own thumbs would be right."""
    reader = world.reader()
    for n, topic in enumerate(TOPICS):
        for paper in (p for p in world.day(n) if p.title.startswith(topic)):
            world.vote(reader, paper, Vote.UP, n)
    assert world.evaluate(reader).learned.auc < 0.5


def test_a_mind_that_was_changed_counts_as_it_is_now(world):
    reader, other = (world.reader(f"{name}@example.org") for name in ("ada", "eve"))
    state = world.random.getstate()
    for one in (reader, other):
        world.random.setstate(state)
        likes_bees(world, one)
    for n in range(DAYS):
        judged = {thumb.paper for thumb in world.store.feedback.history(other.id)}
        paper = next(p for p in world.day(n) if p.id not in judged)
        world.vote(other, paper, Vote.UP, n, minutes=1)
        world.vote(other, paper, Vote.CLEAR, DAYS)
    changed, plain = world.evaluate(other), world.evaluate(reader)
    assert (changed.learned, changed.gain) == (plain.learned, plain.gain)


def test_mutes_and_papers_of_other_sources_are_not_there_to_be_ranked(world):
    reader = world.reader()
    likes_bees(world, reader)
    all_of_it = world.evaluate(reader).chance.precision
    muted = world.evaluate(
        reader, Profile(title="x", interests="y", mute=["stars", "ships", "chess"])
    ).chance.precision
    assert muted > 1.5 * all_of_it
    elsewhere = world.evaluate(reader, Profile(title="x", interests="y", sources=["elsewhere"]))
    assert elsewhere.chance.precision == pytest.approx(0.5)  # what was judged is all there is


def test_fewer_rounds_give_much_the_same(world, monkeypatch):
    reader = world.reader()
    likes_bees(world, reader)
    whole = world.evaluate(reader)
    monkeypatch.setattr(evaluating, "_ROUNDS", 6)
    fewer = world.evaluate(reader)
    assert fewer.rounds == 4  # of five; the first has nothing to learn from
    assert fewer.verdict is Verdict.YES
    assert fewer.learned.auc == pytest.approx(whole.learned.auc, abs=0.1)


@pytest.mark.parametrize("sent", [True, False])
def test_the_answer_is_the_same_however_many_unseen_papers_are_ranked_too(world, sent, monkeypatch):
    monkeypatch.setattr(evaluating, "_SEEN", 12)  # fewer than there are: the same have to be drawn
    reader = world.reader()
    likes_bees(world, reader)
    if sent:
        for n in range(DAYS):
            for paper in shows(world, reader, n)[:3]:
                world.vote(reader, paper, Vote.UP if n % 3 else Vote.DOWN, n)
    many, none = world.evaluate(reader), world.evaluate(reader, unseen=0)
    assert (none.learned.auc, none.words.auc) == (many.learned.auc, many.words.auc)
    assert (none.verdict, none.auc, none.gain) == (many.verdict, many.auc, many.gain)
    assert none.points == many.points
    assert none.calibration.papers == many.calibration.papers
    assert none.calibration.error == pytest.approx(many.calibration.error, abs=1e-5)
    assert none.learned.ndcg >= many.learned.ndcg  # there is less to stand above


def test_too_few_thumbs_get_a_plain_answer_and_no_numbers(world):
    reader = world.reader()
    none = world.evaluate(reader)
    assert answer(none) == "Too early to tell: there is no thumb yet."
    likes_bees(world, reader, days=3)
    few = world.evaluate(reader)
    assert (few.verdict, few.learned, few.points) == (Verdict.TOO_FEW, None, ())
    assert answer(few) == (
        "Too early to tell: 4 liked papers could be predicted from earlier thumbs, in 2 rounds; it takes 10 in 3."
    )


def test_where_all_that_was_seen_was_liked_it_says_that_there_is_nothing_to_compare(world):
    reader = world.reader()
    for n in range(DAYS):
        for paper in shows(world, reader, n):
            world.vote(reader, paper, Vote.UP, n)
    found = world.evaluate(reader)
    assert (found.verdict, found.gain, found.learned.auc) == (Verdict.UNCLEAR, None, None)
    assert (
        answer(found)
        == "Can't tell yet: you liked 140 of 140 papers that you saw; too few are left to compare with."
    )


@pytest.mark.parametrize(
    ("learned", "words", "verdict"),
    [
        ([0.9, 0.8, 0.85, 0.9], [0.5, 0.6, 0.5, 0.5], Verdict.YES),
        (
            [0.55, 0.5, 0.52, 0.48],
            [0.2, 0.1, 0.2, 0.1],
            Verdict.UNCLEAR,
        ),  # better than words, but no better than chance
        ([0.9, 0.4, 0.8, 0.3], [0.5, 0.5, 0.5, 0.5], Verdict.UNCLEAR),  # better by half of the days
        ([0.8, 0.8, 0.8, 0.8], [0.79, 0.8, 0.78, 0.8], Verdict.NO),  # surely no gain worth the name
        ([0.5, 0.4, 0.5, 0.4], [0.6, 0.7, 0.6, 0.7], Verdict.NO),
        ([0.5, 0.2, 0.9, 0.3], [0.6, 0.7, 0.4, 0.5], Verdict.UNCLEAR),  # a little worse, by much scatter
    ],
)
def test_yes_takes_a_certain_gain_over_words_and_over_chance(learned, words, verdict):
    chance = Marks(1, 0.1, 0.5)
    rated = [
        FoldResult(START, START, 5, 5, Graded(10, Marks(2, 0.5, a), Marks(2, 0.5, b), chance, [0.5], [True]))
        for a, b in zip(learned, words, strict=True)
    ]
    assert judge("x", 10, 50, rated).verdict is verdict


def test_a_loss_that_may_be_a_gain_is_no_answer():
    """A gain of -4 of 100, with a 95 % interval from -33 to +26."""
    chance = Marks(1, 0.1, 0.5)
    rated = [
        FoldResult(
            START, START, 5, 5, Graded(10, Marks(2, 0.5, 0.6 + g), Marks(2, 0.5, 0.6), chance, [0.5], [True])
        )
        for g in (0.2, -0.28, 0.14, -0.22, -0.04)
    ]
    found = judge("x", 10, 50, rated)
    assert (round(found.gain.mean, 2), found.gain.low < -0.2, found.gain.high > 0.2) == (-0.04, True, True)
    assert found.verdict is Verdict.UNCLEAR
    assert answer(found).startswith(
        "Can't tell yet: a paper you liked stood above one you passed over 56 times"
    )


def test_points_go_through_time_and_hold_all_that_was_predicted(world):
    reader = world.reader()
    likes_bees(world, reader)
    found = world.evaluate(reader)
    assert [p.known for p in found.points] == sorted(p.known for p in found.points)
    assert sum(p.likes for p in found.points) == found.likes
    assert len(found.points) >= 3


def test_the_mean_of_readers_weighs_each_the_same(world):
    ada, eve, bob = (world.reader(f"{name}@example.org") for name in ("ada", "eve", "bob"))
    likes_bees(world, ada)
    presses_at_random(world, eve, lambda n: world.random.sample(world.day(n), 6))
    found = [world.evaluate(reader) for reader in (ada, eve, bob)]
    together = mean(found)
    assert together.readers == 2
    assert together.learned.auc == pytest.approx((found[0].learned.auc + found[1].learned.auc) / 2)
    assert together.gain.mean == pytest.approx((found[0].gain.mean + found[1].gain.mean) / 2)
    assert mean([found[2]]).learned is None

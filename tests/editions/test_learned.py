"""What votes have taught, as the preferences page and the letter say it."""

from datetime import datetime

from bot.app import open_app
from bot.editions.letters import learned
from bot.model import Vote
from bot.ranking.phrases import PaperText
from bot.text.tokens import stem_terms

NOW = datetime.fromisoformat("2025-05-09T08:00:00+02:00")


def vote_down_on_agents(app, reader):
    papers = app.store.papers.get(paper_id for paper_id, _, _ in app.store.papers.recent_texts(300))
    for paper in [paper for paper in papers.values() if "agent" in paper.title.lower()][:12]:
        app.store.feedback.add(reader.id, paper.id, Vote.DOWN, NOW, "cli")


def test_phrases_are_of_voted_papers_and_have_the_sign_that_they_have_in_every_score(voted):
    with open_app(voted) as app:
        (reader,) = app.store.readers.all()
        profile = app.profiles["reward-models"]
        vote_down_on_agents(app, reader)
        phrases = learned(app.composer, reader, profile, now=NOW)
        current = app.store.feedback.current(reader.id)
        papers = app.store.papers.get(current)
        recent = [paper_id for paper_id, _, _ in app.store.papers.recent_texts(300)]
        ranked = app.composer.ranked(reader, profile, recent, NOW)
        scores = ranked.ranking.explained(ranked.scores)
    assert phrases.likes
    assert any("agent" in phrase.text for phrase in phrases.dislikes)
    own = set(stem_terms(f"{profile.interests_at(NOW)} {' '.join(profile.keywords)}"))
    for side, sign, vote in ((phrases.likes, 1, Vote.UP), (phrases.dislikes, -1, Vote.DOWN)):
        titles = {paper.title for paper_id, paper in papers.items() if current[paper_id].vote is vote}
        for phrase in side:
            stems = [term for term in stem_terms(phrase.text) if " " not in term]
            assert not own.issuperset(stems)
            assert set(phrase.papers) <= titles
            assert phrase.papers
            assert sign * phrase.weight > 0
            having = [score.terms for score in scores if all(stem in score.terms for stem in stems)]
            assert all(sign * sum(terms.get(term, 0) for term in stem_terms(phrase.text)) > 0 for terms in having)
    spellings = ranked.ranking.pool.corpus.spellings_
    for phrase in (*phrases.likes, *phrases.dislikes):
        example = next(paper for paper in papers.values() if paper.title == phrase.papers[0])
        text = PaperText(example.title, example.abstract, spellings)
        assert any(stem_terms(other.text) == stem_terms(phrase.text) for other in text.phrases)


def test_without_votes_nothing_was_learned(voted):
    with open_app(voted) as app:
        (reader,) = app.store.readers.all()
        for paper_id in app.store.feedback.current(reader.id):
            app.store.feedback.add(reader.id, paper_id, Vote.CLEAR, NOW, "cli")
        phrases = learned(app.composer, reader, app.profiles["reward-models"], now=NOW)
    assert (phrases.likes, phrases.dislikes) == ((), ())

"""Makes the pictures of docs/deciding.md from the sample digests and the shipped models: ``make pictures``.

Every figure in them is computed here, by the code that makes editions; nothing is drawn by hand.
"""

from __future__ import annotations

import tempfile
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from bot.app import App, open_app
from bot.channels import address_checks
from bot.config.home import make_home
from bot.model import Match, Paper, Vote
from bot.model.editions import GOOD
from bot.ranking.corpus import Corpus, stem_sequence
from bot.ranking.meaning import PaperWords
from bot.readers import find_paper, find_reader
from bot.sources import source_models
from bot.summaries.summary import choose, finding_place, read_abstract
from bot.text.latex import readable
from bot.text.topics import read_interests

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
NOW = datetime(2025, 5, 7, 9, tzinfo=UTC)
READER = "reward-models"
TEXT = "I work on reward hacking and process rewards for reasoning, rather not robots or stock trading."
VOTES = {"Energy-Based Reward Models": Vote.UP, "LoRe: Personalizing LLMs": Vote.UP, "RM-R1": Vote.DOWN}
SUMMARISED = "RM-R1"
WIDTH = 760
INK, GREY, BLUE, RED, LIGHT = "#1a1a1a", "#6b6b6b", "#1d5fa8", "#b3402a", "#d9e6f5"
LETTER = 7.0  # pixels, of 13 px text on average


class Picture:
    """An SVG under construction; coordinates are in pixels."""

    def __init__(self, height: int, title: str) -> None:
        size = {"width": str(WIDTH), "height": str(height), "viewBox": f"0 0 {WIDTH} {height}"}
        self.root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", **size})
        ET.SubElement(self.root, "title").text = title
        ET.SubElement(self.root, "rect", {"width": "100%", "height": "100%", "fill": "white"})

    def add(self, tag: str, **attributes: Any) -> ET.Element:
        return ET.SubElement(self.root, tag, {key.replace("_", "-"): f"{value}" for key, value in attributes.items()})

    def text(self, x: float, y: float, words: str, colour: str = INK, **attributes: Any) -> None:
        style = {"font_family": "sans-serif", "font_size": 13, "fill": colour} | attributes
        self.add("text", x=round(x, 1), y=round(y, 1), **style).text = words

    def line(self, start: tuple[float, float], end: tuple[float, float], colour: str = GREY, width: float = 1) -> None:
        (x1, y1), (x2, y2) = start, end
        self.add(
            "line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", stroke=colour, stroke_width=width
        )

    def dot(self, x: float, y: float, radius: float, colour: str) -> None:
        self.add("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=radius, fill=colour)

    def save(self, name: str) -> None:
        (PICTURES / name).write_text(ET.tostring(self.root, "unicode") + "\n")


def short(paper: Paper, width: int) -> str:
    return textwrap.shorten(readable(paper.title), width, placeholder=" …")


def draw_text() -> None:
    """How a profile's text is taken apart."""
    interests = read_interests(TEXT)
    picture = Picture(150, "How a text is understood")
    picture.text(12, 26, f"“{TEXT}”", font_style="italic")
    rows = (
        ("wanted", [topic.text for topic in interests.wanted], BLUE),
        ("refused", [topic.text for topic in interests.refused], RED),
        ("left unread", list(interests.unread), GREY),
    )
    for row, (name, parts, colour) in enumerate(rows):
        y, x = 62 + 34 * row, 110.0
        picture.text(12, y, name, GREY)
        for part in parts:
            width = LETTER * len(part) + 18
            picture.add("rect", x=x, y=y - 17, width=width, height=25, rx=12, fill="none", stroke=colour)
            picture.text(x + width / 2, y, part, colour, text_anchor="middle")
            x += width + 8
    picture.save("deciding-text.svg")


def draw_vectors(papers: list[Paper]) -> None:
    """The papers' vectors in the plane in which they differ most, coloured by their similarity to the text."""
    texts = [paper.text for paper in papers]
    meaning = Corpus().fit(texts).meaning_
    vectors = meaning.papers(PaperWords.from_sequences([stem_sequence(text) for text in texts]))
    stems = [stem for topic in read_interests(TEXT).wanted for stem in topic.stems]
    similarity = vectors @ meaning.text(stems)
    centred = vectors - vectors.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    flat = centred @ directions[:2].T
    low, high = flat.min(axis=0), flat.max(axis=0)
    places = (flat - low) / (high - low)
    picture = Picture(470, "The papers' vectors, and those closest to the text")
    closest = np.argsort(-similarity)[:5]
    for place, close in zip(places, similarity, strict=True):
        x, y = 20 + 420 * place[0], 20 + 420 * place[1]
        shade = round(235 - 190 * max(0.0, min(1.0, float(close) / float(similarity.max()))))
        picture.dot(x, y, 4, f"rgb({shade},{shade},{min(255, shade + 60)})")
    for number, row in enumerate(closest.tolist(), 1):
        x, y = 20 + 420 * places[row][0], 20 + 420 * places[row][1]
        picture.dot(x, y, 9, BLUE)
        picture.text(x, y + 4, f"{number}", "white", text_anchor="middle", font_size=11)
        picture.text(470, 40 + 44 * number, f"{number}  {short(papers[row], 42)}")
        picture.text(486, 57 + 44 * number, f"similarity {similarity[row]:.2f}", GREY, font_size=12)
    picture.text(470, 45, f"{len(papers)} papers; darker: closer to the text", GREY)
    picture.save("deciding-vectors.svg")


def draw_match(scores: list[tuple[Paper, float]]) -> None:
    """The probabilities of all papers, in order, and from where on they are sent."""
    picture = Picture(300, "The match of each paper")
    left, top, height = 50, 20, 220
    step = (WIDTH - left - 20) / len(scores)
    for number, (_, probability) in enumerate(scores):
        bar = height * probability
        colour = BLUE if probability >= GOOD else GREY if probability >= 0.15 else "#c9c9c9"
        x = left + number * step
        picture.add(
            "rect",
            x=f"{x:.1f}",
            y=f"{top + height - bar:.1f}",
            width=f"{max(1.0, step - 1):.1f}",
            height=f"{bar:.1f}",
            fill=colour,
        )
    for value, words in ((GOOD, "sent: good and strong matches"), (0.15, "the limit of exploratory picks")):
        y = top + height * (1 - value)
        picture.line((left, y), (WIDTH - 20, y), RED)
        picture.text(WIDTH - 24, y - 6, f"{value:g}: {words}", RED, text_anchor="end")
    for value in (0, 0.5, 1):
        picture.text(left - 8, top + height * (1 - value) + 4, f"{value:g}", GREY, text_anchor="end")
    sent = sum(probability >= GOOD for _, probability in scores)
    picture.text(
        left, 270, f"{len(scores)} papers by their match for {READER}; {sent} of them are good or strong", GREY
    )
    picture.save("deciding-match.svg")


def draw_votes(before: list[tuple[Paper, float]], after: list[tuple[Paper, float]]) -> None:
    """The first ten papers before and after three votes."""
    picture = Picture(390, "What three votes change")
    old = {paper.id: place for place, (paper, _) in enumerate(before, 1)}
    shown = 10

    def y_of(place: int) -> float:
        return 44 + 30 * min(place, shown + 1)

    picture.text(60, 36, "before", GREY, text_anchor="middle")
    picture.text(220, 36, "after", GREY, text_anchor="middle")
    for place, (paper, probability) in enumerate(after[:shown], 1):
        was = old[paper.id]
        colour = BLUE if was > place else RED if was < place else GREY
        picture.line((70, y_of(was)), (205, y_of(place)), colour, 1.5)
        picture.text(50, y_of(was) + 4, f"{was}", colour, text_anchor="end")
        label = f"{place}  {short(paper, 54)}"
        picture.text(216, y_of(place) + 4, label)
        picture.text(WIDTH - 12, y_of(place) + 4, str(Match.for_probability(probability)), GREY, text_anchor="end")
    picture.save("deciding-votes.svg")


def draw_summary(paper: Paper) -> None:
    """The sentences of an abstract, the probability that each reports a finding, and which are shown."""
    read = read_abstract(paper.abstract)
    places = choose(read, 3, {})
    bold = finding_place(read, places)
    lines = [textwrap.wrap(readable(sentence), 98) for sentence in read.sentences]
    picture = Picture(
        46 + sum(18 * len(each) + 10 for each in lines), f"Which sentences of an abstract are shown: {paper.title}"
    )
    picture.text(12, 24, "finding", GREY, font_size=12)
    y = 46.0
    for place, wrapped in enumerate(lines):
        if place in places:
            picture.add("rect", x=62, y=y - 15, width=WIDTH - 70, height=18 * len(wrapped) + 4, rx=4, fill=LIGHT)
        picture.text(50, y, f"{read.readings[place].finding:.2f}", GREY, text_anchor="end", font_size=12)
        for words in wrapped:
            weight = {"font_weight": "bold"} if place == bold else {}
            picture.text(70, y, words, INK if place in places else GREY, **weight)
            y += 18
        y += 10
    picture.save("deciding-summary.svg")


def ranked(app: App, papers: list[Paper]) -> list[tuple[Paper, float]]:
    """Return papers and the probabilities for the reader, the highest first."""
    reader, profile = find_reader(app.store, app.profiles, READER)
    by_id = {paper.id: paper for paper in papers}
    ranking = app.composer.ranked(reader, profile, list(by_id), NOW)
    assert ranking
    return sorted(((by_id[score.paper], score.probability) for score in ranking.scores), key=lambda pair: -pair[1])


def samples() -> Iterator[App]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        make_home(home, source_models(), address_checks(), [READER])
        with open_app(home) as app:
            app.daily_job.ingest(NOW)
            yield app


def main() -> None:
    draw_text()
    for app in samples():
        papers = list(app.store.papers.get(range(1, app.store.papers.newest_id() + 1)).values())
        draw_vectors(papers)
        draw_summary(find_paper(app.store, SUMMARISED))
        reader, _ = find_reader(app.store, app.profiles, READER)
        app.store.readers.sync(READER, [(reader.kind, reader.address)], NOW)
        reader, _ = find_reader(app.store, app.profiles, READER)
        voted = {find_paper(app.store, title).id: vote for title, vote in VOTES.items()}
        others = [paper for paper in papers if paper.id not in voted]
        before = ranked(app, others)
        draw_match(before)
        for paper in papers:
            if paper.id in voted:
                app.store.feedback.add(reader.id, paper.id, voted[paper.id], NOW, "cli")
        draw_votes(before, ranked(app, others))


if __name__ == "__main__":
    main()

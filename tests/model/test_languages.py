"""Dates in readers' languages, and which language tags are known."""

from datetime import date

import pytest

from bot.model.wording import known_language, languages, long_date, short_date

DAY = date(2025, 11, 5)


@pytest.mark.parametrize(
    ("language", "long", "short"),
    [
        ("en", "5 Nov 2025", "5 Nov"),
        ("en-US", "5 Nov 2025", "5 Nov"),
        ("de", "5. November 2025", "5. Nov."),
        ("fr", "5 novembre 2025", "5 nov."),
        ("es", "5 de noviembre de 2025", "5 nov"),
        ("ja", "2025年11月5日", "11月5日"),
        ("pt-BR", "5 de novembro de 2025", "5 de nov."),
    ],
)
def test_a_date_is_written_as_in_its_language(language, long, short):
    assert (long_date(DAY, language), short_date(DAY, language)) == (long, short)


@pytest.mark.parametrize(
    ("tag", "known"), [("de", "de"), ("DE-at", "de-AT"), ("pt-br", "pt-BR"), ("zh-TW", "zh-Hant-TW"), ("ja", "ja")]
)
def test_a_tag_is_brought_to_its_usual_spelling(tag, known):
    assert known_language(tag) == known
    assert known_language(known) == known


@pytest.mark.parametrize("tag", ["", "german", "de_DE", "../de", "xx", "de-", "d" * 10_000, "日本"])
def test_an_unknown_tag_is_refused_with_a_remedy(tag):
    with pytest.raises(ValueError, match=r'unknown language .*; write its BCP 47 tag, like "de"') as caught:
        known_language(tag)
    assert len(str(caught.value)) < 200


def test_every_language_of_the_list_is_known_and_has_dates():
    tags = [tag for tag, _ in languages()]
    assert {"en", "de", "fr", "es", "ja", "zh"} <= set(tags)
    assert [known_language(tag) for tag in tags] == tags
    assert all(long_date(DAY, tag) and short_date(DAY, tag) for tag in tags)

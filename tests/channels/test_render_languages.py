"""The dates of messages are in the reader's language, the other words in English."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.channels.email.rendering import render_mail
from bot.channels.slack.rendering import render_letter_slack, render_thread
from bot.channels.templates import sample_edition, sample_letters

DATES = {"en": "6 May 2025", "de": "6. Mai 2025", "fr": "6 mai 2025", "es": "6 de mayo de 2025", "ja": "2025年5月6日"}


@pytest.mark.parametrize("language", DATES)
def test_a_mail_has_its_dates_in_the_language_of_its_reader(templates, links, language):
    edition = replace(sample_edition(), language=language)
    mail = render_mail(templates, edition, links)
    for part in (mail.html, mail.text):
        # The edition's date, and at least one of a paper's.
        assert part.count(DATES[language]) > len(edition.picks)
        assert "In thirty seconds" in part
        assert not any(other in part for tag, other in DATES.items() if tag != language)


@pytest.mark.parametrize("language", DATES)
def test_slack_has_them_too(links, language):
    edition = replace(sample_edition(), language=language)
    first, *replies = render_thread(edition, links)
    assert DATES[language] in first.decode()
    assert all(DATES[language] in reply.decode() for reply in replies)


@pytest.mark.parametrize("language", DATES)
def test_letters_have_them_too(templates, links, language):
    letter = sample_letters()[0]
    day_after = letter.edition.date + timedelta(days=1)
    letter = replace(letter, edition=replace(letter.edition, language=language, date=day_after))
    mail = render_mail(templates, letter, links)
    slack = render_letter_slack(letter, links, buttons=True).decode()
    for text in (mail.html, mail.text, slack):
        assert f"to {DATES[language]}" in text
        assert text.count(DATES[language]) >= 2, "and the missed paper's"

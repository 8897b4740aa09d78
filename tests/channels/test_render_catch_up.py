"""What mails and Slack show of a catch-up edition: its topics, what it skipped, and why it came."""

import json
from dataclasses import replace
from datetime import date

from bot.channels.email.rendering import render_mail
from bot.channels.slack.rendering import render_thread
from bot.channels.templates import sample_edition
from bot.model import CatchUp, EditionKind, TopicGroup

SINCE = date(2025, 4, 22)


def caught_up(**more):
    edition = sample_edition()
    first, second, third = (pick.paper.id for pick in edition.picks)
    groups = (TopicGroup("owls <and> bats", 7, (first, second)), TopicGroup("", 2, (third,)))
    covered = CatchUp(SINCE, edition.date, 412, 9, 40, groups, ((40, 0.1),), **more)
    return replace(edition, kind=EditionKind.CATCH_UP, catch_up=covered)


def test_a_mail_has_the_counts_the_topics_and_the_link_to_what_was_skipped(templates, links):
    mail = render_mail(templates, caught_up(), links)
    text = " ".join(mail.text.split())
    assert "412 papers, 22 Apr 2025 to 6 May 2025: these 3; 6 more above your threshold;" in text
    assert "Owls <and> bats (7 papers)" in mail.text
    assert "Owls &lt;and&gt; bats (7 papers)" in mail.html
    assert mail.html.count(links.skipped(date(2025, 5, 6))) == 1
    assert mail.subject == "Catching up: 3 of 412 papers for Sample"
    assert "once a week" not in text


def test_one_that_replaces_daily_editions_says_so_everywhere(templates, links):
    edition = caught_up(is_automatic=True)
    mail = render_mail(templates, edition, links)
    slack = json.loads(render_thread(edition, links)[0])
    for shown in (mail.html, " ".join(mail.text.split()), json.dumps(slack)):
        assert "since 22 Apr 2025, so this comes once a week in place of your editions" in shown
    assert links.skipped(edition.date) in json.dumps(slack)


def test_other_editions_have_none_of_it(templates, links):
    mail = render_mail(templates, sample_edition(), links)
    assert "skipped" not in mail.text + mail.html
    assert "skipped" not in json.dumps(json.loads(render_thread(sample_edition(), links)[0]))

"""Slack's buttons and ``/papers``.

Slack wants an answer within three seconds, so the result follows through ``response_url``. A channel is one reader
whose members vote. Slack's signature identifies the voter.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from bot import wording
from bot.channels import is_shared
from bot.channels.slack import SLACK
from bot.channels.slack.rendering import escape, render_answers
from bot.model import OutboxKey, Paper, Reader, Vote
from bot.model.errors import PaperbotError
from bot.readers.subscriptions import NotStoppedByReaderError
from bot.readers.votes import VoteEffect
from bot.web.archive import load_edition
from bot.web.papers import record_vote
from bot.web.site import STOPPED_BY_OTHERS, Site, parse_paper_id, traceback_places

log = logging.getLogger("paperbot")

_VOTES = {f"thumb_{vote}": vote for vote in Vote}
_VOTE_MESSAGES = {
    Vote.UP: "👍 More like",
    Vote.DOWN: "👎 Less like",
    Vote.CLEAR: "Vote removed:",
    Vote.SAVE: "🔖 Saved:",
    Vote.UNSAVE: "No longer saved:",
}
_UNDONE_BY = {Vote.UP: Vote.CLEAR, Vote.DOWN: Vote.CLEAR, Vote.SAVE: Vote.UNSAVE}
_HELP = (
    "`/papers` shows the latest edition, `/papers subscribe NAME` subscribes you, "
    "`/papers pause` and `/papers resume` stop and resume your editions."
)
_FAILED = "Sorry, that did not work. The operator finds the reason in the log."
_ID = re.compile(r"[A-Z0-9]{2,30}")
_MAX_ANSWERS = 5  # that Slack accepts through one response_url
_PHRASES_SHOWN = 6
_REPLAY_WINDOW = timedelta(minutes=10)  # longer than a signature's five minutes

Payload = dict[str, Any]
Answer = dict[str, Any]


class SlackPages:
    """``/slack/actions`` and ``/slack/commands``. Each accepts both kinds of request."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._subscriptions = site.app.subscriptions

    def receive(self, request: Request) -> Response:
        """Return 200 for signed requests and handle them later, or return 401."""
        slack = self._site.app.slack_interactions
        if slack is None or not slack.is_genuine(request.state.body, request.headers):
            return Response(status_code=401)
        form: dict[str, list[str]] = request.state.form
        payload: object = None
        if "payload" in form:  # a button
            with suppress(ValueError, RecursionError):
                payload = json.loads(form["payload"][0])
        elif "command" in form:
            payload = {name: values[0] for name, values in form.items()}
        if not isinstance(payload, dict):
            return Response(status_code=401)
        # The same signature is a repetition or an attack.
        signature = request.headers.get("x-slack-signature", "")
        if not self._site.store.rate_limits.allow("slack", signature, 1, _REPLAY_WINDOW, self._site.now):
            return Response()
        return Response(background=BackgroundTask(self.handle, payload))

    def handle(self, payload: Payload) -> None:
        slack = self._site.app.slack_interactions
        assert slack is not None  # noqa: S101 - payloads come only from it
        try:
            if "command" in payload:
                answers = self._run_command(payload)
            elif payload.get("type") == "block_actions":
                answers = [self._vote(payload)]
            else:
                raise HTTPException(400, "Paperbot doesn't know this request.")
        except HTTPException as error:
            answers = [{"text": error.detail}]
        except NotStoppedByReaderError:
            answers = [{"text": STOPPED_BY_OTHERS}]
        except PaperbotError as error:
            log.error("slack: %s", error)
            answers = [{"text": _FAILED}]
        except Exception as error:
            log.error("slack: %s: %s", type(error).__name__, traceback_places(error))
            answers = [{"text": _FAILED}]
        for answer in answers[:_MAX_ANSWERS]:
            # In the thread of the button, where its user sees it.
            thread = _text_at(payload, "message", "thread_ts") or _text_at(payload, "container", "thread_ts")
            place = {"thread_ts": thread} if thread else {}
            slack.answer(_text_at(payload, "response_url"), {**answer, **place})

    def _vote(self, payload: Payload) -> Answer:
        actions = payload.get("actions")
        action = actions[0] if isinstance(actions, list) and actions else None
        vote = _VOTES.get(_text_at(action, "action_id"))
        if vote is None:
            raise HTTPException(400, "Paperbot doesn't know this button.")
        paper = self._site.paper(parse_paper_id(_text_at(action, "value")))
        user = _id_at(payload, "user", "id")
        channel = _id_at(payload, "channel", "id") or _id_at(payload, "container", "channel_id")
        if not user:
            raise HTTPException(400, "Slack did not say who you are, so nothing was saved.")
        reader = self._reader_of_message(payload, [channel, user], paper)
        # A channel has one list of saved papers.
        if not is_shared(reader) or vote in (Vote.SAVE, Vote.UNSAVE):
            return _vote_answer(paper, vote, record_vote(self._site, reader, paper, vote, via="slack"), "")
        # Slack Connect joins several workspaces in a channel.
        team = _id_at(payload, "user", "team_id") or _id_at(payload, "team", "id")
        effect = record_vote(self._site, reader, paper, vote, via="slack", voter=f"{team}/{user}")
        votes = [cast.vote for cast in self._site.store.feedback.votes(reader.id, [paper.id])]
        tally = f"In this channel: {votes.count(Vote.UP)} 👍 {votes.count(Vote.DOWN)} 👎"
        return _vote_answer(paper, vote, effect, tally)

    def _reader_of_message(self, payload: Payload, addresses: Iterable[str], paper: Paper) -> Reader:
        """Return the reader whose edition has the button.

        Without an outbox key, as in forwarded messages, it is the reader at these addresses who was shown the paper
        last.
        """
        readers = self._readers_at(addresses)
        try:
            key = OutboxKey.parse(_text_at(payload, "message", "metadata", "event_payload", "key"))
            reader_id = key.reader
        except ValueError:
            reader_id = None
        candidates = [reader_id] if reader_id in readers else list(readers)
        last = self._site.store.editions.last_reader_shown(candidates, paper.id)
        if last is None:
            raise HTTPException(404, "This edition is no longer stored, so its thumbs no longer count.")
        return readers[last]

    def _readers_at(self, addresses: Iterable[str]) -> dict[int, Reader]:
        at_address = self._site.store.readers.at_address
        return {reader.id: reader for address in addresses if address for reader in at_address(address)}

    def _run_command(self, payload: Payload) -> list[Answer]:
        verb, _, argument = _text_at(payload, "text").strip().partition(" ")
        user = _id_at(payload, "user_id")
        match verb:
            case "" | "today":
                # The channel's editions and the user's own, in messages of up to 50 blocks.
                answers: list[Answer] = []
                for reader in self._readers_at([_id_at(payload, "channel_id"), user]).values():
                    stored = self._site.store.editions.last_with_picks(reader.id)
                    if stored:
                        edition = load_edition(self._site, reader, stored)
                        answers.extend(render_answers(edition, self._site.app.links(reader)))
                return answers or [{"text": f"There is no edition here yet. {self._offer()}"}]
            case "subscribe":
                slug = argument.strip()
                profile = self._site.open_profiles().get(slug)
                if not user or profile is None:
                    raise HTTPException(400, self._offer())
                title = escape(profile.title, 200)
                if self._subscriptions.subscribe_authenticated(slug, profile, SLACK.name, user, self._site.now):
                    return [{"text": f"You are subscribed to “{title}”, by direct message. {_HELP}"}]
                return [{"text": f"The operator has to approve your subscription to “{title}”."}]
            case "pause" | "resume":
                readers = list(self._readers_at([user]).values())
                if not readers:
                    text = "You have no subscription of your own. Only the operator can pause a channel's."
                elif verb == "pause":
                    self._subscriptions.pause(readers, self._site.now)
                    text = "Paused. `/papers resume` resumes."
                else:
                    self._subscriptions.resume(readers, self._site.now)
                    text = "Resumed. The next edition comes as planned."
                return [{"text": text}]
            case _:
                return [{"text": _HELP}]

    def _offer(self) -> str:
        names = ", ".join(f"`{slug}`" for slug in self._site.open_profiles())
        return f"You can subscribe to {names}: `/papers subscribe NAME`." if names else _HELP


def _text_at(value: object, *path: str) -> str:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _id_at(value: object, *path: str) -> str:
    text = _text_at(value, *path)
    return text if _ID.fullmatch(text) else ""


def _vote_answer(paper: Paper, vote: Vote, effect: VoteEffect, tally: str) -> Answer:
    sign = "+" if effect.rise else "−"
    new = [wording.title(paper) for paper in effect.after if paper not in effect.before]
    details = [
        ", ".join(f"{sign} {phrase}" for phrase in effect.phrases[:_PHRASES_SHOWN]),
        f"New among the first papers of the next edition: {'; '.join(new)}." if new else "",
        tally,
    ]
    title = escape(wording.title(paper), 300)
    text = "\n".join([f"{_VOTE_MESSAGES[vote]} “{title}”", *(escape(line, 500) for line in details if line)])
    blocks: list[dict[str, Any]] = [{"type": "section", "text": {"type": "mrkdwn", "text": text}}]
    if undo := _UNDONE_BY.get(vote):
        label = {"type": "plain_text", "text": "Undo"}
        button = {"type": "button", "text": label, "action_id": f"thumb_{undo}", "value": paper.ref}
        blocks.append({"type": "actions", "elements": [button]})
    return {"text": text, "blocks": blocks}

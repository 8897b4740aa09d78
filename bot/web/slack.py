"""What people do in Slack: thumbs under papers, and ``/papers``. Acknowledged first, then done, then answered.

A channel is one reader, and each of its members votes; who pressed is Slack's word, never the button's.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from bot.domain import Kind, Paper, Reader, StopReason, Vote
from bot.errors import PaperbotError
from bot.feedback.effect import VoteEffect
from bot.rendering import phrases
from bot.rendering.slack import escape
from bot.web.editions import whole_edition
from bot.web.open_editions import OpenEditions
from bot.web.site import Refused, Site, paper_id_of, place
from bot.web.votes import vote_by_web

log = logging.getLogger("paperbot")

_VOTES = {"thumb_up": Vote.UP, "thumb_down": Vote.DOWN, "thumb_clear": Vote.CLEAR}
_SAID = {Vote.UP: "👍 More like", Vote.DOWN: "👎 Less like", Vote.CLEAR: "Taken back:"}
_HELP = (
    "`/papers` shows the latest edition, `/papers subscribe NAME` sends you one of your own, "
    "`/papers pause` and `/papers resume` stop and go on."
)
_SORRY = {"text": "Sorry, that did not work; the operator can see why in the log."}
_NOT_YOURS = "It was not you who stopped that; only the operator of Paperbot can start it again."
_ID = re.compile(r"[A-Z0-9]{2,30}")
_MOST_ANSWERS = 5  # that Slack takes for one request
_WORDS = 6

Payload = dict[str, Any]
Answer = dict[str, Any]


class SlackPages:
    """``/slack/actions`` and ``/slack/commands``: both take both."""

    def __init__(self, site: Site, open_editions: OpenEditions) -> None:
        self._site = site
        self._open = open_editions

    def receive(self, request: Request) -> Response:
        """200 at once for what Slack signed, 401 for anything else; the work comes after the answer."""
        front = self._site.app.slack_interactions
        if front is None or not front.is_genuine(request.state.body, request.headers):
            return Response(status_code=401)
        payload = _payload(request.state.form)
        if payload is None:
            return Response(status_code=401)
        signature = request.headers.get("x-slack-signature", "")
        allow = self._site.app.store.rate_limits.allow
        if not allow("slack", signature, 1, timedelta(minutes=10), self._site.now):
            return Response()  # a replay
        return Response(background=BackgroundTask(self.act, payload))

    def act(self, payload: Payload) -> None:
        """Do what was asked for, and answer the person who asked; says what went wrong, to both sides."""
        front = self._site.app.slack_interactions
        assert front is not None  # noqa: S101 - only it hands payloads in
        try:
            answers = list(self._answers(payload))
        except Refused as refused:
            answers = [{"text": refused.message}]
        except PaperbotError as error:
            log.error("slack: %s", error)
            answers = [_SORRY]
        except Exception as error:
            log.error("slack: %s: %s", type(error).__name__, place(error))
            answers = [_SORRY]
        for answer in answers[:_MOST_ANSWERS]:
            front.answer(_text(payload, "response_url"), answer)

    def _answers(self, payload: Payload) -> Iterator[Answer]:
        if "command" in payload:
            yield from self._command(payload)
        elif payload.get("type") == "block_actions":
            yield self._thumb(payload)
        else:
            raise Refused(400, "That is nothing I know.")

    # --- thumbs

    def _thumb(self, payload: Payload) -> Answer:
        actions = payload.get("actions")
        action = actions[0] if isinstance(actions, list) and actions else None
        vote = _VOTES.get(_text(action, "action_id"))
        if vote is None:
            raise Refused(400, "That is no button of mine.")
        paper = self._site.paper(paper_id_of(_text(action, "value")))
        person = _id(payload, "user", "id")
        channel = _id(payload, "channel", "id") or _id(payload, "container", "channel_id")
        if not person:
            raise Refused(400, "Slack did not say who you are, so nothing was noted.")
        reader = self._reader(payload, [channel, person], paper)
        voter = _voter(payload, person) if reader.is_shared else ""
        effect = vote_by_web(self._site, reader, paper, vote, via="slack", voter=voter)
        return _told(paper, vote, effect, self._tally(reader, paper) if voter else "")

    def _reader(self, payload: Payload, addresses: list[str], paper: Paper) -> Reader:
        """Whose edition the button stands in: the message says so, else it is the last with this paper."""
        store = self._site.app.store
        readers = {r.id: r for a in addresses if a for r in store.readers.at_address(a)}
        key = _text(payload, "message", "metadata", "event_payload", "key").split(":")
        named = int(key[1]) if len(key) > 1 and key[1].isdecimal() else 0
        wanted = [named] if named in readers else list(readers)
        found = store.editions.last_with(wanted, paper.id)
        if found is None:
            raise Refused(404, "That edition is no longer kept, so its thumbs count no more.")
        return readers[found]

    def _tally(self, reader: Reader, paper: Paper) -> str:
        votes = [thumb.vote for thumb in self._site.app.store.feedback.votes(reader.id, paper.id)]
        return f"In this channel: {votes.count(Vote.UP)} 👍 {votes.count(Vote.DOWN)} 👎"

    # --- /papers

    def _command(self, payload: Payload) -> Iterator[Answer]:
        verb, _, rest = _text(payload, "text").strip().partition(" ")
        person, channel = _id(payload, "user_id"), _id(payload, "channel_id")
        if verb in ("", "today"):
            yield from self._latest([channel, person])
        elif verb == "subscribe":
            yield {"text": self._subscribe(person, rest.strip())}
        elif verb in ("pause", "resume"):
            yield {"text": self._pause(person, pause=verb == "pause")}
        else:
            yield {"text": _HELP}

    def _latest(self, addresses: list[str]) -> Iterator[Answer]:
        """The latest edition of each reader at these addresses."""
        store = self._site.app.store
        readers = {r.id: r for a in addresses if a for r in store.readers.at_address(a)}
        last = {reader.id: store.editions.last(reader.id) for reader in readers.values()}
        kept = [(readers[i], stored) for i, stored in last.items() if stored]
        if not kept:
            yield {"text": f"There is no edition here yet. {self._offers()}"}
        for reader, stored in kept:
            for line in self._site.app.renderer.slack(whole_edition(self._site, reader, stored)).splitlines():
                message = json.loads(line)
                yield {"text": message["text"], "blocks": message["blocks"]}

    def _subscribe(self, person: str, slug: str) -> str:
        profiles = self._open.profiles()
        if not person or slug not in profiles:
            raise Refused(400, self._offers())
        readers = self._site.app.store.readers
        reader = readers.ask(slug, Kind.SLACK, person, self._site.now)
        if not readers.confirm(reader.id):
            raise Refused(403, _NOT_YOURS)
        return f"You get “{escape(profiles[slug].title, 200)}” as direct messages from now on. {_HELP}"

    def _pause(self, person: str, *, pause: bool) -> str:
        readers = self._site.app.store.readers
        mine = readers.at_address(person) if person else []
        if not mine:
            return "You have no subscription of your own; a channel's is its operator's to pause."
        if pause:
            for reader in mine:
                if reader.stopped is None:
                    readers.leave(reader.id, StopReason.PAUSED)
            return "Paused; `/papers resume` goes on."
        back = [readers.come_back(reader.id) for reader in mine]
        return "Welcome back; the next edition comes as planned." if any(back) else _NOT_YOURS

    def _offers(self) -> str:
        names = ", ".join(f"`{slug}`" for slug in self._open.profiles())
        return f"You can subscribe to {names}: `/papers subscribe NAME`." if names else _HELP


def _payload(form: dict[str, list[str]]) -> Payload | None:
    """A button's JSON, or a command's fields; None for anything else."""
    if "payload" not in form:
        return {name: values[0] for name, values in form.items()} if "command" in form else None
    try:
        payload = json.loads(form["payload"][0])
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


def _text(value: object, *path: str) -> str:
    """The text at a path into nested objects; empty where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _id(value: object, *path: str) -> str:
    """The Slack id at a path; empty where there is none."""
    found = _text(value, *path)
    return found if _ID.fullmatch(found) else ""


def _voter(payload: Payload, person: str) -> str:
    """Who in the world it is: people of other workspaces may be in a shared channel."""
    team = _id(payload, "user", "team_id") or _id(payload, "team", "id")
    return f"{team}/{person}"


def _told(paper: Paper, vote: Vote, effect: VoteEffect, tally: str) -> Answer:
    """What the vote did, with a button to take it back."""
    sign, way, changed = ("+", "up", effect.raised) if effect.rise else ("−", "down", effect.lowered)
    words = [f"{sign} {word}" for word in changed[:_WORDS]]
    moved = f"{len(effect.moved)} of {effect.candidates} candidates moved {way}." if effect.moved else ""
    lines = [f"{_SAID[vote]} “{escape(phrases.title(paper), 300)}”"]
    lines += [escape(part, 500) for part in (", ".join(words), moved, tally) if part]
    text = "\n".join(lines)
    blocks: list[dict[str, Any]] = [{"type": "section", "text": {"type": "mrkdwn", "text": text}}]
    if vote is not Vote.CLEAR:
        label = {"type": "plain_text", "text": "Take it back"}
        button = {"type": "button", "text": label, "action_id": "thumb_clear", "value": paper.ref}
        blocks.append({"type": "actions", "elements": [button]})
    return {"text": text, "blocks": blocks}

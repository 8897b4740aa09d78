"""The parts that make messages and send them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from bot.app.home_parts import plain
from bot.app.library_parts import LibraryParts
from bot.app.reply_address import reply_address
from bot.channels.email import EMAIL
from bot.channels.kind import RenderingParts, TransportParts
from bot.channels.registry import MessageRenderer, channels, reader_channel, reader_channels
from bot.channels.slack import SLACK
from bot.domain import Kind, Reader
from bot.reader_links import ReaderLinks, SampleLinks
from bot.resources import shipped

if TYPE_CHECKING:
    from jinja2 import Environment

    from bot.channels.slack.interactions import SlackInteractions
    from bot.delivery import Route
    from bot.delivery.dispatcher import Dispatcher
    from bot.delivery.ports import StopSignal
    from bot.operations.channel_test import ChannelTests


class DeliveryParts(LibraryParts):
    """Rendering and delivery."""

    @property
    def has_slack_buttons(self) -> bool:
        """Whether clicks in Slack can reach us, by Socket Mode or by signed requests."""
        return SLACK.has_buttons(self.home.section(SLACK))

    # Rendering

    @cached_property
    def templates(self) -> Environment:
        """The shipped templates; the home's own take precedence."""
        from bot.rendering.templates import environment

        return environment(shipped("templates"), self.home.templates)

    def links(self, reader: Reader) -> ReaderLinks:
        """The links in messages to a reader."""
        reply_to = reply_address(self.home.settings) if reader.kind == EMAIL.name else ""
        return ReaderLinks(self.public_url, self.signer, reader, reply_to)

    @cached_property
    def renderer(self) -> MessageRenderer:
        """Renders editions as messages."""
        return self._renderer_of(RenderingParts(self.templates, self.links, self.signer.tag))

    @cached_property
    def sample_renderer(self) -> MessageRenderer:
        """Renders samples: their papers are not in the store, so that signed links to them would lead nowhere."""
        links = SampleLinks(self.public_url)
        parts = RenderingParts(
            self.templates, lambda _: links, lambda reader: f"sample-{reader}", has_votes=False
        )
        return self._renderer_of(parts)

    def _renderer_of(self, parts: RenderingParts) -> MessageRenderer:
        return MessageRenderer(
            {kind.name: kind.renderer(self.home.section(kind), parts) for kind in reader_channels()}
        )

    # Delivery

    @cached_property
    def routes(self) -> Mapping[Kind, Route]:
        """The route for each kind of address."""
        # Functions: most runs save nothing, and need no connection to the store or to Zotero for it.
        parts = TransportParts(
            self.home.outbox_folder,
            self.signer.tag,
            open_library=lambda reader: self.zotero.open_to_save(reader),  # noqa: PLW0108 - made when needed
            outcome=lambda outbox_key: self.store.zotero.outcome(outbox_key),  # noqa: PLW0108
        )
        routes = {kind.name: kind.route(self.home.section(kind), parts) for kind in channels()}
        for route in routes.values():
            for channel in route.channels:
                self._resources.callback(channel.close)
        return routes

    def route_description(self, kind: Kind) -> str:
        """What happens to messages of a kind, as a predicate: ``go by smtp.example.org:587 ...``."""
        channel = reader_channel(kind)
        return channel.describe(self.home.section(channel), self.home.outbox_folder)

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """Delivers what is in the outbox."""
        return self.dispatcher_of(self.routes, self._stop)

    def dispatcher_of(self, kinds: Collection[Kind], stop: StopSignal | None) -> Dispatcher:
        """Return a dispatcher for these kinds of address, which ends when ``stop`` is set."""
        from bot.delivery.dispatcher import Dispatcher

        store = self.store
        return Dispatcher(
            store.outbox,
            {kind: self.routes[kind] for kind in kinds},
            store.readers,
            store.circuit_breakers,
            store.send_rates({kind.name: kind.send_limit(self.home.section(kind)) for kind in channels()}),
            stop=stop,
            disk_problems=self.disk_space.problems,
        )

    @cached_property
    def channel_tests(self) -> ChannelTests:
        """Sends a reader's last edition again, marked as a test."""
        from bot.operations.channel_test import ChannelTests

        return ChannelTests(
            store=self.store,
            renderer=self.renderer,
            sample_renderer=self.sample_renderer,
            routes=self.routes,
        )

    @cached_property
    def slack_interactions(self) -> SlackInteractions | None:
        """Receives and answers clicks and commands in Slack; None if Slack is not set up for them."""
        if not self.has_slack_buttons:
            return None
        from bot.channels.slack.interactions import SlackInteractions

        slack = self.home.settings.slack
        return SlackInteractions(plain(slack.signing_secret), plain(slack.app_token), slack.api_url)

"""The parts that make messages and send them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from bot.app.home_parts import plain
from bot.app.library_parts import LibraryParts
from bot.app.reply_address import reply_address
from bot.domain import Kind, Reader
from bot.reader_links import ReaderLinks
from bot.resources import shipped

if TYPE_CHECKING:
    from jinja2 import Environment

    from bot.delivery import Route
    from bot.delivery.dispatcher import Dispatcher
    from bot.delivery.ports import StopSignal
    from bot.delivery.slack_interactions import SlackInteractions
    from bot.operations.channel_test import ChannelTests
    from bot.rendering.messages import MessageRenderer


class DeliveryParts(LibraryParts):
    """Rendering and delivery."""

    @property
    def has_slack_buttons(self) -> bool:
        """Whether clicks in Slack can reach us, by Socket Mode or by signed requests."""
        slack = self.home.settings.slack
        return bool(slack.app_token or slack.signing_secret)

    # Rendering

    @cached_property
    def templates(self) -> Environment:
        """The shipped templates; the home's own take precedence."""
        from bot.rendering.templates import environment

        return environment(shipped("templates"), self.home.templates)

    def links(self, reader: Reader) -> ReaderLinks:
        """The links in messages to a reader."""
        reply_to = reply_address(self.home.settings) if reader.kind is Kind.EMAIL else ""
        return ReaderLinks(self.public_url, self.signer, reader, reply_to)

    @cached_property
    def renderer(self) -> MessageRenderer:
        """Renders editions as messages."""
        from bot.rendering.messages import MessageRenderer

        sender = self.home.settings.email.sender
        return MessageRenderer(
            self.templates, sender, self.links, tag=self.signer.tag, slack_buttons=self.has_slack_buttons
        )

    # Delivery

    @cached_property
    def routes(self) -> Mapping[Kind, Route]:
        """The route for each kind of address."""
        from bot.app.routes import make_routes
        from bot.delivery import Route
        from bot.zotero.saving import ZoteroChannel

        routes = make_routes(self.home.settings, self.home.outbox_folder, self.signer.tag)
        # Functions: most runs save nothing, and need no connection to the store or to Zotero for it.
        saving = ZoteroChannel(
            lambda reader: self.zotero.open_to_save(reader),  # noqa: PLW0108 - made when needed
            lambda outbox_key: self.store.zotero.outcome(outbox_key),  # noqa: PLW0108
        )
        routes[Kind.ZOTERO] = Route([saving])
        for route in routes.values():
            for channel in route.channels:
                self._resources.callback(channel.close)
        return routes

    def route_description(self, kind: Kind) -> str:
        """What happens to messages of a kind, as a predicate: ``go by smtp.example.org:587 ...``."""
        from bot.app.routes import describe_route

        return describe_route(kind, self.home.settings, self.home.outbox_folder)

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """Delivers what is in the outbox."""
        return self.dispatcher_of(self.routes, self._stop)

    def dispatcher_of(self, kinds: Collection[Kind], stop: StopSignal | None) -> Dispatcher:
        """Return a dispatcher for these kinds of address, which ends when ``stop`` is set."""
        from bot.app.routes import send_limits
        from bot.delivery.dispatcher import Dispatcher

        store = self.store
        return Dispatcher(
            store.outbox,
            {kind: self.routes[kind] for kind in kinds},
            store.readers,
            store.circuit_breakers,
            store.send_rates(send_limits(self.home.settings)),
            stop=stop,
            disk_problems=self.disk_space.problems,
        )

    @cached_property
    def channel_tests(self) -> ChannelTests:
        """Sends a reader's last edition again, marked as a test."""
        from bot.operations.channel_test import ChannelTests

        return ChannelTests(
            store=self.store,
            templates=self.templates,
            sender=self.home.settings.email.sender,
            public_url=self.public_url,
            renderer=self.renderer,
            routes=self.routes,
        )

    @cached_property
    def slack_interactions(self) -> SlackInteractions | None:
        """Receives and answers clicks and commands in Slack; None if Slack is not set up for them."""
        if not self.has_slack_buttons:
            return None
        from bot.delivery.slack_interactions import SlackInteractions

        slack = self.home.settings.slack
        return SlackInteractions(plain(slack.signing_secret), plain(slack.app_token), slack.api_url)

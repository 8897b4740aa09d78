"""Channels: where messages go, one folder for each kind, and ``registry``, by which everything else finds them.

To add a channel:

1. ``bot/channels/<name>/__init__.py`` with a ``ReaderChannelKind`` (``kind``): its name, which is also the key in
   profiles, the outbox's name for it and the name of its circuit breaker; its addresses, words, server and limits.
2. ``bot/channels/<name>/rendering.py`` with a ``Renderer``: what editions, alerts, tests and letters look like, and the
   message that asks for a confirmation if the channel can't tell who subscribes. Templates are in ``templates/``.
3. ``bot/channels/<name>/transport.py`` with a class that has the methods of ``bot.delivery.Channel``. Hand it values,
   never settings. Call ``start_data()`` as late as possible: everything that can fail before the message could have
   arrived comes before it; let its exceptions pass. Map foreign exceptions to ``DeliveryError`` in one place, and set
   ``unknown=True`` where the message may have arrived although no answer came: it is not sent again unless a person
   asks.
4. A line in ``registry``, and a section in ``bot/config/settings.py`` if it has settings.
5. A row in README's tables for its settings and for its key in profiles. Test it against a real server on loopback.

``files`` writes messages to a folder where no server is set. When messages are sent is ``bot.delivery``.
"""

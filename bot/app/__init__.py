"""The composition root: the only package that reads settings.

home               a home directory: paths, settings, profiles
container          wires the parts together; each is made at its first use
home_parts         the parts that all others need
delivery_parts     the parts that make messages and send them
sources            where digests come from
current_ranker     the ranker, replaced when the corpus is fitted again
summaries          the writer that replaces summaries by TL;DRs
operator_notices   notices to the operator
client_limits      limits on the clients of the pages
"""

from bot.app.container import App, open_app

__all__ = ["App", "open_app"]

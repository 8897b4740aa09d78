"""``paperbot config``: the settings in force, and where each comes from."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from bot.cli.options import home_of, json_option
from bot.cli.output import console, plain, print_json, table


@click.command("config", short_help="Show every setting in force, and where it comes from.")
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show every setting in force, and where it comes from: the environment, paperbot.toml or the default.

    Secrets and passwords are masked. The home is not opened: nothing is created or changed.

    \b
    Examples:
      paperbot config
      paperbot config --json
    """
    from bot.config.effective import SettingOrigin, effective_settings
    from bot.sources.registry import source_models

    home = home_of(ctx)
    settings = effective_settings(home, source_models())
    if as_json:
        print_json({"home": str(home.resolve()), "settings": [asdict(setting) for setting in settings]})
        return
    click.echo(f"home {home.resolve()}")
    rows = table("setting", "value", "from", unbroken=["setting"])
    for setting in settings:
        # As it would be written in the file: texts in quotes; a setting without a value has a dash.
        value = "-" if setting.value is None else json.dumps(setting.value, ensure_ascii=False)
        is_default = setting.origin is SettingOrigin.DEFAULT
        rows.add_row(
            setting.key,
            plain(value),
            setting.variable or setting.origin,
            style="dim" if is_default else None,
        )
    console().print(rows)

"""The commands that describe a home: ``config`` and ``completion``."""

from __future__ import annotations

import json
from dataclasses import asdict

import click
from click.shell_completion import get_completion_class

from bot.cli.output import console, home_of, json_option, plain, print_json, schema_option, table

_PASSWORD = "PAPERBOT_EMAIL__PASSWORD"  # noqa: S105 - the name of a variable
_SHELLS = ("bash", "zsh", "fish")
_SETTINGS = "paperbot.toml"


@click.command("config", short_help="Show every setting in force, and where it comes from.")
@json_option
@schema_option("settings", "paperbot.toml")
@click.pass_context
def config(ctx: click.Context, as_json: bool) -> None:
    """Show every setting in force, and where it comes from: the environment, paperbot.toml or the default.

    Secrets and passwords are masked. The home is not opened: nothing is created or changed.

    \b
    Examples:
      paperbot config
      paperbot config --json
      paperbot config --schema > settings.json
    """
    from bot.config.home import SettingOrigin, effective_settings
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
        rows.add_row(setting.key, plain(value), setting.variable or setting.origin, style="dim" if is_default else None)
    console().print(rows)


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script by which SHELL completes the commands and options of paperbot.

    \b
    Examples:
      paperbot completion bash >> ~/.bashrc
      paperbot completion zsh >> ~/.zshrc
      paperbot completion fish > ~/.config/fish/completions/paperbot.fish
    """
    completion = get_completion_class(shell)
    assert completion is not None  # noqa: S101 - click has a class for each name in _SHELLS
    if shell == "zsh":
        # Without compinit there is no compdef; oh-my-zsh and others have called it, a .zshrc of its own may not.
        click.echo("(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }")
    click.echo(completion(ctx.find_root().command, {}, "paperbot", "_PAPERBOT_COMPLETE").source())

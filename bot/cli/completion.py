"""``paperbot completion``: what a shell needs to complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_SHELLS = ("bash", "zsh", "fish")


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
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

"""Read ``paperbot.toml`` and ``profiles/*.toml``."""

"""Configuration files: settings in ``paperbot.toml`` and interests in ``profiles/*.toml``."""

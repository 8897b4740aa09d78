"""The formats of libraries: each reads an export into ``Reference``s. ``bot.formats.library`` lists them."""

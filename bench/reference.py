"""What is generated from the code: JSON Schema of settings and profiles, and the reference of the site.

    make schemas     docs/schemas/*.json, which wheels have too; `paperbot config --schema` prints one
    make docs        docs/reference.md, with the --help of each command and each setting

Descriptions in the schemas are the rows of docs/settings.md and docs/profiles.md, so that they are written once.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import click

from bot.channels import reader_channels
from bot.cli.main import paperbot
from bot.config.profiles import Profile
from bot.config.settings import SECRETS, Settings
from bot.config.tables import SourceModels
from bot.sources import source_models

DOCS = Path(__file__).parents[1] / "docs"
SCHEMAS = DOCS / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def settings_schema(models: SourceModels) -> Schema:
    """Return the schema of paperbot.toml: what only the environment may set is not in it."""
    schema = Settings.model_json_schema()
    definitions = schema["$defs"]
    del schema["properties"]["passwords"]
    for section, key in SECRETS:
        del definitions[f"{section.capitalize()}Section"]["properties"][key]
    for name, model in models.items():
        definition = definitions[f"source-{name}"] = model.model_json_schema()
        definition["properties"]["kind"] = {"const": name}
    # Not oneOf, for which editors report that no kind fits instead of the wrong key.
    del definitions["SourceOptions"]
    schema["properties"]["sources"]["items"] = {
        "properties": {"kind": {"enum": list(models)}},
        "required": ["name", "kind"],
        "allOf": [
            {"if": {"properties": {"kind": {"const": name}}}, "then": {"$ref": f"#/$defs/source-{name}"}}
            for name in models
        ],
    }
    return described(schema, "Paperbot's settings", rows((DOCS / "settings.md").read_text()))


def profile_schema(channels: Collection[str]) -> Schema:
    """Return the schema of a profile."""
    schema = Profile.model_json_schema()
    reader = schema["$defs"]["ReaderSection"]
    reader["properties"] = {channel: {"type": "string"} for channel in channels}
    reader |= {"minProperties": 1, "maxProperties": 1}
    del reader["required"]
    return described(schema, "A profile of Paperbot", rows((DOCS / "profiles.md").read_text()))


def rows(page: str) -> dict[str, str]:
    """Return the meaning of each key in the tables of a page, as plain text."""
    cells = re.findall(r"(?m)^\| `([a-z_\[\].]+)` \|[^|\n]*\| (.*) \|$", page)
    return {key: re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text) for key, text in cells}


def described(schema: Schema, title: str, meanings: dict[str, str]) -> Schema:
    """Return the schema with the documents' words for each key, and without titles, which only repeat the keys."""
    for key, properties in tables(schema, schema, ""):
        for name, value in properties.items():
            value.pop("title", None)
            if meaning := meanings.get(key + name):
                value["description"] = meaning
    for definition in schema["$defs"].values():
        definition.pop("title", None)
    return {"$schema": DIALECT, **schema, "title": title}


def tables(schema: Schema, table: Schema, prefix: str) -> Iterator[tuple[str, Schema]]:
    """Yield the prefix and the properties of a table, of those in it, and of those that only a kind has."""
    properties = table.get("properties", {})
    yield prefix, properties
    for name, value in properties.items():
        items = value.get("items", {})
        for reference in [*references(value), *references(items), *(step["then"] for step in items.get("allOf", ()))]:
            inner = schema["$defs"][reference["$ref"].removeprefix("#/$defs/")]
            yield from tables(schema, inner, f"{prefix}{name}{'[]' if items else ''}.")


def references(value: Schema) -> list[Schema]:
    return [each for each in (value, *value.get("anyOf", ())) if "$ref" in each]


def schema_texts() -> dict[str, str]:
    """Return the text of each schema by its file's name."""
    schemas = {
        "settings.json": settings_schema(source_models()),
        "profile.json": profile_schema([channel.name for channel in reader_channels()]),
    }
    return {name: json.dumps(schema, indent=1, ensure_ascii=False) + "\n" for name, schema in schemas.items()}


def reference() -> str:
    """Return the page with the --help of each command, and each key with its type and default."""
    lines = ["# Reference", "", "Generated from the code: each command's `--help`, and each key of the two files.", ""]
    lines += ["## Commands", ""]
    for path, command in commands(paperbot, "paperbot"):
        text = command.get_help(click.Context(command, info_name=path, terminal_width=100, max_content_width=100))
        lines += [f"### `{path}`", "", "```text", text, "```", ""]
    for file, name in (("paperbot.toml", "settings.json"), ("profiles/<name>.toml", "profile.json")):
        schema = json.loads((SCHEMAS / name).read_text())
        lines += [f"## `{file}`", "", "| key | type | default |", "|---|---|---|"]
        keys: dict[str, str] = {}
        for prefix, properties in tables(schema, schema, ""):
            for key, value in properties.items():
                if not references(value) and not references(value.get("items", {})) and "allOf" not in str(value):
                    default = json.dumps(value["default"], ensure_ascii=False) if "default" in value else ""
                    row = f"| `{prefix}{key}` | {cell(type_of(value))} | {f'`{cell(default)}`' if default else ''} |"
                    keys.setdefault(prefix + key, row)
        lines += [*keys.values(), ""]
    return "\n".join(lines)


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{path} {name}")


def type_of(value: Schema) -> str:
    """Return the type of a value in a few words.

    >>> type_of({"anyOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"type": "null"}]})
    'integer, 1 to 9'
    """
    if "anyOf" in value:
        return " or ".join(type_of(each) for each in value["anyOf"] if each.get("type") != "null")
    if "enum" in value or "const" in value:
        return ", ".join(f"`{each}`" for each in value.get("enum", [value.get("const")]))
    if value.get("type") == "array":
        return f"list of {type_of(value['items'])}" if "items" in value else "list"
    limits = [f"{value[key]:g}" for key in ("minimum", "maximum") if key in value]
    return value.get("type", "value") + (f", {' to '.join(limits)}" if len(limits) == 2 else "")


def cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    if sys.argv[1:] == ["schemas"]:
        SCHEMAS.mkdir(exist_ok=True)
        for file, content in schema_texts().items():
            (SCHEMAS / file).write_text(content)
    else:
        (DOCS / "reference.md").write_text(reference())

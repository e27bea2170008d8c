"""The page of all commands and their flags, from the commands themselves."""

from typing import Any

import typer

from docs.site.markdown import table
from shoal.cli import app


def page() -> str:
    """Return the page: a section for each command, in the order of `shoal --help`."""
    group: Any = typer.main.get_group(app)
    parts = [
        "# Every command and every flag\n",
        "Written from the commands themselves; `shoal COMMAND --help` says the same. What all of them share, and "
        "where a table may lie, is on the page of [the command line](../command-line.md).\n",
    ]
    parts += [_section(name, command) for name, command in group.commands.items()]
    return "\n".join(parts)


def _section(name: str, command: Any) -> str:
    arguments = [one for one in command.params if not one.opts[0].startswith("-")]
    flags = [one for one in command.params if one.opts[0].startswith("-") and not one.hidden]
    shown = [one.name.upper() if one.required else f"[{one.name.upper()}]" for one in arguments]
    where = "ui.md" if name == "ui" else f"actions/{name}.md"
    parts = [
        f"## shoal {name}\n",
        f"{command.help}\n",
        f"```text\nshoal {' '.join([name, *shown, '[flags]'])}\n```\n",
    ]
    rows = [(f"`{one.name.upper()}`", one.help or "", _notes(one)) for one in arguments]
    rows += [
        (", ".join(f"`{word}`" for word in [*one.opts, *one.secondary_opts]), one.help or "", _notes(one))
        for one in flags
    ]
    parts.append(table(("flag", "what it does", ""), rows))
    parts.append(f"{command.epilog} [More, with examples](../{where}).\n")
    return "\n".join(parts)


def _notes(parameter: Any) -> str:
    """Return what else is to be said of a flag: whether it is needed, may be repeated, and its default."""
    said = ["needed"] if parameter.required else []
    said += ["may be repeated"] if parameter.multiple else []
    default = parameter.default
    plain = default is not None and not isinstance(default, bool) and not callable(default) and not parameter.required
    return ", ".join([*said, f"default `{default}`"] if plain else said)

"""Help pages: commands by subject, whole sentences, no word broken in a narrow window."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Grouped(TyperGroup):
    """Commands under the headings that they were registered with."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """One section for each heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            sections.setdefault(command.rich_help_panel, []).append((name, command.help))
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


class Command(TyperCommand):
    """A command whose arguments are shown by name, without the type that Python has for them."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments first, then options."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and param.param_type_name == "argument":
                sections["Arguments"].append((record[0].partition(" <")[0], record[1]))
            elif record is not None:
                sections["Options"].append(record)
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

"""Help formatting: whole summaries, whole words, arguments in capitals."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

_WHOLE: Final = 1_000
"""More characters than any summary has."""

_WIDEST_NAME: Final = 30
"""The maximum number of columns that Click gives to the names of options."""

_NO_BREAK: Final = "\u2011"
"""A non-breaking hyphen."""


def format_help(command: Any) -> None:
    """Keep the words in a command's help whole, and its summary in its group's list untruncated."""
    _show_whole_summary(command)
    for name in ("get_help", "get_usage"):
        setattr(command, name, _with_whole_words(getattr(command, name)))


def show_in_capitals(argument: Any) -> None:
    """Show an argument in capitals, as man pages do, without Typer's braces and types."""
    name = argument.metavar or argument.name.upper()
    get_help_record = argument.get_help_record

    def record(ctx: Any) -> tuple[str, str] | None:
        found: tuple[str, str] | None = get_help_record(ctx)
        return found and (name, found[1])

    argument.get_usage_pieces = lambda _: [name]
    argument.get_help_record = record


def _show_whole_summary(command: Any) -> None:
    """Wrap a command's summary in its group's list instead of truncating it with dots."""
    get_short_help_str = command.get_short_help_str

    def summary(limit: int = 0) -> str:
        whole: str = get_short_help_str(max(limit, _WHOLE))
        return whole

    command.get_short_help_str = summary


def _with_whole_words(write: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return a version of ``write``, for help or usage, that breaks no slug or option at its hyphens."""

    def written(ctx: Any) -> str:
        ctx.formatter_class = _whole_words(ctx.formatter_class)
        return write(ctx)

    return written


@cache
def _whole_words(formatter: Any) -> Any:
    """Return a subclass of a formatter that breaks no word at a hyphen: it wraps text with non-breaking hyphens."""
    if getattr(formatter, "keeps_words_whole", False):
        return formatter

    class WholeWords(formatter):  # type: ignore[misc]  # the class comes from the installed Typer
        keeps_words_whole = True

        def write(self, string: str) -> None:
            super().write(string.replace(_NO_BREAK, "-"))

        def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
            super().write_usage(_unbroken(prog), _unbroken(args), prefix)

        def write_text(self, text: str) -> None:
            room = self.width - self.current_indent
            if _has_word_wider_than(room, text):
                self._write_below(text, indent=self.current_indent)
            else:
                super().write_text(_unbroken(text))

        def write_dl(self, rows: Any, *layout: Any, **named: Any) -> None:
            entries = [(_unbroken(name), _unbroken(text)) for name, text in rows]
            names = max((len(name) for name, _ in entries), default=0)
            room = self.width - min(names, _WIDEST_NAME) - 2 * self.indent_increment
            if not any(_has_word_wider_than(room, text) for _, text in entries):
                super().write_dl(entries, *layout, **named)
                return
            for name, text in entries:
                self.write(f"{'':{self.current_indent}}{name}\n")
                self._write_below(text, indent=self.current_indent + self.indent_increment)

        def _write_below(self, text: str, *, indent: int) -> None:
            from repaircore_cli.tables import WordWrapper

            margin = " " * indent
            wrapper = WordWrapper(self.width, initial_indent=margin, subsequent_indent=margin)
            self.write("".join(f"{line}\n" for line in wrapper.wrap(text)))

    return WholeWords


def _has_word_wider_than(columns: int, text: str) -> bool:
    """Return whether a word is wider than ``columns`` and would be cut, such as a database URL in narrow help."""
    return any(len(word) > columns for word in text.split())


def _unbroken(text: str) -> str:
    return text.replace("-", _NO_BREAK)

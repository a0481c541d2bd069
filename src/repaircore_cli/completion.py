"""Shell completion of repairs, makes and trouble codes, from the shipped files and without a database."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_REPAIR: Final = re.compile(
    r'^\[\[repair\]\]$.*?^slug = "(.+?)"$.*?^name = "(.+?)"$', re.MULTILINE | re.DOTALL
)
_MAKE: Final = re.compile(r'^\[\[make\]\]\nname = "(.+?)"$', re.MULTILINE)
_CODE: Final = re.compile(r"\b[PBCU][0-9A-F]{4}\b")


def problem_slugs(incomplete: str) -> list[tuple[str, str]]:
    """Complete the slug of a repair; the shell shows its name next to it."""
    found = [pair for text in _texts("book", ".toml") for pair in _REPAIR.findall(text)]
    return [(_continued(incomplete, slug), name) for slug, name in found if _begins(slug, incomplete)]


def make_names(incomplete: str) -> list[str]:
    """Complete the name of a make."""
    found = _MAKE.findall((_data() / "makes.toml").read_text("utf-8"))
    return [_continued(incomplete, name) for name in found if _begins(name, incomplete)]


def trouble_codes(incomplete: str) -> list[str]:
    """Complete a standard trouble code."""
    standard = (_data() / "codes" / "table" / "standard.psv").read_text("utf-8")
    found = {code for text in (standard, *_texts("codes", ".toml")) for code in _CODE.findall(text)}
    return sorted(_continued(incomplete, code) for code in found if _begins(code, incomplete))


def _begins(name: str, incomplete: str) -> bool:
    return name.lower().startswith(incomplete.lower())


def _continued(incomplete: str, name: str) -> str:
    """Return the typed text plus the rest of the name: a shell does not replace what was typed."""
    return incomplete + name[len(incomplete) :]


def _texts(folder: str, ending: str) -> Iterator[str]:
    for file in (_data() / folder).iterdir():
        if file.name.endswith(ending):
            yield file.read_text("utf-8")


def _data() -> "Traversable":
    from importlib.resources import files  # only the shell completes; every command imports this module

    return files("repaircore") / "data"

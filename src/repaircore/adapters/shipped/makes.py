"""The shipped list of makes."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from repaircore.catalog.model import Make, Span
from repaircore.kernel.spelling import key, make_key

_YEARS: Final = re.compile(r"(\d{4})-(\d{4})?")


@cache
def shipped_makes() -> Mapping[str, Make]:
    """Return the makes in ``data/makes.toml``, by the keys of their names and of their other spellings."""
    return read_makes((files("repaircore") / "data" / "makes.toml").read_text("utf-8"))


def read_makes(text: str) -> dict[str, Make]:
    """Read a list of makes, by the keys of their names and of their other spellings.

    Raises:
        ValueError: two makes have a spelling in common, or a range of years is malformed.
    """
    by_key: dict[str, Make] = {}
    for row in tomllib.loads(text)["make"]:
        make = _make(row)
        for spelling in {make_key(name) for name in (make.name, *make.also)}:
            if spelling in by_key:
                raise ValueError(f"{make.name} and {by_key[spelling].name} are spelled alike.")
            by_key[spelling] = make
    return by_key


def _make(row: Mapping[str, Any]) -> Make:
    unlisted = {_pattern(name): () for name in row.get("unlisted", ())}
    renamed = {_pattern(name): (catalog_name,) for name, catalog_name in row.get("names", {}).items()}
    return Make(
        name=row["name"],
        years=tuple(_span(text.strip()) for text in row["years"].split(",")),
        also=tuple(row.get("also", ())),
        names={**unlisted, **renamed},
    )


def _pattern(name: str) -> str:
    return key(name) + "*" * name.endswith("*")


def _span(text: str) -> Span:
    found = _YEARS.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a range of model years such as 1984-1995 or 2008-.")
    return int(found[1]), int(found[2]) if found[2] else None

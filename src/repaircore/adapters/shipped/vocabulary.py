"""What owners say, read from the shipped list and the names of the symptoms."""

import tomllib
from importlib.resources import files
from typing import Final

from repaircore.adapters.shipped.book import symptoms
from repaircore.problems.vocabulary import Vocabulary

__all__ = ["vocabulary"]

_LIST: Final = "synonyms.toml"


def vocabulary() -> Vocabulary:
    """Read what owners say.

    Raises:
        KeyError, ValueError: the list is not as it should be (a contributor's mistake; the tests find it).
    """
    page = tomllib.loads((files("repaircore.data") / _LIST).read_text("utf-8"))
    return Vocabulary(
        symptoms=symptoms(),
        ignored=frozenset(page["ignored"].split()),
        same=page["same"],
        misspelled=page["misspelled"],
        meanings={said: tuple(meant) for said, meant in page["meanings"].items()},
    )

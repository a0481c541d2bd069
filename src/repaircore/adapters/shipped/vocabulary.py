"""What owners say, read from the shipped list and the names of the symptoms."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from repaircore.adapters.shipped.book import symptoms
from repaircore.book.vocabulary import Vocabulary

_LIST: Final = "synonyms.toml"
_SPANISH: Final = "synonyms_es.toml"


@cache
def vocabulary() -> Vocabulary:
    """Read what owners say.

    Raises:
        KeyError, ValueError: the list is not as it should be (a contributor's mistake; the tests find it).
    """
    page, spanish = _page(_LIST), _page(_SPANISH)
    said = {**spanish["meanings"], **page["meanings"]}
    return Vocabulary(
        symptoms=symptoms(),
        ignored=frozenset(page["ignored"].split()) | frozenset(spanish["ignored"].split()),
        same=page["same"],
        misspelled=page["misspelled"],
        meanings={words: tuple(meant) for words, meant in said.items()},
    )


def _page(name: str) -> dict[str, Any]:
    return tomllib.loads((files("repaircore.data") / name).read_text("utf-8"))

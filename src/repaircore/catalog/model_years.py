"""Models by model year: their IDs, and searches for them."""

import re
from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.spelling import key, make_key, words_key

_ID: Final = re.compile(r"([0-9]{4})-([^\W_]+)-([^\W_]+)")
_YEAR: Final = re.compile(r"\d{4}", re.ASCII)


@frozen(kw_only=True)
class ModelYear:
    """A model that was sold in a model year."""

    make: str
    model: str
    year: int

    @property
    def id(self) -> str:
        """Return the permanent ID, which is the same in every edition of the catalog."""
        return model_year_id(self.year, self.make, self.model)

    @property
    def display_name(self) -> str:
        """Return the name that an owner would use."""
        return f"{self.year} {self.make} {self.model}"


def model_year_id(year: int, make: str, model: str) -> str:
    """Return the ID of a model in a model year, such as "2003-honda-accord"."""
    return f"{year}-{make_key(make)}-{key(model)}"


def parse_model_year_id(text: str) -> tuple[int, str, str] | None:
    """Parse an ID into the year and the keys of the make and model; return None if it is malformed."""
    found = _ID.fullmatch(text)
    return None if found is None else (int(found[1]), found[2], found[3])


@frozen(kw_only=True)
class ModelQuery:
    """A parsed search: a model year, if one is among the words, and the other words."""

    words: Sequence[str]
    year: int | None

    def agreement(self, make: str, model: str) -> int:
        """Return 1 plus the number of words that match a whole name, or 0 if any word does not match even in part."""
        named = (*words_key(make), *words_key(model), key(make), key(model))
        joined = key(make) + key(model)
        whole = 1
        for word in self.words:
            if word in named or make_key(word) == make_key(make):
                whole += 1
            elif word not in joined and not any(name.startswith(word) for name in named):
                return 0
        return whole


def parse_model_query(text: str, *, first: int, last: int) -> ModelQuery:
    """Parse a search; a number is a year only from ``first`` to ``last``."""
    words = words_key(text)
    year = next((int(word) for word in words if _YEAR.fullmatch(word) and first <= int(word) <= last), None)
    return ModelQuery(words=[word for word in words if word != str(year)], year=year)

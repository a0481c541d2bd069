"""Match NHTSA's names for models with the names in the catalog.

A missed recall may get someone hurt; a superfluous one costs only a VIN check. So two names match if they may mean the
same model, unless the recall's name is itself the name of another model.
"""

import re
from collections.abc import Iterable
from typing import Final

from repaircore.catalog.model_names import match_names
from repaircore.kernel.spelling import key, words_key

_POWERTRAIN: Final = frozenset(
    {"hybrid", "hev", "phev", "plug", "in", "plugin", "ev", "bev", "electric", "e", "prime", "4xe"}
)
_BADGE: Final = re.compile(r"(\d)\d\d[a-z]{0,3}")
_SERIES: Final = re.compile(r"(\d)series")
_SHORT: Final = 3
"""A name with up to this many more characters is a variant: RX350 of RX, V60CC of V60."""


def matches_model(model: str, named: str, *, make: str, listed: Iterable[str]) -> bool:
    """Return whether a recall's model name may mean ``model``; ``listed`` are the make's models of that year."""
    ours, theirs = key(model), key(named)
    if not theirs or ours == theirs:
        return True
    names = {key(name): name for name in listed}
    if {ours, theirs} <= names.keys():
        return False
    names.setdefault(ours, model)
    if _bare(model) == _bare(named) or _same_series(ours, theirs):
        return True
    found = match_names(names.values(), named, make=make)
    return any(key(name) == ours for name in found) if found else _begins(ours, named)


def _bare(name: str) -> tuple[str, ...]:
    """Return the words of a name without those of its powertrain."""
    words = words_key(name)
    return tuple(word for word in words if word not in _POWERTRAIN) or words


def _same_series(ours: str, theirs: str) -> bool:
    """Return whether two BMW names belong to one series: "3 Series" is every 3xx; 328i and 328xi differ only in drive."""
    badges = _BADGE.fullmatch(ours), _BADGE.fullmatch(theirs)
    if all(badges):
        return ours[:3] == theirs[:3]
    series = _SERIES.fullmatch(ours) or _SERIES.fullmatch(theirs)
    badge = badges[0] or badges[1]
    return series is not None and badge is not None and series[1] == badge[1]


def _begins(ours: str, named: str) -> bool:
    first = (words_key(named) or ("",))[0]
    return bool(ours) and first.startswith(ours) and len(first) - len(ours) <= _SHORT

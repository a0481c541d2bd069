"""Advice on how to get a vehicle to a shop if it cannot or must not be driven."""

from collections.abc import Collection
from typing import Final

NO_START: Final = "no-start"
"""The vehicle does not start; the complaint does not say whether it cranks."""

JUMPED_IN_VAIN: Final = "jumped-in-vain"
"""A jump start was tried, and did not help."""

STAYS_PUT: Final = "stays-put"
"""The vehicle does not go into gear or out of park, or is an electric vehicle that does not drive."""

ENGINE_BROKE: Final = "engine-broke"
"""The timing belt or chain broke, so the engine must not be cranked."""

STARTS_AGAIN: Final = "starts-again"
"""It does start at other times: after a while, when it is cold, or in neutral."""

WAIT: Final = (
    "It starts again after a while or at another try: once it does, drive it straight to a shop, as it may not start the next time. "
    "If it stays dead, have it towed."
)
JUMP_START: Final = "It does not start: try a jump start, and if that does not help, have it towed."
TOW_IT_CRANKS: Final = "It cranks but does not start, so a jump start will not help: have it towed."
TOW_JUMPED: Final = "A jump start did not help: have it towed."
TOW_IT_STAYS: Final = "It does not move: have it towed."
TOW: Final = "Have it towed; do not drive it to a shop."

_STAYS: Final = frozenset({"transmission-no-move", "ev-no-drive", STAYS_PUT})
_CRANKS: Final = frozenset({"engine-cranks-no-start"})
_SILENT: Final = frozenset({"engine-no-crank", "clicking-no-start", NO_START})


def towing(present: Collection[str], *, stop: bool) -> str | None:
    """Return advice on getting a vehicle to a shop, or None if it can be driven there.

    Args:
        present: the slugs of present symptoms, and the constants of this module that apply.
        stop: whether the vehicle must not be driven.
    """
    if stop or ENGINE_BROKE in present:
        return TOW
    if not _STAYS.isdisjoint(present):
        return TOW_IT_STAYS
    if (
        STARTS_AGAIN in present
        and JUMPED_IN_VAIN not in present
        and not (_CRANKS | _SILENT).isdisjoint(present)
    ):
        return WAIT
    if not _CRANKS.isdisjoint(present):
        return TOW_IT_CRANKS
    if JUMPED_IN_VAIN in present:
        return TOW_JUMPED
    return None if _SILENT.isdisjoint(present) else JUMP_START

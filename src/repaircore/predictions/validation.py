"""Checks of a request that need a look-up, or say more than one sentence."""

from collections.abc import Callable
from typing import Final

from repaircore.facilities.zip_code import zip5
from repaircore.kernel.rules import sentence
from repaircore.pricing.model import PartsTier
from repaircore.vehicles import vin as vins

NO_SUCH_PROBLEM: Final = "must be the id or the slug of a repair"
NO_SUCH_ZIP: Final = "must be a US ZIP code that is in use"


def validate_vin(vin: str) -> list[str]:
    """Return a sentence for each way in which a VIN is wrong."""
    return vins.validate(vin)


def validate_zip(zip_code: str, is_in_use: Callable[[str], bool]) -> list[str]:
    """Return what is wrong with a well-formed ZIP code; a malformed one breaks its rule."""
    code = zip5(zip_code)
    return [] if code is None or is_in_use(code) else [sentence("zip_code", NO_SUCH_ZIP)]


def validate_tier(tier: object) -> list[str]:
    """Return what is wrong with a grade of parts; its case does not matter ("OEM")."""
    if tier is None or (isinstance(tier, str) and parts_tier(tier) is not None):
        return []
    return [sentence("parts_tier", f"must be one of: {', '.join(PartsTier)}")]


def parts_tier(text: str) -> PartsTier | None:
    """Return the grade of parts that a text names, in any case; None when it names none."""
    return next((tier for tier in PartsTier if tier == text.casefold()), None)

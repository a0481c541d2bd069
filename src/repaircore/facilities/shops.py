"""Shops as they are kept: what is told of them in one spelling."""

from attrs import evolve

from repaircore.facilities.model import Facility, FacilityFields
from repaircore.facilities.states import country_code, is_home, state_code
from repaircore.facilities.zip_code import zip5
from repaircore.kernel.audit import AuditState
from repaircore.kernel.money import dollars_or_none
from repaircore.kernel.spelling import key


def settled(shop: FacilityFields) -> FacilityFields:
    """Give a shop in one spelling: no spaces around, no empty texts, two letters for what is a state."""
    country = country_code(_text(shop.country))
    state = _text(shop.state)
    return evolve(
        shop,
        name=shop.name.strip(),
        city=_text(shop.city),
        state=state_code(state) if is_home(country) else state,
        zip_code=_text(shop.zip_code),
        country=country,
    )


def home_zip(shop: FacilityFields) -> str | None:
    """Give the five digits of a ZIP code in the United States; abroad five digits are something else."""
    return zip5(shop.zip_code) if shop.zip_code is not None and is_home(shop.country) else None


def identity(shop: FacilityFields) -> tuple[str | None, ...]:
    """Give what a shop is recognized by: its name and ZIP code; without one, its name and city."""
    if shop.zip_code is None:
        return key(shop.name), None, key(shop.city or ""), shop.state
    return key(shop.name), home_zip(shop) or key(shop.zip_code)


def shop_of(facility: Facility) -> FacilityFields:
    """Give what is told of a kept shop."""
    return FacilityFields(
        name=facility.name,
        city=facility.city,
        state=facility.state,
        zip_code=facility.zip_code,
        country=facility.country,
        avg_labor_rate=facility.avg_labor_rate,
    )


def shown(facility: Facility) -> AuditState:
    """Give a shop as the audit tells of it."""
    return {
        "facility_name": facility.name,
        "city": facility.city,
        "state": facility.state,
        "zip_code": facility.zip_code,
        "country": facility.country,
        "avg_labor_rate": dollars_or_none(facility.avg_labor_rate),
        "sample_size": facility.sample_size,
    }


def _text(text: str | None) -> str | None:
    return (text.strip() or None) if text is not None else None

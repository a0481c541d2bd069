"""The normalized form of stored facilities, and what identifies them."""

from attrs import evolve

from repaircore.facilities.model import Facility, FacilityFields
from repaircore.facilities.states import country_code, is_home, state_code
from repaircore.facilities.zip_code import zip5
from repaircore.kernel.audit import AuditState
from repaircore.kernel.money import dollars_or_none
from repaircore.kernel.spelling import key
from repaircore.kernel.texts import stripped


def normalized(fields: FacilityFields) -> FacilityFields:
    """Return the fields in normalized form.

    Strings are stripped, and empty ones become None; the United States becomes ``US``, and its states become two-letter
    codes.
    """
    country = country_code(stripped(fields.country))
    state = stripped(fields.state)
    return evolve(
        fields,
        name=fields.name.strip(),
        city=stripped(fields.city),
        state=state_code(state) if is_home(country) else state,
        zip_code=stripped(fields.zip_code),
        country=country,
    )


def home_zip(fields: FacilityFields) -> str | None:
    """Return the five digits of a US ZIP code, or None if there is none; abroad, five digits mean something else."""
    return zip5(fields.zip_code) if fields.zip_code is not None and is_home(fields.country) else None


def identity(fields: FacilityFields) -> tuple[str | None, ...]:
    """Return what identifies a facility: its name and ZIP code or, without one, its name, city and state."""
    if fields.zip_code is None:
        return key(fields.name), None, key(fields.city or ""), fields.state
    return key(fields.name), home_zip(fields) or key(fields.zip_code)


def fields_of(facility: Facility) -> FacilityFields:
    """Return the entered fields of a facility."""
    return FacilityFields(
        name=facility.name,
        city=facility.city,
        state=facility.state,
        zip_code=facility.zip_code,
        country=facility.country,
        avg_labor_rate=facility.avg_labor_rate,
    )


def audit_state(facility: Facility) -> AuditState:
    """Return a facility as the audit log records it."""
    return {
        "facility_name": facility.name,
        "city": facility.city,
        "state": facility.state,
        "zip_code": facility.zip_code,
        "country": facility.country,
        "avg_labor_rate": dollars_or_none(facility.avg_labor_rate),
        "sample_size": facility.sample_size,
    }

"""The directory's use cases, on both databases."""

from collections.abc import Mapping
from typing import Any

import pytest
from attrs import evolve
from typing_extensions import override

from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.adapters.sql.providers import SqlBusinesses
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Conflict, Forbidden, Invalid, NotFound

CELLS = {
    "name": "Capital Towing",
    "phone": "614 555 0150",
    "ride_types": "Flatbed",
    "latitude": "39.96",
    "longitude": "-83",
    "time_zone": "America/New_York",
}


class BusyBusinesses(SqlBusinesses):
    """Businesses that all have rides."""

    @override
    def count_references(self, provider_id: int) -> Mapping[str, int]:
        return {"tow": 2}


def busy_businesses(work: Any) -> BusyBusinesses:
    assert isinstance(work, SqlWork)
    return BusyBusinesses(work.connection)


def test_remove_deactivates_a_business_with_rides(core: Core) -> None:
    business = core.businesses.add(CELLS)
    directory = evolve(core.businesses, providers_in=busy_businesses)

    assert not directory.remove(business.ref)

    deactivated = core.businesses.get(business.ref)

    assert (deactivated.active, deactivated.version) == (False, 2)
    assert not directory.remove(business.ref)
    assert core.businesses.get(business.ref) == deactivated
    assert core.businesses.remove(business.ref)

    with pytest.raises(NotFound):
        core.businesses.get(business.ref)


def test_add_of_a_stored_phone_is_a_conflict(core: Core) -> None:
    core.businesses.add(CELLS)
    with pytest.raises(Conflict, match="There is already a business with the phone"):
        core.businesses.add({**CELLS, "phone": "+1 (614) 555-0150"})

    assert len(list(core.businesses.all())) == 1


def test_directory_is_changed_by_admins_only(core: Core) -> None:
    user = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SESSION)
    business = core.businesses.add(CELLS)
    for change in (
        lambda: core.businesses.add(CELLS, user),
        lambda: core.businesses.remove(business.ref, user),
    ):
        with pytest.raises(Forbidden):
            change()


def test_directory_separates_environments(core: Core) -> None:
    test = evolve(LOCAL, environment=Environment.TEST)
    business = core.businesses.add(CELLS, test)
    for access in (core.businesses.get, core.businesses.remove):
        with pytest.raises(NotFound):
            access(business.ref)

    assert core.businesses.get(business.ref, test) == business
    assert list(core.businesses.all()) == []


def test_add_reports_every_bad_field(core: Core) -> None:
    with pytest.raises(Invalid) as caught:
        core.businesses.add({**CELLS, "ride_types": "Carpet", "latitude": "", "hours": "x"})

    assert set(caught.value.fields) == {"ride_types", "latitude", "hours"}

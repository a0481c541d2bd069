"""The directory's use cases, on both databases."""

from collections.abc import Mapping
from typing import Any

import pytest
from attrs import evolve
from typing_extensions import override

from repaircore.adapters.sql.businesses import SqlBusinesses
from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.bootstrap import Core
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


class Sent(SqlBusinesses):
    """Businesses that were all sent somewhere."""

    @override
    def referents(self, provider_id: int) -> Mapping[str, int]:
        return {"tow": 2}


def sent(work: Any) -> Sent:
    assert isinstance(work, SqlWork)
    return Sent(work.connection)


def test_who_was_sent_somewhere_is_kept_and_gets_no_more_requests(core: Core) -> None:
    kept = core.businesses.add(CELLS)
    directory = evolve(core.businesses, kept_in=sent)
    assert not directory.remove(kept.ref)
    now = core.businesses.show(kept.ref)
    assert (now.active, now.version) == (False, 2)
    assert not directory.remove(kept.ref)
    assert core.businesses.show(kept.ref) == now
    assert core.businesses.remove(kept.ref)
    with pytest.raises(NotFound):
        core.businesses.show(kept.ref)


def test_a_known_phone_is_a_conflict(core: Core) -> None:
    core.businesses.add(CELLS)
    with pytest.raises(Conflict, match="is known already"):
        core.businesses.add({**CELLS, "phone": "+1 (614) 555-0150"})
    assert len(list(core.businesses.all())) == 1


def test_only_admins_change_it(core: Core) -> None:
    user = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SESSION)
    kept = core.businesses.add(CELLS)
    for change in (lambda: core.businesses.add(CELLS, user), lambda: core.businesses.remove(kept.ref, user)):
        with pytest.raises(Forbidden):
            change()


def test_environments_are_kept_apart(core: Core) -> None:
    test = evolve(LOCAL, environment=Environment.TEST)
    kept = core.businesses.add(CELLS, test)
    for look in (core.businesses.show, core.businesses.remove):
        with pytest.raises(NotFound):
            look(kept.ref)
    assert core.businesses.show(kept.ref, test) == kept
    assert list(core.businesses.all()) == []


def test_every_bad_field_is_named(core: Core) -> None:
    with pytest.raises(Invalid) as refused:
        core.businesses.add({**CELLS, "ride_types": "Carpet", "latitude": "", "hours": "x"})
    assert set(refused.value.fields) == {"ride_types", "latitude", "hours"}

"""The directory of mechanics on both databases."""

import io
from datetime import date

import pytest
from attrs import evolve
from tests.contracts.appointments import MONDAY, a_booking, a_customer, a_mechanic
from tests.contracts.partners import add_partner
from tests.threads import at_once

from repaircore.adapters.sql.engine.database import Database
from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.imports import ImportResult, Upload
from repaircore.mechanics.csv_file import HEAD, row_of
from repaircore.mechanics.errors import MechanicNotFound
from repaircore.testing.clock import FrozenClock

LIVE, TEST = Environment.LIVE, Environment.TEST
FULL = {
    "name": "Main Street Garage", "email": "desk@garage.example", "phone": "+1 614 555 0123", "address": "1 Main St",
    "city": "Columbus", "zip_code": "43215", "services": "oil change; brakes", "slot_minutes": "30", "capacity": "2",
    "hours": "mon-fri 08:00-12:00,13:00-17:00", "exceptions": "2026-12-25 closed; 2026-12-24 08:00-12:00",
    "state": "", "time_zone": "",
}  # fmt: skip


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


def brought_in(core: Core, *rows: str, environment: Environment = LIVE) -> ImportResult:
    text = "\n".join([",".join(HEAD), *rows]) + "\n"
    return core.mechanics.import_file(
        Upload(name="mechanics.csv", content=io.BytesIO(text.encode()), environment=environment)
    )


def row(name: str, ref: str = "", *, hours: str = "", city: str = "Columbus") -> str:
    return f"{ref},{name},,,,{city},OH,,America/New_York,,{hours},,,"


def test_a_mechanic_comes_back_as_it_was_kept(core: Core) -> None:
    full, bare = a_mechanic(core, LIVE, **FULL), a_mechanic(core, LIVE)

    assert core.mechanics.find(LIVE, full.ref) == full
    assert core.mechanics.find(LIVE, bare.ref) == bare
    assert full.profile.state == "OH"
    assert list(core.mechanics.all(LIVE)) == [full, bare]


def test_each_environment_has_a_directory_of_its_own(core: Core) -> None:
    here = a_mechanic(core, LIVE)

    with pytest.raises(MechanicNotFound):
        core.mechanics.find(TEST, here.ref)
    with pytest.raises(MechanicNotFound):
        core.mechanics.remove(here.ref, TEST)
    assert list(core.mechanics.all(TEST)) == []


def test_mechanics_are_found_by_state_and_service_page_by_page(core: Core) -> None:
    brakes = [a_mechanic(core, LIVE, name=f"B{number}", services="Brakes") for number in range(3)]
    oil = a_mechanic(core, LIVE, name="Oil", services="oil change")
    a_mechanic(core, LIVE, name="Elsewhere", state="CA")

    assert list(core.mechanics.search(LIVE, state="oh")) == [*brakes, oil]
    assert list(core.mechanics.search(LIVE, state="OH", service="Oil-Change")) == [oil]
    second = core.mechanics.search(LIVE, state="OH", number=2, per_page=3)
    assert (list(second), second.total, second.last) == ([oil], 4, 2)
    assert list(core.mechanics.search(LIVE, state="OH", number=9)) == []
    assert list(core.mechanics.search(LIVE, state="OH", service="paint")) == []


def test_what_is_searched_for_wrongly_is_named(core: Core) -> None:
    with pytest.raises(Invalid) as refused:
        core.mechanics.search(LIVE, state="Ohio", service="!", number=0, per_page=51)
    assert set(refused.value.fields) == {"state", "service", "page", "per_page"}


def test_the_test_environment_has_made_up_mechanics_once_whoever_asks_first(core: Core) -> None:
    found = at_once(8, lambda: [one.ref for one in core.mechanics.search(TEST, state="TX")])

    assert all(refs == found[0] for refs in found)
    assert len(set(found[0])) == 3
    assert list(core.mechanics.search(LIVE, state="TX")) == []


def test_a_removed_mechanic_is_found_by_nobody_and_does_not_come_back_by_itself(core: Core) -> None:
    first, *others = core.mechanics.search(TEST, state="TX")
    core.mechanics.remove(first.ref, TEST)

    assert list(core.mechanics.search(TEST, state="TX")) == others
    for act in (core.mechanics.find, lambda environment, ref: core.mechanics.remove(ref, environment)):
        with pytest.raises(MechanicNotFound):
            act(TEST, first.ref)


@pytest.mark.parametrize(
    "ref", ["", "x", "apt_01m7wx6s0ce2jsmdd4rhxwsq51", "mec_01m7wx6s0ce2jsmdd4rhxwsq51", "mec_\0"]
)
def test_what_names_no_mechanic_finds_none(core: Core, ref: str) -> None:
    with pytest.raises(MechanicNotFound):
        core.mechanics.find(LIVE, ref)


def test_two_who_change_one_at_once_do_not_overwrite_each_other(core: Core) -> None:
    kept = a_mechanic(core, LIVE)
    with core.storage.transaction() as work:
        work.mechanics.replace(kept, evolve(kept, profile=evolve(kept.profile, name="A")))
    with pytest.raises(Conflict), core.storage.transaction() as work:
        work.mechanics.replace(kept, evolve(kept, profile=evolve(kept.profile, name="B")))
    assert core.mechanics.find(LIVE, kept.ref).profile.name == "A"


def test_a_file_adds_changes_and_recognizes(core: Core) -> None:
    first = brought_in(core, row("One"), row("Two"), row("one", city="columbus"))
    again = brought_in(core, row("ONE", hours="sat 08:00-12:00"), row("Three"))

    assert (first.added, first.updated, first.unchanged) == (2, 1, 0)
    assert (again.added, again.updated) == (1, 1)
    one, *others = core.mechanics.all(LIVE)
    assert one.profile.name == "ONE"
    assert one.profile.schedule.weekly[5] == ((480, 720),)
    assert len(others) == 2
    assert [entry.action for entry in core.audit.list_newest(limit=20)].count("mechanic.change") == 2


def test_a_refused_row_keeps_the_whole_file_out(core: Core) -> None:
    taken = brought_in(core, row("One"), row("Two", hours="whenever"))

    assert (taken.saved, taken.rejected) == (False, 1)
    assert list(core.mechanics.all(LIVE)) == []


def test_an_exported_directory_is_known_here_and_new_in_the_other_environment(core: Core) -> None:
    full = a_mechanic(core, LIVE, **FULL)
    line = ",".join(f'"{cell}"' for cell in row_of(full))

    here = brought_in(core, line)
    there = brought_in(core, line, environment=TEST)

    assert (here.unchanged, there.added) == (1, 1)
    (copy,) = core.mechanics.all(TEST)
    assert copy.ref != full.ref
    assert copy.profile == full.profile
    assert list(core.mechanics.all(LIVE)) == [full]


def test_a_reference_in_a_file_brings_a_removed_mechanic_back(core: Core) -> None:
    kept = a_mechanic(core, LIVE)
    core.mechanics.remove(kept.ref, LIVE)

    brought_in(core, row("Renamed", kept.ref))

    assert core.mechanics.find(LIVE, kept.ref).profile.name == "Renamed"


def test_slots_and_the_next_free_one_follow_what_is_booked(core: Core, database: Database) -> None:
    caller = add_partner(database)
    mechanic, ada = a_mechanic(core), a_customer(core, caller)
    before = core.mechanics.next_available(mechanic)
    core.appointments.book(a_booking(mechanic, ada, "08:00", "2026-03-02"), caller)
    core.appointments.book(a_booking(mechanic, ada, "10:00", "2026-03-02"), caller)

    after = core.mechanics.next_available(mechanic)
    slots = core.mechanics.slots(mechanic, date(2026, 3, 2))

    assert before is not None
    assert after is not None
    assert (before.time, after.time) == ("08:00", "09:00")
    assert [slot.time for slot, is_free in slots if not is_free] == ["08:00", "10:00"]
    assert len(slots) == 9


@pytest.mark.parametrize("day", [date(2026, 3, 1), date(2027, 3, 3)])
def test_slots_are_told_of_the_year_to_come(core: Core, day: date) -> None:
    with pytest.raises(Invalid) as refused:
        core.mechanics.slots(a_mechanic(core), day)
    assert set(refused.value.fields) == {"date"}


def test_one_who_never_works_has_no_next_slot(core: Core) -> None:
    assert core.mechanics.next_available(a_mechanic(core, hours="mon closed")) is None

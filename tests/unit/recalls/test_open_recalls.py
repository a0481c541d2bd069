from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.fleet.signals import Signal, SignalKind, SignalSource
from repaircore.recalls.model import Recall, RecallSource
from repaircore.recalls.open_recalls import count_open_recalls, list_recalls
from repaircore.testing.builders import a_campaign, a_recalled_vehicle

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
REPORTED_AT = NOW - timedelta(days=100)
NUMBERS = tuple(f"2{year}V{number}01000" for year in range(6) for number in range(3))


def recall(number: str, **changes: Any) -> Recall:
    campaign = evolve(a_campaign(campaign=number), **changes)
    return Recall(campaign=campaign, vehicle=a_recalled_vehicle(campaign=number))


def count(value: int) -> Signal:
    return Signal(kind=SignalKind.OPEN_RECALLS, value=value, source=SignalSource.OWNER, at=REPORTED_AT)


def test_list_recalls_merges_two_sources_of_a_campaign() -> None:
    bare = recall("24V901000", remedy=None, park_it=None, source=RecallSource.LIST, summary="Cut of")
    full = recall("24V901000", summary="Cut off no longer.", park_it=True, source=RecallSource.API)
    for result in ([bare, full], [full, bare]):
        (entry,) = list_recalls(result, {})
        assert (entry.campaign.summary, entry.campaign.park_it) == ("Cut off no longer.", True)
        assert set(entry.sources) == {RecallSource.LIST, RecallSource.API}


def test_list_recalls_merges_the_components_of_several_models() -> None:
    first = recall("24V901000")
    hybrid = evolve(first.vehicle, model="ACCORD HYBRID", component="ENGINE")
    (entry,) = list_recalls([first, evolve(first, vehicle=hybrid)], {})

    assert entry.vehicle.component == "ENGINE; FUEL SYSTEM"


@given(st.lists(st.sampled_from(NUMBERS)), st.sets(st.sampled_from(NUMBERS)))
def test_list_recalls_has_each_campaign_once_and_open_until_marked(
    results: list[str], marked: set[str]
) -> None:
    entries = list_recalls([recall(number) for number in results], dict.fromkeys(marked, NOW))
    assert sorted(entry.number for entry in entries) == sorted(set(results))
    counted = count_open_recalls(entries, None, now=NOW)

    assert counted is not None
    assert (counted.count, counted.confirmed) == (len(set(results) - marked), False)


@given(
    st.none() | st.integers(0, 5),
    st.dictionaries(st.sampled_from(NUMBERS), st.booleans(), min_size=1),
    st.sets(st.sampled_from(NUMBERS)),
    st.sampled_from(NUMBERS),
)
def test_count_open_recalls_never_rises_with_a_mark(
    results: int | None, campaigns: dict[str, bool], marked: set[str], also: str
) -> None:
    recalls = [recall(number, park_it=park_it) for number, park_it in campaigns.items()]
    signal = None if results is None else count(results)
    before, after = (
        count_open_recalls(list_recalls(recalls, dict.fromkeys(marks, NOW)), signal, now=NOW)
        for marks in (marked, marked | {also})
    )

    assert before is not None
    assert after is not None
    assert after.count <= before.count
    assert after.park_it <= before.park_it


def test_count_open_recalls_is_unknown_without_sources() -> None:
    assert count_open_recalls(None, None, now=NOW) is None
    counted = count_open_recalls([], None, now=NOW)

    assert counted is not None
    assert counted.count == 0


def test_count_open_recalls_replaces_the_list_by_a_reported_count() -> None:
    old = recall("23V123000", reported_on=date(2023, 5, 1), park_it=True)
    none_open = count_open_recalls(list_recalls([old], {}), count(0), now=NOW)
    assert none_open is not None
    assert (none_open.count, none_open.park_it, none_open.confirmed) == (0, False, True)
    new = recall("25V999000", reported_on=NOW.date())
    one_open = count_open_recalls(list_recalls([old, new], {}), count(0), now=NOW)
    assert one_open is not None
    assert one_open.count == 1
    settled = count_open_recalls(
        list_recalls([old, new], {"23V123000": NOW, "25V999000": NOW}), count(1), now=NOW
    )
    assert settled is not None
    assert settled.count == 0
    told_alone = count_open_recalls(None, count(2), now=NOW)

    assert told_alone is not None
    assert told_alone.count == 2


@pytest.mark.parametrize(("after", "left"), [(-1, 2), (0, 2), (1, 1)])
def test_count_open_recalls_subtracts_marks_made_after_the_report(after: int, left: int) -> None:
    marked_at = REPORTED_AT + timedelta(microseconds=after)
    old = recall("23V123000", reported_on=REPORTED_AT.date())
    counted = count_open_recalls(list_recalls([old], {"23V123000": marked_at}), count(2), now=NOW)

    assert counted is not None
    assert counted.count == left


@pytest.mark.parametrize(("days", "open_ones"), [(0, 2), (1, 3)])
def test_count_open_recalls_adds_recalls_after_the_day_of_the_report(days: int, open_ones: int) -> None:
    recalls = [
        recall("23V123000", reported_on=REPORTED_AT.date() + timedelta(days=days)),
        recall("23V124000", reported_on=None),
    ]
    counted = count_open_recalls(list_recalls(recalls, {}), count(2), now=NOW)

    assert counted is not None
    assert counted.count == open_ones


def test_list_recalls_is_newest_first() -> None:
    days = {
        "24V000001": date(2024, 5, 1),
        "23V000001": date(2024, 6, 1),
        "25V000001": None,
        "24V000002": date(2024, 5, 1),
    }
    found = list_recalls([recall(number, reported_on=on) for number, on in days.items()], {})

    assert [one.number for one in found] == ["23V000001", "24V000002", "24V000001", "25V000001"]


@pytest.mark.parametrize(
    ("number_of_advice", "marked", "park_it"),
    [(0, set(), False), (1, set(), True), (1, {"24V000000"}, False), (2, {"24V000000"}, True)],
)
def test_count_open_recalls_advises_against_driving_for_one_that_is_open(
    number_of_advice: int, marked: set[str], *, park_it: bool
) -> None:
    recalls = [recall(f"24V00000{at}", park_it=at < number_of_advice) for at in range(3)]
    found = count_open_recalls(list_recalls(recalls, dict.fromkeys(marked, NOW)), None, now=NOW)

    assert found is not None
    assert (found.park_it, found.count, found.confirmed, found.as_of) == (
        park_it,
        3 - len(marked),
        False,
        NOW,
    )


@pytest.mark.parametrize(
    ("recalls", "is_complete", "expected"), [(0, True, 0), (0, False, None), (1, False, 1), (1, True, 1)]
)
def test_count_open_recalls_of_some_years_says_nothing_without_one(
    recalls: int, expected: int | None, *, is_complete: bool
) -> None:
    listed = list_recalls([recall(f"24V00000{at}") for at in range(recalls)], {})
    found = count_open_recalls(listed, None, now=NOW, is_complete=is_complete)

    assert (None if found is None else found.count) == expected


def test_reported_count_of_none_lifts_the_advice_against_driving() -> None:
    old = REPORTED_AT.date() - timedelta(days=1)
    listed = list_recalls([recall("24V000001", park_it=True, reported_on=old)], {})
    none, one = (count_open_recalls(listed, count(value), now=NOW) for value in (0, 1))

    assert none is not None
    assert one is not None
    assert (none.count, none.park_it, one.count, one.park_it) == (0, False, 1, True)
    assert (none.confirmed, none.as_of) == (True, REPORTED_AT)

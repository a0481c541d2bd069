"""The client of NHTSA's recall service against a misbehaving one."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any, TypeAlias

import pytest

from repaircore.adapters.lookups.recalls_live import FRESH, NhtsaRecalls
from repaircore.adapters.outbound.circuit import OPENS_AFTER
from repaircore.recalls.errors import RecallSourceUnavailable
from repaircore.recalls.model import Campaign, Recall, RecalledVehicle, RecallSource
from repaircore.testing.clock import FrozenClock
from repaircore.testing.upstream import (
    BIG_BODY,
    DEEP,
    DRIP,
    DRIPPING_HEADERS,
    HANG,
    HTML,
    INVALID_UTF8,
    REDIRECT,
    RESET,
    Behavior,
    Body,
    MisbehavingUpstream,
    Raw,
    Status,
)

PATH = "/recalls/recallsByVehicle"
VEHICLE: dict[str, Any] = {"make": "Honda", "model": "CR-V", "year": 2019}
GRACE = 3.0

Ask: TypeAlias = Callable[..., NhtsaRecalls]

ROW = {
    "Manufacturer": "Honda (American Honda Motor Co.)",
    "NHTSACampaignNumber": "24V901000",
    "parkIt": False,
    "parkOutSide": True,
    "overTheAirUpdate": False,
    "ReportReceivedDate": "31/01/2024",
    "Component": "FUEL SYSTEM,  GASOLINE",
    "Summary": "The pump may seize.",
    "Consequence": "The engine may stall.",
    "Remedy": "Dealers will replace it.",
    "Notes": "",
    "ModelYear": "2019",
    "Make": "HONDA",
    "Model": "CR-V",
}
RECALL = Recall(
    campaign=Campaign(
        campaign="24V901000",
        summary="The pump may seize.",
        consequence="The engine may stall.",
        remedy="Dealers will replace it.",
        park_it=False,
        park_outside=True,
        reported_on=date(2024, 1, 31),
        source=RecallSource.API,
    ),
    vehicle=RecalledVehicle(
        campaign="24V901000", make="Honda", model="CR-V", year=2019, component="FUEL SYSTEM, GASOLINE"
    ),
)


def rows(*result: Any) -> Body:
    document = {"Count": len(result), "Message": "Results returned successfully", "results": list(result)}
    return Body(json.dumps(document).encode())


def row(**changes: Any) -> Body:
    """Answer with the recall and some changed members; ``...`` leaves one out."""
    return rows({name: value for name, value in {**ROW, **changes}.items() if value is not ...})


@pytest.fixture
def upstream() -> Iterator[MisbehavingUpstream]:
    with MisbehavingUpstream() as server:
        yield server


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def ask(upstream: MisbehavingUpstream, clock: FrozenClock) -> Ask:
    def build(*behaviors: Behavior, seconds: float = 20) -> NhtsaRecalls:
        upstream.behave(PATH, *behaviors)
        return NhtsaRecalls.at(upstream.url, clock=clock, seconds=seconds)

    return build


def test_of_sends_make_model_and_year_only(upstream: MisbehavingUpstream, ask: Ask) -> None:
    assert ask(row()).of(make="Honda", model="CR-V & more", year=2019) == [RECALL]
    (sent,) = upstream.received()

    assert (sent.method, sent.path, sent.body) == ("GET", PATH, b"")
    assert sent.query == "make=Honda&model=CR-V+%26+more&modelYear=2019"


def test_of_maps_missing_fields_to_none(ask: Ask) -> None:
    named = {"NHTSACampaignNumber": "24v901", "Summary": None}
    (result,) = ask(rows(named)).of(**VEHICLE)

    assert result.vehicle == RecalledVehicle(
        campaign="24V901000", make="Honda", model="CR-V", year=2019, component=None
    )
    campaign = result.campaign
    assert (campaign.summary, campaign.park_it, campaign.reported_on) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("01/02/2024", date(2024, 2, 1)),
        ("01/31/2024", date(2024, 1, 31)),
        ("1/2/2024", date(2024, 2, 1)),
        ("31/31/2024", None),
        ("30/02/2024", None),
        ("2024", None),
    ],
)
def test_of_parses_days_day_first_unless_impossible(ask: Ask, text: str, day: date | None) -> None:
    (result,) = ask(row(ReportReceivedDate=text)).of(**VEHICLE)

    assert result.campaign.reported_on == day


def test_of_returns_no_recalls(ask: Ask) -> None:
    assert ask(rows()).of(**VEHICLE) == []


@pytest.mark.parametrize(
    ("behavior", "reason"),
    [
        (row(NHTSACampaignNumber=...), "an invalid campaign number"),
        (row(NHTSACampaignNumber="24V9010000"), "an invalid campaign number"),
        (row(NHTSACampaignNumber="<script>"), "an invalid campaign number"),
        (row(NHTSACampaignNumber=24), "an unknown format"),
        (row(ModelYear="2018"), "a different model year"),
        (row(Summary=["x"]), "an unknown format"),
        (row(Summary="x" * 10_001), "an unknown format"),
        (row(parkIt="yes"), "an unknown format"),
        (row(ReportReceivedDate=20240131), "an unknown format"),
        (rows("24V901000"), "an unknown format"),
        (rows(*[ROW] * 501), "too many recalls"),
        (Body(b"[]"), "an unknown format"),
        (Body(b"{}"), "an unknown format"),
        (Body(b'{"results": null}'), "an unknown format"),
        (Body(b'{"results": {"x": 1}}'), "an unknown format"),
        (Body(b""), "not JSON"),
        (HTML, "not JSON"),
        (INVALID_UTF8, "not JSON"),
        (DEEP, "not JSON|too long"),
        (BIG_BODY, "too long"),
        (Body(b"xx", {"content-encoding": "gzip"}), "compressed"),
        (REDIRECT, "redirect"),
        (RESET, "the connection broke"),
        (Raw(b"SSH-2.0-what\r\n"), "the connection broke"),
        (Status(403), "the credentials were rejected"),
        (Status(404), "status 404"),
        (Status(429), "rate limit exceeded"),
        (Status(500), "status 500"),
    ],
)
def test_of_maps_invalid_answers_to_unavailable(ask: Ask, behavior: Behavior, reason: str) -> None:
    with pytest.raises(RecallSourceUnavailable, match=reason) as failed:
        ask(behavior).of(**VEHICLE)

    assert "127.0.0.1" not in failed.value.message


@pytest.mark.parametrize("behavior", [HANG, DRIPPING_HEADERS, DRIP], ids=["hang", "drip-header", "drip-body"])
def test_of_gives_up_on_a_slow_service(ask: Ask, behavior: Behavior) -> None:
    service = ask(behavior, seconds=0.3)
    started = time.monotonic()
    with pytest.raises(RecallSourceUnavailable, match=r"no response within 0\.3 s"):
        service.of(**VEHICLE)

    assert time.monotonic() - started < 0.3 + GRACE


def test_of_caches_answers_for_a_while(ask: Ask, upstream: MisbehavingUpstream, clock: FrozenClock) -> None:
    service = ask(row())
    assert service.of(**VEHICLE) == service.of(make="HONDA", model="crv", year=2019) == [RECALL]
    assert upstream.requests() == 1
    clock.advance(FRESH + timedelta(seconds=1))
    service.of(**VEHICLE)

    assert upstream.requests() == 2


def test_of_does_not_cache_failures(ask: Ask, upstream: MisbehavingUpstream) -> None:
    service = ask(Status(404), row())
    with pytest.raises(RecallSourceUnavailable):
        service.of(**VEHICLE)

    assert service.of(**VEHICLE) == [RECALL]
    assert upstream.requests() == 2


def test_failing_service_is_not_called_for_a_while(ask: Ask, upstream: MisbehavingUpstream) -> None:
    service = ask(Status(404))
    for _ in range(OPENS_AFTER + 3):
        with pytest.raises(RecallSourceUnavailable):
            service.of(**VEHICLE)

    assert upstream.requests() == OPENS_AFTER

"""Client for NHTSA's recall service, ``recallsByVehicle`` at api.nhtsa.gov, or for a compatible server.

The service is public and free. It receives make, model and year, never a VIN. Responses are not trusted: their
shape, lengths and campaign numbers are validated. One invalid row makes the whole response invalid, because a skipped
row would look like no recall.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from threading import Lock
from typing import Any, Final

from attrs import Factory, field, frozen
from typing_extensions import override

from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.spelling import key, make_key, make_name, model_name
from repaircore.kernel.types import Clock
from repaircore.recalls.errors import RecallSourceUnavailable
from repaircore.recalls.flat_file import campaign_number
from repaircore.recalls.model import Campaign, Recall, RecalledVehicle, RecallSource
from repaircore.recalls.ports import LiveRecalls

PUBLIC_URL: Final = "https://api.nhtsa.gov"
"""The URL of NHTSA's service."""

FRESH: Final = timedelta(hours=1)
"""How long responses are cached; failures are not cached."""

_PATH: Final = "/recalls/recallsByVehicle"
_MOST_BYTES: Final = 2 * 1024 * 1024
_MOST_RECALLS: Final = 500
_MOST_CACHED: Final = 2_000
_CAMPAIGN: Final = re.compile(r"\d\d[A-Z][0-9A-Z]{3}(\d{3})?", re.ASCII)
_DAY: Final = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})", re.ASCII)
_LONGEST: Final = 10_000
_MONTHS: Final = 12


class _InvalidResponse(Exception):
    """An invalid response; the message completes a sentence about the service: "returned …"."""


class _CachedRecalls:
    """The cached recalls by make, model and year."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.entries: dict[tuple[str, str, int], tuple[datetime, Sequence[Recall]]] = {}


@frozen(kw_only=True)
class NhtsaRecalls(LiveRecalls):
    """NHTSA's recall service; ``seconds`` is the time limit for a request."""

    clock: Clock
    service: Outbound
    seconds: float = 3.0
    _cache: _CachedRecalls = field(init=False, repr=False, eq=False, default=Factory(_CachedRecalls))

    @classmethod
    def at(cls, url: str = PUBLIC_URL, *, clock: Clock, seconds: float = 3.0) -> "NhtsaRecalls":
        """Return a client for the service at ``url``, by default NHTSA's."""
        return cls(clock=clock, service=Outbound(url=url, most_bytes=_MOST_BYTES), seconds=seconds)

    @override
    def of(self, *, make: str, model: str, year: int) -> Sequence[Recall]:
        cache_key = make_key(make), key(model), year
        cached = self._cached(cache_key)
        if cached is not None:
            return cached
        recalls = self._fetch(make, model, year)
        self._store(cache_key, recalls)
        return recalls

    def _fetch(self, make: str, model: str, year: int) -> Sequence[Recall]:
        query = {"make": make, "model": model, "modelYear": str(year)}
        try:
            response = self.service.get(_PATH, query=query, seconds=self.seconds)
            return [_recall(row, make=make, model=model, year=year) for row in _rows(response.body)]
        except NoAnswer as failure:
            raise RecallSourceUnavailable(f"The recall service failed: {failure.message}.") from None
        except _InvalidResponse as invalid:
            raise RecallSourceUnavailable(f"The recall service {invalid}.") from None

    def _cached(self, cache_key: tuple[str, str, int]) -> Sequence[Recall] | None:
        entry = self._cache.entries.get(cache_key)
        if entry is None:
            return None
        at, recalls = entry
        return recalls if self.clock() - at < FRESH else None

    def _store(self, cache_key: tuple[str, str, int], recalls: Sequence[Recall]) -> None:
        entries = self._cache.entries
        with self._cache.lock:
            entries.pop(cache_key, None)
            while len(entries) >= _MOST_CACHED:
                del entries[next(iter(entries))]  # the oldest
            entries[cache_key] = (self.clock(), recalls)


def _rows(body: bytes) -> Sequence[Mapping[str, Any]]:
    try:
        data = decode(body)
    except NotJsonError:
        raise _InvalidResponse("returned a response that is not JSON") from None
    rows = data.get("results", data.get("Results")) if isinstance(data, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _InvalidResponse("returned a response in an unknown format")
    if len(rows) > _MOST_RECALLS:
        raise _InvalidResponse("returned too many recalls")
    return rows


def _recall(row: Mapping[str, Any], *, make: str, model: str, year: int) -> Recall:
    number = (_text(row, "NHTSACampaignNumber") or "").upper()
    if not _CAMPAIGN.fullmatch(number):
        raise _InvalidResponse("returned an invalid campaign number")
    _require_year(row, year)
    campaign = Campaign(
        campaign=campaign_number(number),
        summary=_text(row, "Summary"),
        consequence=_text(row, "Consequence") or _text(row, "Conequence"),
        remedy=_text(row, "Remedy"),
        park_it=_bool(row, "parkIt"),
        park_outside=_bool(row, "parkOutSide"),
        reported_on=_day(_text(row, "ReportReceivedDate")),
        source=RecallSource.API,
    )
    vehicle = RecalledVehicle(
        campaign=campaign.campaign,
        make=make_name(_text(row, "Make") or make),
        model=model_name(_text(row, "Model") or model),
        year=year,
        component=_text(row, "Component"),
    )
    return Recall(campaign=campaign, vehicle=vehicle)


def _require_year(row: Mapping[str, Any], year: int) -> None:
    value = row.get("ModelYear")
    if value is not None and str(value) != str(year):
        raise _InvalidResponse("returned a recall for a different model year")


def _text(row: Mapping[str, Any], name: str) -> str | None:
    """Return the text of a field, or None if it is missing, null or blank."""
    value = row.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise _InvalidResponse("returned a response in an unknown format")
    return " ".join(value.replace("\0", " ").split()) or None


def _bool(row: Mapping[str, Any], name: str) -> bool | None:
    value = row.get(name)
    if value is not None and not isinstance(value, bool):
        raise _InvalidResponse("returned a response in an unknown format")
    return value


def _day(text: str | None) -> date | None:
    """Parse a date such as 31/01/2024, day first unless the month would be invalid; return None for anything else."""
    found = _DAY.fullmatch(text or "")
    if found is None:
        return None
    day, month, year = map(int, found.groups())
    if month > _MONTHS:
        day, month = month, day
    try:
        return date(year, month, day)
    except ValueError:
        return None

"""Recalls asked of NHTSA's service over HTTP: ``recallsByVehicle`` at api.nhtsa.gov, or a server that speaks like it.

The service is public and free. It is told make, model and year, never a VIN. Nothing in an answer is trusted: its
shape, its lengths and the form of its campaign numbers are checked; one row that is odd makes the whole answer
useless, for a recall that is left out would read as one that does not exist.
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
from repaircore.recalls.model import RecallCampaign, RecallSource
from repaircore.recalls.ports import LiveRecalls

PUBLIC_URL: Final = "https://api.nhtsa.gov"
"""Where NHTSA offers the service."""

FRESH: Final = timedelta(hours=1)
"""How long an answer is remembered; a failure is not."""

_PATH: Final = "/recalls/recallsByVehicle"
_MOST_BYTES: Final = 2 * 1024 * 1024
_MOST_RECALLS: Final = 500
_MOST_ANSWERS: Final = 2_000
_CAMPAIGN: Final = re.compile(r"\d\d[A-Z][0-9A-Z]{3}(\d{3})?", re.ASCII)
_DAY: Final = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})", re.ASCII)
_LONGEST: Final = 10_000
_MONTHS: Final = 12


class _InvalidResponse(Exception):
    """An answer that is of no use, with the reason why."""


class _CachedRecalls:
    """The latest answers, by what was asked."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.answers: dict[tuple[str, str, int], tuple[datetime, Sequence[RecallCampaign]]] = {}


@frozen(kw_only=True)
class NhtsaRecalls(LiveRecalls):
    """Ask NHTSA, who have ``seconds`` for each question."""

    clock: Clock
    service: Outbound
    seconds: float = 3.0
    _remembered: _CachedRecalls = field(init=False, repr=False, eq=False, default=Factory(_CachedRecalls))

    @classmethod
    def at(cls, url: str = PUBLIC_URL, *, clock: Clock, seconds: float = 3.0) -> "NhtsaRecalls":
        """Build the client of the service at an address; without one, NHTSA's."""
        return cls(clock=clock, service=Outbound(url=url, most_bytes=_MOST_BYTES), seconds=seconds)

    @override
    def of(self, *, make: str, model: str, year: int) -> Sequence[RecallCampaign]:
        asked = make_key(make), key(model), year
        known = self._known(asked)
        if known is not None:
            return known
        told = self._ask(make, model, year)
        self._remember(asked, told)
        return told

    def _ask(self, make: str, model: str, year: int) -> Sequence[RecallCampaign]:
        query = {"make": make, "model": model, "modelYear": str(year)}
        try:
            reply = self.service.get(_PATH, query=query, seconds=self.seconds)
            return [_recall(row, make=make, model=model, year=year) for row in _rows(reply.body)]
        except NoAnswer as failure:
            raise RecallSourceUnavailable(f"The recall service failed: {failure.message}.") from None
        except _InvalidResponse as refused:
            raise RecallSourceUnavailable(f"The recall service {refused}.") from None

    def _known(self, asked: tuple[str, str, int]) -> Sequence[RecallCampaign] | None:
        kept = self._remembered.answers.get(asked)
        if kept is None:
            return None
        at, told = kept
        return told if self.clock() - at < FRESH else None

    def _remember(self, asked: tuple[str, str, int], told: Sequence[RecallCampaign]) -> None:
        kept = self._remembered
        with kept.lock:
            kept.answers.pop(asked, None)
            while len(kept.answers) >= _MOST_ANSWERS:
                del kept.answers[next(iter(kept.answers))]
            kept.answers[asked] = (self.clock(), told)


def _rows(body: bytes) -> Sequence[Mapping[str, Any]]:
    try:
        answer = decode(body)
    except NotJsonError:
        raise _InvalidResponse("answered with something that is not JSON") from None
    rows = answer.get("results", answer.get("Results")) if isinstance(answer, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _InvalidResponse("answered in an unknown shape")
    if len(rows) > _MOST_RECALLS:
        raise _InvalidResponse("answered with too many recalls")
    return rows


def _recall(row: Mapping[str, Any], *, make: str, model: str, year: int) -> RecallCampaign:
    number = (_text(row, "NHTSACampaignNumber") or "").upper()
    if not _CAMPAIGN.fullmatch(number):
        raise _InvalidResponse("answered with an impossible campaign number")
    _require_year(row, year)
    return RecallCampaign(
        campaign=campaign_number(number),
        make=make_name(_text(row, "Make") or make),
        model=model_name(_text(row, "Model") or model),
        year=year,
        component=_text(row, "Component"),
        summary=_text(row, "Summary"),
        consequence=_text(row, "Consequence") or _text(row, "Conequence"),
        remedy=_text(row, "Remedy"),
        park_it=_truth(row, "parkIt"),
        park_outside=_truth(row, "parkOutSide"),
        reported_on=_day(_text(row, "ReportReceivedDate")),
        source=RecallSource.API,
    )


def _require_year(row: Mapping[str, Any], year: int) -> None:
    told = row.get("ModelYear")
    if told is not None and str(told) != str(year):
        raise _InvalidResponse("answered about another model year")


def _text(row: Mapping[str, Any], name: str) -> str | None:
    """Give a field's text; missing, null and blank are nothing."""
    told = row.get(name)
    if told is None:
        return None
    if not isinstance(told, str) or len(told) > _LONGEST:
        raise _InvalidResponse("answered in an unknown shape")
    return " ".join(told.replace("\0", " ").split()) or None


def _truth(row: Mapping[str, Any], name: str) -> bool | None:
    told = row.get(name)
    if told is not None and not isinstance(told, bool):
        raise _InvalidResponse("answered in an unknown shape")
    return told


def _day(told: str | None) -> date | None:
    """Read 31/01/2024, the day first unless that cannot be; what is no day is not told."""
    found = _DAY.fullmatch(told or "")
    if found is None:
        return None
    day, month, year = map(int, found.groups())
    if month > _MONTHS:
        day, month = month, day
    try:
        return date(year, month, day)
    except ValueError:
        return None

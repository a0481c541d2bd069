"""Cases: what somebody described, what was suggested, and which repair it was in the end."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.diagnosis.model import Diagnosis
from repaircore.kernel.callers import Environment

_SUGGESTED: Final = 5
_FIRST: Final = 3
_SERVICES: Final = frozenset({"maintenance", "inspection-and-diagnosis"})
"""Categories of what is done to a car whatever its owner complains of."""


class CaseSource(StrEnum):
    """Where a case comes from."""

    DIAGNOSIS = "diagnosis"
    CHAT = "chat"
    QUESTIONNAIRE = "questionnaire"


class ConfirmedBy(StrEnum):
    """How the repair of a case is known: somebody said so, or an invoice for the same car names it."""

    OPERATOR = "operator"
    INVOICE = "invoice"


@frozen(kw_only=True)
class Case:
    """A diagnosis that was made, and what became of it.

    Args:
        reference: the diagnosis's own, a chat's session or a submission's reference.
        owner_id: the user's id; 0 is the installation itself, None somebody without an account.
        text: what was described.
        car: tells the car from others that are built alike (``transactions.cars.car_of``); None when no VIN was given.
        suggested: the slugs of the repairs that were suggested, the likeliest first.
        confidence: how likely the first one was, in percent.
        repair: the slug of the repair that it was; None while that is not known.
    """

    reference: str
    environment: Environment
    owner_id: int | None
    source: CaseSource
    text: str
    car: int | None
    suggested: tuple[str, ...]
    confidence: float
    created_at: datetime
    repair: str | None = None
    confirmed_by: ConfirmedBy | None = None
    confirmed_at: datetime | None = None


@frozen
class InvoicedRepair:
    """The slugs of a repair that a car was invoiced for, and of its category."""

    repair: str
    category: str


@frozen(kw_only=True)
class Accuracy:
    """How past diagnoses met what was repaired: ``first`` and ``first_three`` of ``confirmed``, out of ``cases``.

    ``stated`` is the mean probability, in percent, of the first repairs of those that are confirmed.
    """

    cases: int
    confirmed: int
    first: int
    first_three: int
    stated: float | None


def suggested_by(diagnosis: Diagnosis) -> tuple[tuple[str, ...], float]:
    """Return the slugs of the likeliest repairs, and how likely the first is, in percent."""
    likely = diagnosis.candidates[:_SUGGESTED]
    return tuple(one.problem.slug for one in likely), likely[0].confidence if likely else 0.0


def repair_of(case: Case, invoiced: Iterable[InvoicedRepair]) -> str | None:
    """Return which repair a case was, of those that its car was invoiced for, the earliest first; None when that is open.

    A repair that was suggested comes before others. A service, such as an oil change, is no answer to a complaint unless
    it was suggested: most cars get one sooner or later.
    """
    repairs = list(invoiced)
    suggested = (one.repair for one in repairs if one.repair in case.suggested)
    others = (one.repair for one in repairs if one.category not in _SERVICES)
    return next(suggested, None) or next(others, None)


def accuracy_of(cases: int, confirmed: Iterable[Case]) -> Accuracy:
    """Count how often the repair that it was had been suggested."""
    known = list(confirmed)
    stated = [one.confidence for one in known]
    return Accuracy(
        cases=cases,
        confirmed=len(known),
        first=sum(one.repair in one.suggested[:1] for one in known),
        first_three=sum(one.repair in one.suggested[:_FIRST] for one in known),
        stated=round(sum(stated) / len(stated), 1) if stated else None,
    )

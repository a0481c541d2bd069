"""Cases: a description, the repairs that were suggested, and the actual repair."""

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
"""Categories of work that is done to a car regardless of complaints."""


class CaseSource(StrEnum):
    """Where a case comes from."""

    DIAGNOSIS = "diagnosis"
    CHAT = "chat"
    QUESTIONNAIRE = "questionnaire"


class ConfirmedBy(StrEnum):
    """What confirmed the actual repair of a case: an operator, or an invoice for the same car."""

    OPERATOR = "operator"
    INVOICE = "invoice"


@frozen(kw_only=True)
class Case:
    """A past diagnosis, and its actual repair.

    Args:
        reference: the reference of a diagnosis or a submission, or the session id of a chat.
        owner_id: the user's id; 0 means the installation itself, and None a person without an account.
        text: the description of what is wrong.
        car: the number of the individual car (``transactions.car_numbers.car_of``), or None if no VIN was given.
        suggested: the slugs of the suggested repairs, likeliest first.
        confidence: the confidence of the first suggestion, in percent.
        repair: the slug of the actual repair, or None while it is unknown.
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
    """A repair on an invoice and its category, as slugs."""

    repair: str
    category: str


@frozen(kw_only=True)
class Accuracy:
    """In how many ``confirmed`` cases the actual repair was the ``first`` suggestion, or among the ``first_three``.

    ``cases`` counts all cases. ``stated`` is the mean confidence, in percent, in the first suggestions of the confirmed
    cases, or None if there are none.
    """

    cases: int
    confirmed: int
    first: int
    first_three: int
    stated: float | None


def suggested_by(diagnosis: Diagnosis) -> tuple[tuple[str, ...], float]:
    """Return the slugs of the likeliest repairs, and the confidence in the first one in percent; 0 if there is none."""
    likely = diagnosis.candidates[:_SUGGESTED]
    return tuple(candidate.problem.slug for candidate in likely), likely[0].confidence if likely else 0.0


def repair_of(case: Case, invoiced: Iterable[InvoicedRepair]) -> str | None:
    """Return the actual repair of a case from invoices for its car, earliest first, or None while it is unknown.

    Suggested repairs take precedence. A service, such as an oil change, counts only if it was suggested: most cars get
    one sooner or later.
    """
    repairs = list(invoiced)
    suggested = (each.repair for each in repairs if each.repair in case.suggested)
    others = (each.repair for each in repairs if each.category not in _SERVICES)
    return next(suggested, None) or next(others, None)


def accuracy_of(cases: int, confirmed: Iterable[Case]) -> Accuracy:
    """Return in how many of the confirmed cases, of ``cases`` in total, the actual repair was suggested."""
    known = list(confirmed)
    stated = [case.confidence for case in known]
    return Accuracy(
        cases=cases,
        confirmed=len(known),
        first=sum(case.repair in case.suggested[:1] for case in known),
        first_three=sum(case.repair in case.suggested[:_FIRST] for case in known),
        stated=round(sum(stated) / len(stated), 1) if stated else None,
    )

"""Sent visits as clients see them."""

from collections.abc import Sequence
from typing import Self

from repaircore.documents.service import SentVisit
from repaircore.kernel.timeline import Step
from repaircore.kernel.views import view
from repaircore.visits.views import VisitView


@view
class SentVisitView:
    """A visit that was sent, the link for its customer, and whether the link is e-mailed."""

    link: str
    mailed: bool
    visit: VisitView

    @classmethod
    def of(cls, sent: SentVisit, steps: Sequence[Step]) -> Self:
        """Return the view of a sent visit with its timeline."""
        return cls(link=sent.link, mailed=sent.is_mailed, visit=VisitView.of_visit(sent.visit, steps))

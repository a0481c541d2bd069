"""Tool results that differ from those of endpoints: short, since an agent reads every word."""

from collections.abc import Sequence
from typing import Self

from repaircore.diagnosis.consultation import Consultation, Reply
from repaircore.diagnosis.views import DriverSafetyView, RecommendationView
from repaircore.kernel.views import view
from repaircore.problems.fusion import SearchHit
from repaircore.problems.views import SearchHitView
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.views import MechanicalFactsView, mechanical_fields
from repaircore.vehicles import vin as vins


@view
class ConsultationQuestionView:
    """The question whose answer would help most; send its ``id`` with yes, no or unsure in ``answers``."""

    id: str
    text: str
    why: str


@view
class AnsweredQuestionView:
    """A question that was answered."""

    id: str
    text: str
    reply: Reply


@view
class ConsultationView:
    """The likely repairs, likeliest first, after any dangers; ``enough`` is false if this is only a first guess.

    ``unread`` are words that were not understood.
    """

    safety: DriverSafetyView
    enough: bool
    nothing_read: bool
    recommendations: list[RecommendationView]
    question: ConsultationQuestionView | None
    answered: list[AnsweredQuestionView]
    understood: list[str]
    unread: list[str]
    codes: list[str]
    vehicle: str | None

    @classmethod
    def of(cls, consulted: Consultation) -> Self:
        """Return the view of a consultation."""
        question, vehicle = consulted.question, consulted.vehicle
        return cls(
            safety=DriverSafetyView.of(consulted.safety),
            enough=consulted.enough,
            nothing_read=consulted.is_blank,
            recommendations=[RecommendationView.of(each) for each in consulted.recommendations],
            question=None
            if question is None
            else ConsultationQuestionView(id=question.id, text=question.text, why=question.why),
            answered=[
                AnsweredQuestionView(id=each.symptom, text=each.text, reply=each.reply)
                for each in consulted.answered
            ],
            understood=[*consulted.understood],
            unread=[*consulted.unread],
            codes=[*consulted.codes],
            vehicle=None if vehicle is None else vehicle.display_name,
        )


@view
class _VehicleNamesView:
    display_name: str
    year: int
    make: str
    model: str
    trim: str | None


@view
class DescribedVehicleView(MechanicalFactsView, _VehicleNamesView):
    """A vehicle; ``vin_check_digit_holds`` is null without a whole VIN, and false if the VIN is probably mistyped."""

    vin_check_digit_holds: bool | None

    @classmethod
    def of(cls, specs: VehicleSpecs, vin: str | None) -> Self:
        """Return a vehicle that was found by a VIN, or by year, make and model."""
        is_whole = vin is not None and len(vins.normalize(vin)) == max(vins.LENGTHS)
        return cls(
            display_name=specs.display_name,
            year=specs.year,
            make=specs.make,
            model=specs.model,
            trim=specs.trim,
            **mechanical_fields(specs.facts),
            vin_check_digit_holds=vins.check_digit_holds(vins.normalize(vin)) if is_whole and vin else None,
        )


@view
class RepairsFoundView:
    """The repairs that a search found, best match first."""

    repairs: list[SearchHitView]

    @classmethod
    def of(cls, found: Sequence[SearchHit]) -> Self:
        """Return the hits of a search."""
        return cls(repairs=[SearchHitView.of(hit) for hit in found])

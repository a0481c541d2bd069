"""From what somebody writes to the repairs that are likely needed."""

from collections.abc import Callable, Mapping, Sequence

from attrs import Factory, evolve, field, frozen

from repaircore.diagnostics import complaints
from repaircore.diagnostics.advice import Advice, Recommendation
from repaircore.diagnostics.complaints import NO_SUCH_ZIP, Complaint
from repaircore.diagnostics.engine import diagnose, next_question
from repaircore.diagnostics.knowledge import Knowledge
from repaircore.diagnostics.model import Candidate, Clues
from repaircore.diagnostics.ports import BeginDiagnoses, PricesOf
from repaircore.diagnostics.reading import read
from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.zip_code import zip5
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import PriceRange
from repaircore.kernel.shelf import Shelf
from repaircore.kernel.traits import Traits
from repaircore.kernel.types import Later
from repaircore.problems.model import Problem
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import Decoded
from repaircore.vehicles.service import Vehicles

__all__ = ["Diagnoses", "MakeKnowledge"]

MakeKnowledge = Callable[[Sequence[Problem]], Knowledge]
"""Make ready what a diagnosis knows of some repairs."""


@frozen(kw_only=True)
class Diagnoses:
    """The use case of a complaint. Nothing is kept of it, and no model is asked."""

    look: BeginDiagnoses
    make: MakeKnowledge
    vehicles: Later[Vehicles]
    zip_codes: ZipCodes
    prices: PricesOf
    _shelf: Shelf[Knowledge] = field(init=False, repr=False, eq=False, default=Factory(Shelf))

    def knowledge(self) -> Knowledge:
        """Give what a diagnosis knows, by the edition of the book that is kept."""
        with self.look() as work:
            return self._shelf.get(work.problems.edition(), lambda: self.make(work.problems.all()))

    def diagnose(self, complaint: Complaint, caller: Caller = LOCAL) -> Advice:
        """Say which repairs are likely needed, each with what it will cost when a ZIP code is given.

        Raises:
            Invalid: every bad field is named: ``description``, ``vin``, ``zip_code``, ``mileage``.
            VehicleNotFound: nobody knows the VIN.
            Unavailable: the database, or the only decoder that could know the VIN, does not answer.
        """
        told = self.faults(
            description=complaint.description,
            vin=complaint.vin,
            zip_code=complaint.zip_code,
            mileage=complaint.mileage,
        )
        if told:
            raise Invalid(told)
        vehicle = None if complaint.vin is None else self.vehicles().decode(complaint.vin)
        vin = None if complaint.vin is None else vins.normalize(complaint.vin)
        advice = evolve(
            self._advice(complaint, Traits() if vehicle is None else vehicle.traits),
            vin=vin,
            vehicle=vehicle,
            warnings=("vin_check_digit",) if vin is not None and vins.is_doubtful(vin) else (),
        )
        code = None if complaint.zip_code is None else zip5(complaint.zip_code)
        return advice if code is None else self._priced(advice, code, vehicle, caller)

    def faults(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with some fields of a complaint; those that are not given, or None, are not judged."""
        told = complaints.faults(**fields)
        code = fields.get("zip_code")
        if isinstance(code, str) and "zip_code" not in told and self.zip_codes.find(zip5(code) or "") is None:
            told["zip_code"] = [NO_SUCH_ZIP]
        return told

    def _advice(self, complaint: Complaint, traits: Traits) -> Advice:
        knowledge = self.knowledge()
        understood = read(complaint.description, knowledge)
        clues = Clues(
            findings=understood.findings,
            codes=understood.codes,
            hints=understood.hints,
            mileage=complaint.mileage,
            traits=traits,
        )
        diagnosis = diagnose(knowledge, clues)
        return Advice(
            recommendations=tuple(map(_recommended, diagnosis.likely)) if diagnosis.enough else (),
            question=next_question(knowledge, clues),
            understood=understood,
            diagnosis=diagnosis,
        )

    def _priced(self, advice: Advice, code: str, vehicle: Decoded | None, caller: Caller) -> Advice:
        ids = [one.problem.id for one in advice.recommendations]
        prices: Mapping[int, PriceRange] = self.prices(caller.environment, code, vehicle, ids) if ids else {}
        return evolve(
            advice,
            recommendations=tuple(
                evolve(one, price=prices.get(one.problem.id)) for one in advice.recommendations
            ),
        )


def _recommended(candidate: Candidate) -> Recommendation:
    return Recommendation(
        problem=candidate.problem,
        confidence=candidate.confidence,
        why=candidate.reasons,
    )

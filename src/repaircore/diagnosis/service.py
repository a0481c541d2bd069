"""Diagnoses: from a complaint to the repairs that are likely needed."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from attrs import Factory, asdict, evolve, field, frozen

from repaircore.diagnosis.advice import NO_SUCH_ZIP, Advice, Complaint, Recommendation
from repaircore.diagnosis.cases import Case, CaseSource, suggested_by
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Finding
from repaircore.diagnosis.ports import OpenDiagnosesWork, PricesOf
from repaircore.diagnosis.questions import next_question
from repaircore.diagnosis.reading import read
from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.zip_code import zip5
from repaircore.kernel.cache import OneSlotCache
from repaircore.kernel.callers import LOCAL, Caller, owner_of
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import PriceRange
from repaircore.kernel.reference_numbers import claim_reference
from repaircore.kernel.rules import FieldErrors, field_errors, sentence
from repaircore.kernel.traits import Traits
from repaircore.kernel.types import Clock, Lazy, RandomBytes
from repaircore.problems.search import ProblemIndex
from repaircore.transactions.car_numbers import car_of
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.service import Vehicles

_PREFIX: Final = "DG"

Answers = Mapping[str, bool | None]
NO_ANSWERS: Final[Answers] = MappingProxyType({})

MakeKnowledge = Callable[[ProblemIndex, str], Knowledge]
"""Return the knowledge of the repairs in an index; the string is the learned word model, or "" if there is none."""


@frozen(kw_only=True)
class Diagnoses:
    """Use cases for diagnoses. No language model is involved.

    Each diagnosis is recorded with its description, so that the actual repair can be confirmed and learned from.
    """

    transaction: OpenDiagnosesWork
    read: OpenDiagnosesWork
    index: Lazy[ProblemIndex]
    make: MakeKnowledge
    vehicles: Lazy[Vehicles]
    zip_codes: ZipCodes
    prices: PricesOf
    random: RandomBytes
    clock: Clock
    cache: OneSlotCache[Knowledge] = field(repr=False, eq=False, default=Factory(OneSlotCache))

    def knowledge(self) -> Knowledge:
        """Return the knowledge of the current book and word model, cached by their editions."""
        with self.read() as work:
            edition = f"{work.problems.edition()} {work.word_models.edition()}"
            return self.cache.get(edition, lambda: self.make(self.index(), work.word_models.text()))

    def diagnose(self, complaint: Complaint, caller: Caller = LOCAL, answers: Answers = NO_ANSWERS) -> Advice:
        """Return the repairs that are likely needed, with prices if a ZIP code is given.

        ``answers`` maps the slugs of symptoms to whether they are present, or to None if the driver is not sure.

        Raises:
            Invalid: with every bad field.
            VehicleNotFound: the VIN is unknown.
            Unavailable: the database is not responding, or the VIN is unknown here and the decoder is not responding.
        """
        fields = asdict(complaint)
        errors = field_errors(Complaint, fields) | self.validate(**fields)
        if errors:
            raise Invalid(errors)
        vehicle = None if complaint.vin is None else self.vehicles().decode(complaint.vin)
        vin = None if complaint.vin is None else vins.normalize(complaint.vin)
        advice = evolve(
            self._advice(complaint, vehicle, answers),
            vin=vin,
            vehicle=vehicle,
            warnings=("vin_check_digit",) if vin is not None and vins.has_wrong_check_digit(vin) else (),
        )
        advice = evolve(advice, reference=self._record(complaint.description, vin, advice, caller))
        code = None if complaint.zip_code is None else zip5(complaint.zip_code)
        return advice if code is None else self._with_prices(advice, code, vehicle, caller)

    def reconsider(self, complaint: Complaint, advice: Advice, answers: Answers) -> Advice:
        """Return the advice on a complaint, updated with answers; nothing is recorded, and prices are omitted."""
        after = self._advice(complaint, advice.vehicle, answers)
        return evolve(
            after,
            vin=advice.vin,
            vehicle=advice.vehicle,
            warnings=advice.warnings,
            reference=advice.reference,
        )

    def validate(self, **fields: object) -> FieldErrors:
        """Return the errors in ``vin`` and ``zip_code``; absent fields are not checked."""
        errors: FieldErrors = {}
        vin, zip_code = fields.get("vin"), fields.get("zip_code")
        bad_vin = vins.validate(vin) if isinstance(vin, str) else []
        if bad_vin:
            errors["vin"] = bad_vin
        code = zip5(zip_code) if isinstance(zip_code, str) else None
        if code is not None and self.zip_codes.find(code) is None:
            errors["zip_code"] = [sentence("zip_code", NO_SUCH_ZIP)]
        return errors

    def _advice(self, complaint: Complaint, vehicle: VehicleSpecs | None, answers: Answers) -> Advice:
        knowledge = self.knowledge()
        understood = read(complaint.description, knowledge)
        answered = tuple(
            Finding(symptom, present) for symptom, present in answers.items() if present is not None
        )
        clues = (
            understood.clues(Traits(), complaint.mileage)
            .about(vehicle, knowledge.problems)
            .with_answers(answered)
        )
        diagnosis = diagnose(knowledge, clues)
        outside = understood.mentions.outside
        is_fault = understood.mentions.is_fault
        return Advice(
            recommendations=tuple(
                Recommendation.of(candidate, clues, understood.concerns, outside=outside)
                for candidate in (diagnosis.likely if is_fault else ())
            ),
            question=next_question(knowledge, clues, frozenset(answers), diagnosis=diagnosis)
            if is_fault
            else None,
            understood=understood,
            diagnosis=diagnosis,
            answered=answered,
        ).without_contradiction()

    def _record(self, text: str, vin: str | None, advice: Advice, caller: Caller) -> str:
        """Store a diagnosis as a case, and return its reference."""
        suggested, confidence = suggested_by(advice.diagnosis)
        now = self.clock()

        def add(reference: str) -> bool:
            case = Case(
                reference=reference,
                environment=caller.environment,
                owner_id=owner_of(caller),
                source=CaseSource.DIAGNOSIS,
                text=text,
                car=car_of(vin),
                suggested=suggested,
                confidence=confidence,
                created_at=now,
            )
            with self.transaction() as work:
                return work.cases.add(case)

        return claim_reference(now, self.random, add, prefix=_PREFIX)

    def _with_prices(self, advice: Advice, code: str, vehicle: VehicleSpecs | None, caller: Caller) -> Advice:
        ids = [each.problem.id for each in advice.recommendations]
        prices: Mapping[int, PriceRange] = self.prices(caller.environment, code, vehicle, ids) if ids else {}
        return evolve(
            advice,
            recommendations=tuple(
                evolve(each, price=prices.get(each.problem.id)) for each in advice.recommendations
            ),
        )

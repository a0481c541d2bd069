"""Consultations: step-by-step diagnoses whose state the caller keeps; nothing is stored."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final

from attrs import asdict, evolve, frozen

from repaircore.diagnosis.advice import NO_SUCH_ZIP, Recommendation, note_on
from repaircore.diagnosis.danger import DriverSafety, driver_safety
from repaircore.diagnosis.engine import SIMILAR_WORDS, diagnose
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Candidate, Evidence, Finding, SymptomQuestion
from repaircore.diagnosis.ports import PricesOf
from repaircore.diagnosis.questions import next_question
from repaircore.diagnosis.reading import ReadComplaint, read, with_complaint
from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.zip_code import ZipCode, zip5
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors, Length, PlainText, Range, field_errors, sentence
from repaircore.kernel.types import Lazy
from repaircore.trouble_codes.model import normalize_code
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.description import VehicleDescription, description_errors, find_specs
from repaircore.vehicles.service import Vehicles

_MOST_CODES: Final = 12
_MOST_ANSWERS: Final = 25
_SEPARATORS: Final = re.compile(r"[,;\n]+")
_UNLIKELY: Final = 10
"""A repair this many times less likely than the first would only distract from it."""

_LETTER_APART: Final = re.compile(r"\b([PBCU])[ -]+(?=[0-3O])", re.IGNORECASE)
_NOTHING_SAID: Final = "Describe what is wrong, or enter a trouble code."


class Reply(StrEnum):
    """An answer to a question about a symptom; ``UNSURE`` skips it."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


@frozen(kw_only=True)
class Consult(VehicleDescription):
    """What is wrong, in words or trouble codes, and the answers so far; vehicle, ZIP code and mileage are optional.

    An answer is a symptom's slug, a colon and a ``Reply``. Malformed answers, and those about unknown symptoms, are
    ignored.
    """

    words: Annotated[str, PlainText(2, 2000, lines=True)] | None = None
    codes: Annotated[str, Length(0, 200)] | None = None
    zip_code: ZipCode | None = None
    mileage: Annotated[int, Range(0, 2_000_000)] | None = None
    answers: tuple[str, ...] = ()


@frozen
class AnsweredQuestion:
    """A question that was answered, or skipped."""

    symptom: str
    text: str
    reply: Reply


@frozen(kw_only=True)
class Consultation:
    """The likely repairs, likeliest first, and the next question, or None if none would help.

    ``understood`` has the names of the symptoms that were understood, and ``unread`` the words that were not.
    ``is_blank`` means that nothing points to a repair. ``outside`` is the kind of vehicle if the book does not cover
    it, and ``note`` says so, or that there is no fault.
    """

    recommendations: Sequence[Recommendation]
    question: SymptomQuestion | None
    answered: Sequence[AnsweredQuestion]
    safety: DriverSafety
    enough: bool
    outside: str | None = None
    note: str | None = None
    is_blank: bool
    understood: Sequence[str]
    unread: Sequence[str]
    codes: Sequence[str]
    make: str | None
    vehicle: VehicleSpecs | None


@frozen(kw_only=True)
class Consultations:
    """Use cases for consultations. No language model is involved."""

    knowledge: Lazy[Knowledge]
    vehicles: Lazy[Vehicles]
    zip_codes: ZipCodes
    prices: PricesOf

    def consult(self, request: Consult, caller: Caller = LOCAL) -> Consultation:
        """Return the repairs that are likely needed, and the question whose answer would help most, if any.

        Raises:
            Invalid: with every bad field.
            Unavailable: the database is not responding, or the VIN is unknown here and the decoder is not responding.
        """
        values = asdict(request)
        errors = {**self.validate(**values), **field_errors(Consult, values)}
        if errors:
            raise Invalid(errors)
        vehicle = find_specs(self.vehicles(), request)
        codes, _ = split_codes(request.codes or "")
        knowledge = self.knowledge()
        complaint = read(request.words or "", knowledge)
        replies = _replies(request.answers, knowledge)
        evidence = _evidence(_with_codes(complaint, codes, knowledge), replies, request.mileage)
        clues = evidence.clues().about(vehicle, knowledge.problems)
        diagnosis = diagnose(knowledge, clues)
        is_blank = not complaint.mentions.is_fault or not any(each.reasons for each in diagnosis.likely)
        suspects = (
            []
            if is_blank
            else _worth_showing(
                [
                    Recommendation.of(each, clues, evidence.concerns, outside=evidence.outside)
                    for each in _tempered(diagnosis.likely, len(evidence.codes))
                ]
            )
        )
        safety = _safety(evidence, complaint, suspects)
        if safety.stop_driving:
            suspects = [each.stopped() for each in suspects]
        return Consultation(
            recommendations=self._with_prices(suspects, request.zip_code, vehicle, caller),
            question=None
            if is_blank
            else next_question(
                knowledge, clues, frozenset(evidence.questioned), opens=False, diagnosis=diagnosis
            ),
            answered=[
                AnsweredQuestion(symptom, knowledge.question(symptom), reply)
                for symptom, reply in replies.items()
            ],
            safety=safety,
            enough=diagnosis.enough and evidence.outside is None,
            outside=evidence.outside,
            note=note_on(complaint.mentions),
            is_blank=is_blank,
            understood=[
                knowledge.symptom_name(finding.symptom) for finding in complaint.findings if finding.present
            ],
            unread=complaint.unread,
            codes=evidence.codes,
            make=clues.make,
            vehicle=vehicle,
        )

    def validate(self, **fields: Any) -> FieldErrors:
        """Return the errors that field types do not catch, such as the absence of both ``words`` and ``codes``."""
        words, codes, zip_code = (fields.get(name) for name in ("words", "codes", "zip_code"))
        names = ("vin", "year", "make", "model", "engine")
        errors = description_errors(VehicleDescription(**{name: fields.get(name) for name in names}))
        found, bad = split_codes(codes or "")
        if bad:
            errors["codes"] = [f"“{text[:20]}” is not a trouble code such as P0420." for text in bad[:3]]
        elif len(found) > _MOST_CODES:
            errors["codes"] = [f"Enter at most {_MOST_CODES} trouble codes."]
        if words is None and not found and not bad:
            errors["words"] = [_NOTHING_SAID]
        code = None if zip_code is None else zip5(zip_code)
        if code is not None and self.zip_codes.find(code) is None:
            errors["zip_code"] = [sentence("zip_code", NO_SUCH_ZIP)]
        return errors

    def _with_prices(
        self,
        suspects: Sequence[Recommendation],
        zip_code: str | None,
        vehicle: VehicleSpecs | None,
        caller: Caller,
    ) -> Sequence[Recommendation]:
        code = None if zip_code is None else zip5(zip_code)
        if code is None or not suspects:
            return suspects
        prices = self.prices(caller.environment, code, vehicle, [each.problem.id for each in suspects])
        return [evolve(each, price=prices.get(each.problem.id)) for each in suspects]


def split_codes(text: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the distinct trouble codes in a list, and the entries that are not codes.

    Commas, semicolons, line breaks and spaces separate codes; a space or dash may follow the letter of a code
    (``P 0420``).
    """
    pieces: list[str] = []
    for part in filter(None, map(str.strip, _SEPARATORS.split(text))):
        pieces += _LETTER_APART.sub(r"\1", part).split()
    codes = (normalize_code(piece) for piece in pieces)
    bad = [piece for piece in pieces if normalize_code(piece) is None]
    return list(dict.fromkeys(code for code in codes if code is not None)), bad


def _replies(answers: Iterable[str], knowledge: Knowledge) -> Mapping[str, Reply]:
    """Return the answers by symptom, in order; of two answers about a symptom, the later one wins."""
    replies: dict[str, Reply] = {}
    for answer in answers:
        symptom, _, reply = answer.partition(":")
        if symptom in knowledge.symptoms and reply in set(Reply) and len(replies) < _MOST_ANSWERS:
            replies[symptom] = Reply(reply)
    return replies


def _with_codes(complaint: ReadComplaint, codes: Sequence[str], knowledge: Knowledge) -> ReadComplaint:
    """Return the complaint with the codes that were entered separately, which do not count as words."""
    if not codes:
        return complaint
    entered = read(" ".join(codes), knowledge)
    return evolve(
        complaint,
        codes=tuple(dict.fromkeys((*complaint.codes, *entered.codes))),
        dangers=tuple(dict.fromkeys((*complaint.dangers, *entered.dangers))),
    )


def _evidence(complaint: ReadComplaint, replies: Mapping[str, Reply], mileage: int | None) -> Evidence:
    answered = [symptom for symptom, reply in replies.items() if reply is not Reply.UNSURE]
    found = [Finding(symptom, replies[symptom] is Reply.YES) for symptom in answered]
    evidence = with_complaint(Evidence(), complaint, [*complaint.findings, *found], answered=answered)
    evidence = evolve(evidence, questioned=tuple(replies))
    return evidence if mileage is None else evolve(evidence, mileage=mileage)


def _tempered(likely: Sequence[Candidate], codes: int) -> Sequence[Candidate]:
    """Return the repairs with flattened probabilities: the more codes, the flatter.

    One fault often stores several codes, so they are not the independent evidence that the engine takes them for.
    """
    if codes <= 1 or not likely:
        return likely
    flat = [each.probability ** (1 / codes) for each in likely]
    scale = math.fsum(each.probability for each in likely) / math.fsum(flat)
    return [evolve(each, stated=chance * scale) for each, chance in zip(likely, flat, strict=True)]


def _worth_showing(suspects: Sequence[Recommendation]) -> Sequence[Recommendation]:
    """Return the repairs that are not much less likely than the first, each with its telling reasons."""
    least = suspects[0].confidence / _UNLIKELY if suspects else 0.0
    return [_with_telling_reasons(each) for each in suspects if each.confidence >= least]


def _with_telling_reasons(suspect: Recommendation) -> Recommendation:
    """Return a repair without the reason "similar words", if other reasons speak for it."""
    telling = tuple(reason for reason in suspect.why if reason.text != SIMILAR_WORDS)
    return evolve(suspect, why=telling) if any(reason.weight > 0 for reason in telling) else suspect


def _safety(evidence: Evidence, complaint: ReadComplaint, suspects: Iterable[Recommendation]) -> DriverSafety:
    present = [finding.symptom for finding in evidence.findings if finding.present]
    return driver_safety(
        (finding for finding in evidence.findings if finding.symptom in evidence.answered),
        evidence.dangers,
        ((each.confidence, each.problem.safe_to_drive) for each in suspects),
        read=(*present, *complaint.mentions.stranded),
    )

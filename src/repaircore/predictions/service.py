"""Predictions: asked, remembered, computed once however many ask."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.facilities.zip_code import zip5
from repaircore.kernel.callers import LOCAL, Caller, Environment, owner_of, require_operator
from repaircore.kernel.errors import Conflict, Invalid, Unavailable
from repaircore.kernel.types import Clock, Lazy, NewId, Timer
from repaircore.predictions import validation
from repaircore.predictions.model import (
    KEPT,
    KEPT_PARTIAL,
    Answer,
    Ask,
    CachedAnswer,
    Figures,
    MemorySource,
    Prediction,
    Question,
    Specs,
    mileage_band,
)
from repaircore.predictions.ports import ComputeClaims, OpenWork, PredictionCache, PredictionsWork, Wait
from repaircore.predictions.price_adjustment import HIGHEST_PERCENT, LOWEST_PERCENT
from repaircore.pricing.model import PartsTier
from repaircore.vehicles import vin as vins

if TYPE_CHECKING:
    from repaircore.predictions.compute import Compute
    from repaircore.vehicles.matching import Match
    from repaircore.vehicles.model import Vehicle
    from repaircore.vehicles.service import Vehicles


_LOOK_AGAIN: Final = 0.02
DOES_NOT_FIT: Final = "does_not_fit"
_SHARE_OF_MODELS: Final = 7 / 8
"""What of the time budget the models may take; the rest is for the database and for deciding."""


def _unnoticed(_told: Prediction, _environment: Environment) -> None:
    pass


@frozen(kw_only=True)
class _Request:
    """A question, who asks it, and what their session keeps of how they asked."""

    question: Question
    owner_id: int
    vehicle: "Callable[[], Vehicle]"
    vin: str | None = None
    mileage: int | None = None
    warnings: tuple[str, ...] = ()
    match: "Match | None" = None
    force: bool = False


@frozen(kw_only=True)
class Predictions:
    """The use cases of estimates. ``seconds`` is the time budget of one prediction; ``notice`` is told of each.

    What a remembered answer has no use for comes later: it is made when it is first asked for.
    """

    transaction: OpenWork
    read: OpenWork
    memory: PredictionCache
    claims: ComputeClaims
    vehicles: "Lazy[Vehicles]"
    computing: "Lazy[Compute]"
    seconds: float
    new_id: NewId
    clock: Clock
    timer: Timer
    wait: Wait
    notice: Callable[[Prediction, Environment], None] = _unnoticed

    def predict(self, ask: Ask, caller: Caller = LOCAL) -> Prediction:
        """Say what a repair will cost on the vehicle with a VIN.

        Asked again within three days, the same caller gets the same session back, and nothing is written.

        Raises:
            Invalid: every bad field is named: ``vin``, ``zip_code``, ``problem_identifier``, ``mileage``.
            ProblemDoesNotFit: the vehicle cannot have the repair, and ``force`` is not set.
            VehicleNotFound: nobody knows the VIN.
            Unavailable: the database, or the only decoder that could know the VIN, does not answer.
        """
        told = {
            "vin": ask.vin,
            "zip_code": ask.zip_code,
            "problem_identifier": ask.problem_identifier,
            "mileage": ask.mileage,
            "parts_tier": ask.parts_tier,
            "force": ask.force,
        }
        if any(validation.validate_kind(name, value) for name, value in told.items()):
            raise Invalid(self.validate(**told))
        vin = vins.normalize(ask.vin)
        code = zip5(ask.zip_code)
        problem_id = self.memory.problem_id(ask.problem_identifier)
        wrong = (
            vins.validate(vin)
            or validation.validate_mileage(ask.mileage)
            or validation.validate_tier(ask.parts_tier)
        )
        if code is None or problem_id is None or wrong:
            raise Invalid(self.validate(**told))
        question = Question(
            environment=caller.environment,
            vehicle_key=vin[:11],
            problem_id=problem_id,
            zip_code=code,
            mileage_band=mileage_band(ask.mileage),
            vin=vin if len(vin) == max(vins.LENGTHS) else None,
            parts_tier=_tier(ask.parts_tier),
        )
        warnings = ("vin_check_digit",) if vins.has_wrong_check_digit(vin) else ()
        return self._answer(
            _Request(
                question=question,
                owner_id=owner_of(caller),
                vehicle=lambda: self.vehicles().resolve(vin),
                vin=vin,
                mileage=ask.mileage,
                warnings=warnings,
                force=ask.force,
            )
        )

    def predict_by_specs(self, specs: Specs, caller: Caller = LOCAL) -> Prediction:
        """Say what a repair will cost on the vehicle that a year, make and model mean best.

        Raises:
            Invalid: every bad field is named.
            NoSuchVehicle: nobody made such a model that year.
            ProblemDoesNotFit: the vehicle cannot have the repair, and ``force`` is not set.
            Unavailable: the database does not answer.
        """
        told = self.validate(
            year=specs.year,
            make=specs.make,
            model=specs.model,
            trim=specs.trim,
            engine=specs.engine,
            zip_code=specs.zip_code,
            problem_identifier=specs.problem_identifier,
            parts_tier=specs.parts_tier,
            force=specs.force,
        )
        code = None if told else zip5(specs.zip_code)
        problem_id = None if told else self.memory.problem_id(specs.problem_identifier)
        if code is None or problem_id is None:
            raise Invalid(told)
        match = self.vehicles().match(
            year=specs.year,
            make=specs.make.strip(),
            model=specs.model.strip(),
            trim=specs.trim,
            engine=specs.engine,
        )
        vehicle = match.vehicle
        question = Question(
            environment=caller.environment,
            vehicle_key=vehicle.answer_key,
            problem_id=problem_id,
            zip_code=code,
            mileage_band=None,
            parts_tier=_tier(specs.parts_tier),
        )
        return self._answer(
            _Request(
                question=question,
                owner_id=owner_of(caller),
                vehicle=lambda: vehicle,
                warnings=() if match.is_trim_known else ("trim_unknown",),
                match=match,
                force=specs.force,
            )
        )

    def validate(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with some fields of a question; those that are not given are not judged.

        Doors use it to name bad values beside bad types. Looks ZIP codes and problems up. A bad ``engine`` of a known
        model lists the engines that it had.
        """
        told = {
            name: validation.validate_kind(name, fields[name]) or list(judge(self, fields[name]))
            for name, judge in _JUDGES.items()
            if name in fields
        }
        wrong = {name: texts for name, texts in told.items() if texts}
        if "engine" in wrong and not wrong.keys() & _MODEL:
            wrong["engine"] += self._possible_engines(**{name: fields.get(name) for name in _MODEL})
        return wrong

    def _possible_engines(self, year: object, make: object, model: object) -> list[str]:
        if not (isinstance(year, int) and isinstance(make, str) and isinstance(model, str)):
            return []
        had = self.vehicles().possible_engines(year, make.strip(), model.strip())
        return [f"This vehicle had: {', '.join(had)}."] if had else []

    def price_adjustment(self) -> float:
        """Give the percentage that every returned price is moved by."""
        with self.read() as work:
            return work.adjustment.get()

    def adjust_prices(self, percent: float, caller: Caller = LOCAL) -> float:
        """Move every returned price by a percentage from now on; what is remembered stays as it is.

        The change is audited. It is felt in both environments, so a test key may not make it.

        Raises:
            Forbidden: the caller is not an admin, or shows a key of the test environment.
            Invalid: on ``percent``.
        """
        require_operator(caller)
        percent += 0.0  # there is no minus zero
        if not LOWEST_PERCENT <= percent <= HIGHEST_PERCENT:
            text = f"The percent field must be between {LOWEST_PERCENT:g} and {HIGHEST_PERCENT:g}."
            raise Invalid({"percent": [text]})
        with self.transaction() as work:
            before = work.adjustment.set(percent)
            if before != percent:
                work.audit.add(
                    caller,
                    "price_adjustment.set",
                    "price_adjustment",
                    before={"percent": before},
                    after={"percent": percent},
                    at=self.clock(),
                )
        return percent

    def _answer(self, asked: _Request) -> Prediction:
        try:
            told = self._prediction(asked)
        except Conflict:  # an operator removed the vehicle meanwhile: what was answered about it is forgotten
            told = self._prediction(asked)
        self.notice(told, asked.question.environment)
        return told

    def _prediction(self, asked: _Request) -> Prediction:
        now = self.clock()
        found, source = self._recalled(asked, now), MemorySource.CACHED
        if found is None:
            found, source = self._awaited(asked)
            now = found.computed_at if source is MemorySource.FRESH else self.clock()
        if found.figures.fit.outcome == DOES_NOT_FIT and not asked.force:
            self.computing().require_fit(asked.question.problem_id, asked.vehicle().specs)
        return Prediction(
            session_id=found.session_id or self._session(asked, found, at=now),
            source=source,
            computed_at=found.computed_at,
            expires_at=found.expires_at,
            now=now,
            figures=found.adjusted,
            warnings=asked.warnings + found.figures.warnings,
            match=asked.match,
        )

    def _recalled(self, asked: _Request, now: datetime) -> CachedAnswer | None:
        return self.memory.recall(asked.question, owner_id=asked.owner_id, now=now)

    def _awaited(self, asked: _Request) -> tuple[CachedAnswer, MemorySource]:
        """Compute the answer, or wait for whoever is computing it and take theirs; within the time budget."""
        until = self.timer() + self.seconds
        # What is remembered has a ZIP code that is in use; only what is new needs looking up.
        if not self.computing().knows_zip(asked.question.zip_code):
            raise Invalid({"zip_code": [validation.NO_SUCH_ZIP]})
        while True:
            last = self.timer() >= until
            told = self._tried(asked, until)
            if told is not None:
                return told
            if last:
                raise Unavailable("The prediction is still being computed. Please ask again.")
            self.wait(max(0.0, min(_LOOK_AGAIN, until - self.timer())))

    def _tried(self, asked: _Request, until: float) -> tuple[CachedAnswer, MemorySource] | None:
        """Take the answer if it is there by now, and compute it unless somebody else does: then give None."""
        # A claim lasts as long as a budget: whoever comes second outlives it, and nobody is left to wait for.
        owner = self.claims.take(asked.question, now=self.clock(), seconds=self.seconds)
        try:
            found = self._recalled(asked, self.clock())
            if found is not None:
                return found, MemorySource.CACHED
            return None if owner is None else self._kept(asked, *self._computed(asked, until))
        finally:
            if owner is not None:
                self.claims.release(asked.question, owner)

    def _computed(self, asked: _Request, until: float) -> tuple[Question, Figures]:
        vehicle = asked.vehicle()  # may ask a remote decoder, in the same budget
        left = until - self.timer() - self.seconds * (1 - _SHARE_OF_MODELS)
        question = (
            evolve(asked.question, vehicle_key=vehicle.answer_key) if vehicle.is_whole else asked.question
        )
        figures = self.computing().figures(question, vehicle, seconds=max(0.0, left), force=asked.force)
        return question, figures

    def _kept(
        self, asked: _Request, question: Question, figures: Figures
    ) -> tuple[CachedAnswer, MemorySource]:
        """Keep the answer with its session; when somebody else's was kept first, it is theirs that counts.

        Then it is judged like any that is remembered before it gets a session.

        Raises:
            Conflict: an operator removed the vehicle meanwhile; nothing is kept.
        """
        now = self.clock()
        mine = Answer(
            id=self.new_id(),
            figures=figures,
            computed_at=now,
            expires_at=now + (KEPT_PARTIAL if figures.partial else KEPT),
        )
        with self.transaction() as work:
            answer = work.predictions.remember(question, mine)
            adjustment = work.adjustment.get()
            session_id = self._added(work, asked, mine.id, figures, at=now) if answer is mine else None
        found = CachedAnswer(
            id=answer.id,
            figures=answer.figures,
            computed_at=answer.computed_at,
            expires_at=answer.expires_at,
            session_id=session_id,
            adjusted=answer.figures.adjusted(adjustment),
        )
        return found, MemorySource.FRESH if answer is mine else MemorySource.CACHED

    def _session(self, asked: _Request, found: CachedAnswer, *, at: datetime) -> UUID:
        try:
            with self.transaction() as work:
                return self._added(work, asked, found.id, found.figures, at=at)
        except Conflict:
            with self.transaction() as work:
                work.predictions.forget(found.id)
            raise

    def _added(
        self, work: PredictionsWork, asked: _Request, answer_id: UUID, figures: Figures, *, at: datetime
    ) -> UUID:
        return work.predictions.add(
            session_id=self.new_id(),
            remembered_id=answer_id,
            question=asked.question,
            figures=figures,
            owner_id=asked.owner_id,
            vin=asked.vin,
            mileage=asked.mileage,
            at=at,
        )


_MODEL: Final = frozenset({"year", "make", "model"})


def _judge_zip(estimates: Predictions, zip_code: object) -> Sequence[str]:
    told = validation.validate_zip(str(zip_code))
    code = zip5(str(zip_code))
    if code is not None and not estimates.computing().knows_zip(code):
        return [validation.NO_SUCH_ZIP]
    return told


def _judge_problem(estimates: Predictions, identifier: object) -> Sequence[str]:
    return [] if estimates.memory.problem_id(str(identifier)) is not None else [validation.NO_SUCH_PROBLEM]


def _tier(told: str | None) -> PartsTier | None:
    return None if told is None else PartsTier(told.casefold())


def _judge_name(field: str, *, required: bool) -> "Callable[[Predictions, object], Sequence[str]]":
    return lambda _, text: validation.validate_name(
        field, None if text is None else str(text), required=required
    )


_JUDGES: Final[dict[str, Callable[[Predictions, object], Sequence[str]]]] = {
    "vin": lambda _, vin: validation.validate_vin(str(vin)),
    "year": lambda _, year: validation.validate_year(year) if isinstance(year, int) else [],
    "make": _judge_name("make", required=True),
    "model": _judge_name("model", required=True),
    "trim": _judge_name("trim", required=False),
    "engine": _judge_name("engine", required=False),
    "zip_code": _judge_zip,
    "problem_identifier": _judge_problem,
    "mileage": lambda _, miles: validation.validate_mileage(miles) if isinstance(miles, int) else [],
    "parts_tier": lambda _, tier: validation.validate_tier(None if tier is None else str(tier)),
    "force": lambda _, __: [],
}

"""Predictions: computed once, no matter how many callers ask at the same time, and cached."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from attrs import evolve, field, frozen

from repaircore.kernel.callers import LOCAL, Caller, Environment, owner_of, require_operator, visible_owner
from repaircore.kernel.errors import Conflict, Invalid, NotFound, Unavailable
from repaircore.kernel.rules import FieldErrors, sentence
from repaircore.kernel.types import Clock, Lazy, NewId, Timer
from repaircore.predictions.model import (
    CACHE_LIFETIME,
    PARTIAL_CACHE_LIFETIME,
    Answer,
    CachedAnswer,
    Figures,
    MemorySource,
    PredictBySpecs,
    PredictByVin,
    Prediction,
    Question,
)
from repaircore.predictions.ports import ComputeClaims, OpenWork, PredictionCache, PredictionsWork, Wait
from repaircore.predictions.price_adjustment import (
    HIGHEST_PERCENT,
    LOWEST_PERCENT,
)
from repaircore.predictions.validation import (
    NO_SUCH_PROBLEM,
    NO_SUCH_ZIP,
    PredictionRequests,
    Prepared,
    parts_tier,
)
from repaircore.vehicles import vin as vins

if TYPE_CHECKING:
    from repaircore.predictions.compute import Computation
    from repaircore.predictions.past_predictions import PastPredictionRecord
    from repaircore.vehicles.service import Vehicles


_POLL_SECONDS: Final = 0.02
_VIN_LENGTH: Final = max(vins.LENGTHS)
DOES_NOT_FIT: Final = "does_not_fit"
_SHARE_OF_MODELS: Final = 7 / 8
"""The share of the time budget that the models may use; the rest is for the database and the computation."""


def _ignore(_prediction: Prediction, _environment: Environment) -> None:
    pass


@frozen
class Computed:
    """Newly computed figures for a question; they are not stored yet."""

    question: Question
    figures: Figures


@frozen(kw_only=True)
class Predictions:
    """Use cases for predictions. ``seconds`` is the time budget of each; ``notice`` is called with each prediction.

    ``vehicles`` and ``computation`` are lazy: a cached answer needs neither.
    """

    transaction: OpenWork
    read: OpenWork
    cache: PredictionCache
    claims: ComputeClaims
    vehicles: "Lazy[Vehicles]"
    computation: "Lazy[Computation]"
    seconds: float
    new_id: NewId
    clock: Clock
    timer: Timer
    wait: Wait
    notice: Callable[[Prediction, Environment], None] = _ignore
    requests: PredictionRequests = field(init=False, repr=False, eq=False)

    @requests.default
    def _make_requests(self) -> PredictionRequests:
        return PredictionRequests(
            find_problem_id=self.cache.find_problem_id,
            is_zip_in_use=lambda code: self.computation().is_zip_in_use(code),
            vehicles=self.vehicles,
        )

    def predict(self, request: PredictByVin, caller: Caller = LOCAL) -> Prediction:
        """Predict what a repair will cost on a vehicle identified by its VIN.

        A caller who repeats a request while its answer is cached gets the same session back, and nothing is written.

        Raises:
            Invalid: with every bad field (``vin``, ``zip_code``, ``problem_identifier``, ``mileage``, ``parts_tier``).
            ProblemDoesNotFit: the vehicle cannot have the repair, and ``force`` is not set.
            VehicleNotFound: the VIN is unknown.
            Unavailable: the database, or the only decoder that could know the VIN, is not responding, or the time
                budget is used up.
        """
        return self._answer(self.requests.prepare_by_vin(request, caller))

    def predict_by_specs(self, request: PredictBySpecs, caller: Caller = LOCAL) -> Prediction:
        """Predict what a repair will cost on the vehicle that best matches a year, make and model.

        Raises:
            Invalid: with every bad field.
            NoVehicleForSpecs: no such model was sold that year.
            ProblemDoesNotFit: the vehicle cannot have the repair, and ``force`` is not set.
            Unavailable: the database is not responding, or the time budget is used up.
        """
        return self._answer(self.requests.prepare_by_specs(request, caller))

    def find_or_compute(self, request: Prepared, seconds: float) -> CachedAnswer | Computed:
        """Return the cached answer, or compute it without storing it or waiting for other callers.

        Raises:
            Invalid: the ZIP code is not in use.
            ProblemDoesNotFit: the vehicle cannot have the repair, and ``force`` is not set.
            VehicleNotFound: the VIN is unknown.
            Unavailable: the database, or the only decoder that could know the VIN, is not responding.
        """
        cached = self._find_cached(request, self.clock())
        if cached is None:
            self._require_zip_in_use(request)
            return Computed(*self._compute(request, self.timer() + seconds))
        self._require_fit(request, cached.figures)
        return cached

    def store_found(
        self, work: PredictionsWork, request: Prepared, found: CachedAnswer | Computed
    ) -> Prediction:
        """Store the result of ``find_or_compute`` with a session, and return the caller's prediction.

        Raises:
            Conflict: an operator removed the vehicle in the meantime.
        """
        cached, source = (
            (found, MemorySource.CACHED)
            if isinstance(found, CachedAnswer)
            else self._store_in(work, request, found.question, found.figures)
        )
        now = self.clock()
        session_id = cached.session_id or self._add(work, request, cached.id, cached.figures, at=now)
        return self._prediction(request, cached, session_id, source, now)

    def repeat(
        self, session_id: UUID, *, parts_tier: str | None = None, caller: Caller = LOCAL
    ) -> Prediction:
        """Predict the repair of a past prediction again, on the same vehicle at the same place.

        Raises:
            NotFound: there is no such prediction, the caller may not see it, or its vehicle is no longer known.
            Invalid: ``parts_tier`` is invalid, or the repair or the ZIP code no longer exists.
            Unavailable: the database, or the only decoder that could know the VIN, is not responding, or the time
                budget is used up.
        """
        if errors := self.validate(**({} if parts_tier is None else {"parts_tier": parts_tier})):
            raise Invalid(errors)
        with self.read() as work:
            past = work.past_predictions.find_record(
                session_id, environment=caller.environment, owner_id=visible_owner(caller)
            )
        if past is None:
            raise NotFound("Prediction not found.")
        if past.vin is None:
            return self._repeat_by_vehicle(past, parts_tier, caller)
        request = PredictByVin(
            vin=past.vin,
            zip_code=past.zip_code,
            problem_identifier=past.problem_slug,
            mileage=past.mileage,
            parts_tier=parts_tier,
            force=True,  # the estimate exists, so its repair fits or was forced
        )
        return self.predict(request, caller)

    def _repeat_by_vehicle(
        self, past: "PastPredictionRecord", parts_tier_name: str | None, caller: Caller
    ) -> Prediction:
        vehicle = self.vehicles().get(past.vehicle_id)
        problem_id = self.cache.find_problem_id(past.problem_slug)
        if problem_id is None:
            raise Invalid({"problem_identifier": [sentence("problem_identifier", NO_SUCH_PROBLEM)]})
        question = Question(
            environment=caller.environment,
            vehicle_key=vehicle.answer_key,
            problem_id=problem_id,
            zip_code=past.zip_code,
            mileage_band=None,
            parts_tier=None if parts_tier_name is None else parts_tier(parts_tier_name),
        )
        return self._answer(
            Prepared(question=question, owner_id=owner_of(caller), vehicle=lambda: vehicle, force=True)
        )

    def require_valid(self, request: PredictByVin | PredictBySpecs) -> int:
        """Validate a request with all lookups, and return the id of its repair.

        Raises:
            Invalid: with every bad field.
        """
        return self.requests.require_valid(request)

    def validate(self, **fields: Any) -> FieldErrors:
        """Return the errors that lookups find in fields of a request; see ``PredictionRequests.validate``."""
        return self.requests.validate(**fields)

    def price_adjustment(self) -> float:
        """Return the percentage by which every returned price is adjusted."""
        with self.read() as work:
            return work.adjustment.get()

    def adjust_prices(self, percent: float, caller: Caller = LOCAL) -> float:
        """Adjust every returned price by a percentage from now on; the cache is not changed. Return the percentage.

        The change is audited. It applies to both environments, so a test key may not make it.

        Raises:
            Forbidden: the caller is not an admin, or uses a key of the test environment.
            Invalid: ``percent`` is not between -90 and 500.
        """
        require_operator(caller)
        percent += 0.0  # turns minus zero into zero
        if not LOWEST_PERCENT <= percent <= HIGHEST_PERCENT:
            bounds = f"must be between {LOWEST_PERCENT:g} and {HIGHEST_PERCENT:g}"
            raise Invalid({"percent": [sentence("percent", bounds)]})
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

    def _answer(self, request: Prepared) -> Prediction:
        try:
            prediction = self._predict(request)
        except Conflict:  # an operator removed the vehicle and its answers in the meantime
            prediction = self._predict(request)
        self.notice(prediction, request.question.environment)
        return prediction

    def _predict(self, request: Prepared) -> Prediction:
        now = self.clock()
        cached, source = self._find_cached(request, now), MemorySource.CACHED
        if cached is None:
            cached, source = self._compute_or_wait(request)
            now = cached.computed_at if source is MemorySource.FRESH else self.clock()
        self._require_fit(request, cached.figures)
        session_id = cached.session_id or self._add_session(request, cached, at=now)
        return self._prediction(request, cached, session_id, source, now)

    def _require_fit(self, request: Prepared, figures: Figures) -> None:
        if figures.fit.outcome == DOES_NOT_FIT and not request.force:
            self.computation().require_fit(request.question.problem_id, request.vehicle().specs)

    def _prediction(
        self, request: Prepared, cached: CachedAnswer, session_id: UUID, source: MemorySource, now: datetime
    ) -> Prediction:
        return Prediction(
            session_id=session_id,
            source=source,
            computed_at=cached.computed_at,
            expires_at=cached.expires_at,
            now=now,
            figures=cached.adjusted,
            warnings=request.warnings + cached.figures.warnings,
            match=request.match,
        )

    def _find_cached(self, request: Prepared, now: datetime) -> CachedAnswer | None:
        return self.cache.find(request.question, owner_id=request.owner_id, now=now)

    def _compute_or_wait(self, request: Prepared) -> tuple[CachedAnswer, MemorySource]:
        """Compute the answer, or wait for another caller's, within the time budget; return it with its source."""
        until = self.timer() + self.seconds
        self._require_zip_in_use(request)
        while True:
            is_last = self.timer() >= until
            answer = self._try_to_answer(request, until)
            if answer is not None:
                return answer
            if is_last:
                raise Unavailable("The prediction is still being computed. Please try again.")
            self.wait(max(0.0, min(_POLL_SECONDS, until - self.timer())))

    def _require_zip_in_use(self, request: Prepared) -> None:
        # Cached answers have a ZIP code that is in use; only new questions need the lookup.
        if not self.computation().is_zip_in_use(request.question.zip_code):
            raise Invalid({"zip_code": [sentence("zip_code", NO_SUCH_ZIP)]})

    def _try_to_answer(self, request: Prepared, until: float) -> tuple[CachedAnswer, MemorySource] | None:
        """Return the cached or computed answer with its source, or None while another caller is computing it."""
        # A claim lasts as long as a budget, so a second caller outlives the first one's claim and is never left waiting.
        owner = self.claims.acquire(request.question, now=self.clock(), seconds=self.seconds)
        try:
            cached = self._find_cached(request, self.clock())
            if cached is not None:
                return cached, MemorySource.CACHED
            return None if owner is None else self._store(request, *self._compute(request, until))
        finally:
            if owner is not None:
                self.claims.release(request.question, owner)

    def _compute(self, request: Prepared, until: float) -> tuple[Question, Figures]:
        vehicle = request.vehicle()  # may call a remote decoder, within the same budget
        left = until - self.timer() - self.seconds * (1 - _SHARE_OF_MODELS)
        question = (
            evolve(request.question, vehicle_key=vehicle.answer_key) if vehicle.is_whole else request.question
        )
        figures = self.computation().figures(question, vehicle, seconds=max(0.0, left), force=request.force)
        return question, figures

    def _store(
        self, request: Prepared, question: Question, figures: Figures
    ) -> tuple[CachedAnswer, MemorySource]:
        """Store the answer with its session, and return it with its source.

        If another caller stored one first, return that; it is then checked like any cached answer before it gets a
        session.

        Raises:
            Conflict: an operator removed the vehicle in the meantime; nothing is stored.
        """
        with self.transaction() as work:
            return self._store_in(work, request, question, figures)

    def _store_in(
        self, work: PredictionsWork, request: Prepared, question: Question, figures: Figures
    ) -> tuple[CachedAnswer, MemorySource]:
        now = self.clock()
        new = Answer(
            id=self.new_id(),
            figures=figures,
            computed_at=now,
            expires_at=now + (PARTIAL_CACHE_LIFETIME if figures.partial else CACHE_LIFETIME),
        )
        answer = work.predictions.store(question, new)
        adjustment = work.adjustment.get()
        is_new = answer is new
        session_id = self._add(work, request, new.id, figures, at=now) if is_new else None
        cached = CachedAnswer(
            id=answer.id,
            figures=answer.figures,
            computed_at=answer.computed_at,
            expires_at=answer.expires_at,
            session_id=session_id,
            adjusted=answer.figures.adjusted(adjustment),
        )
        return cached, MemorySource.FRESH if is_new else MemorySource.CACHED

    def _add_session(self, request: Prepared, cached: CachedAnswer, *, at: datetime) -> UUID:
        try:
            with self.transaction() as work:
                return self._add(work, request, cached.id, cached.figures, at=at)
        except Conflict:
            with self.transaction() as work:
                work.predictions.delete(cached.id)
            raise

    def _add(
        self, work: PredictionsWork, request: Prepared, answer_id: UUID, figures: Figures, *, at: datetime
    ) -> UUID:
        return work.predictions.add_session(
            session_id=self.new_id(),
            answer_id=answer_id,
            question=request.question,
            figures=figures,
            owner_id=request.owner_id,
            vin=request.vin,
            mileage=request.mileage,
            at=at,
        )

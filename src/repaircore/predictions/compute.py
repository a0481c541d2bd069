"""Compute an answer: read the history, ask the models, decide.

The models are called after the unit of work has ended, so that an external call never holds a transaction open.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from attrs import evolve, frozen

from repaircore.book.counterparts import nearest_fitting
from repaircore.book.fit import Fit, FitOutcome, check_fit
from repaircore.book.model import Problem
from repaircore.facilities.model import ZipPlace
from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.rates import RegionRate
from repaircore.facilities.service import region_around
from repaircore.kernel.callers import Environment
from repaircore.kernel.types import Clock
from repaircore.kernel.wording import money, signed
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.predictions.local_prices import LocalPriceLookup
from repaircore.predictions.model import (
    EstimatedProblem,
    EstimatedRegion,
    EstimatedVehicle,
    Figures,
    FitFigures,
    LocalFigures,
    ModelFigures,
    Question,
    TierFigures,
    band_middle,
)
from repaircore.predictions.ports import FactorsOf, ModelPanel, OpenWork, PredictionsWork
from repaircore.predictions.statutory_fees import (
    FeeKind,
    StatutoryFees,
    fixed_estimate,
    fixed_outlook,
    with_fee,
)
from repaircore.predictions.track_record import Tracks
from repaircore.pricing.aggregation import CORRELATION, Aggregate, TrackRecord, aggregate
from repaircore.pricing.book_price import TierPrice, book_price, outside_reason, tier_prices
from repaircore.pricing.estimator import LocalEstimate, Outlook, breakdown_of, estimate, outlook
from repaircore.pricing.explanation import vehicle_step
from repaircore.pricing.model import Breakdown, ExplanationStep, Opinion, PartsTier, PriceQuestion
from repaircore.pricing.places import Market
from repaircore.pricing.price_index import DayLevels, PriceIndex, day_levels
from repaircore.pricing.red_flags import Evidence, Flag, flag
from repaircore.transactions.evidence import Lineage
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import Vehicle

DOES_NOT_FIT: Final = "problem_does_not_fit_vehicle"
FIT_UNKNOWN: Final = "fit_unknown"
OUTSIDE_BOOK: Final = "outside_book"


def fit_warnings(fit: Fit) -> tuple[str, ...]:
    """Return the warning that a repair does not or may not fit the vehicle, or an empty tuple if it fits."""
    match fit.outcome:
        case FitOutcome.FITS:
            return ()
        case FitOutcome.UNKNOWN:
            return (FIT_UNKNOWN,)
        case FitOutcome.DOES_NOT_FIT:
            return (DOES_NOT_FIT,)


def lineage_of(about: VehicleSpecs) -> Lineage:
    """Return the groups of similar vehicles that a vehicle belongs to."""
    return Lineage(make=about.make, model=about.model, year=about.year)


@frozen(kw_only=True)
class LocalAnswer:
    """The local estimate of a repair, and the unrounded outlook that it is based on.

    ``step`` explains how the vehicle changed the book's price, ``tiers`` are the prices by parts grade, and ``outside``
    is why the book does not cover the vehicle, or None if it does.
    """

    problem: Problem
    estimate: LocalEstimate
    outlook: Outlook
    step: ExplanationStep | None
    tiers: tuple[TierPrice, ...]
    outside: str | None


@frozen(kw_only=True)
class Computation:
    """Computes answers from the book, the history and the models."""

    read: OpenWork
    zip_codes: ZipCodes
    local_prices: LocalPriceLookup
    panel: ModelPanel
    factors_of: FactorsOf
    prices: PriceIndex
    fees: StatutoryFees
    clock: Clock

    def require_fit(self, problem_id: int, about: VehicleSpecs) -> None:
        """Require that a vehicle can have a repair, as far as is known.

        Raises:
            ProblemDoesNotFit: the vehicle cannot have the repair.
            LookupError: there is no such repair, which the caller should have checked.
        """
        with self.read() as work:
            _require_fit(work, _problem(work, problem_id), about)

    def is_zip_in_use(self, zip5: str) -> bool:
        """Return whether a ZIP code is in use."""
        return self.zip_codes.find(zip5) is not None

    def figures(
        self,
        question: Question,
        vehicle: Vehicle,
        *,
        seconds: float,
        force: bool = False,
        offline: bool = False,
    ) -> Figures:
        """Compute the answer to a question whose ZIP code and problem exist; the models get ``seconds``.

        Raises:
            LookupError: one of them does not exist, which the caller should have checked.
            ProblemDoesNotFit: the vehicle cannot have the repair, and ``force`` is not set.
            Unavailable: the database is not responding.
        """
        place = self.zip_codes.find(question.zip_code)
        if place is None:
            raise LookupError(question.zip_code)
        today = self.clock().date()
        levels = day_levels(self.prices, self.local_prices.rates, today)
        with self.read() as work:  # a single unit of work: opening one costs about as much as a statement
            problem = _problem(work, question.problem_id)
            if not force:
                _require_fit(work, problem, vehicle.specs)
            market, rate = self._market(work, question.environment, place, levels)
            answer = self._local(
                work,
                question.environment,
                problem,
                vehicle.specs,
                market,
                tier=question.parts_tier,
            )
            tracks = work.track_records.get(question.environment)
        price_question = PriceQuestion(
            vehicle=vehicle,
            factors=self.factors_of(vehicle.specs),
            problem=problem,
            state=place.state,
            labor_rate=market.rate,
            national_rate=market.national_rate,
            price_level=levels.prices,
            year=today.year,
            mileage=band_middle(question.mileage_band),
        )
        opinions = self.panel.ask(
            price_question, offline=offline or question.environment is Environment.TEST, seconds=seconds
        )
        figures = _figures(vehicle, answer, place, rate, opinions, tracks)
        return with_fee(figures, self.fees.find(problem.slug, place.state, question.zip_code))

    def local(
        self, environment: Environment, zip_code: str, about: VehicleSpecs, problem_ids: Iterable[int]
    ) -> tuple[ZipPlace, RegionRate, Mapping[int, LocalAnswer]]:
        """Return the ZIP code's place, its labor rate, and the repairs' estimates by id, from the book and the history.

        No model is called, and nothing is stored.

        Raises:
            LookupError: the ZIP code or a repair does not exist, which the caller should have checked.
            Unavailable: the database is not responding.
        """
        place = self.zip_codes.find(zip_code)
        if place is None:
            raise LookupError(zip_code)
        levels = day_levels(self.prices, self.local_prices.rates, self.clock().date())
        with self.read() as work:
            market, rate = self._market(work, environment, place, levels)
            answers = {
                problem_id: self._with_fixed_fee(
                    self._local(work, environment, _problem(work, problem_id), about, market), place
                )
                for problem_id in problem_ids
            }
        return place, rate, answers

    def _market(
        self,
        work: PredictionsWork,
        environment: Environment,
        place: ZipPlace,
        levels: DayLevels,
    ) -> tuple[Market, RegionRate]:
        region = region_around(work.facilities, place)
        local = self.local_prices.of_region(work, environment, place, region, wages=levels.wages)
        rates = self.local_prices.rates
        market = local.prices.market(rates.national, levels)
        return market, local.rate(market.rate, place, rates.on(self.clock().date()))

    def _with_fixed_fee(self, answer: LocalAnswer, place: ZipPlace) -> LocalAnswer:
        fee = self.fees.find(answer.problem.slug, place.state, place.zip_code)
        if fee is None or fee.kind is not FeeKind.FIXED:
            return answer
        return evolve(
            answer,
            estimate=fixed_estimate(answer.estimate, fee),
            outlook=fixed_outlook(answer.outlook, fee),
            tiers=(),
        )

    def _local(
        self,
        work: PredictionsWork,
        environment: Environment,
        problem: Problem,
        about: VehicleSpecs,
        market: Market,
        *,
        tier: PartsTier | None = None,
    ) -> LocalAnswer:
        past = work.evidence.get_history(environment, problem, lineage_of(about))
        factors, year = self.factors_of(about), self.clock().year
        book_of = partial(book_price, problem, factors, national_rate=market.national_rate, year=year)
        book = book_of(tier=tier)
        variances = work.evidence.get_variances(environment, problem.id, spread=book.spread)
        prospect = outlook(book, past, market=market, variances=variances)
        local = estimate(prospect)

        def breakdown_with(grade: PartsTier) -> Breakdown:
            if grade is book.tier:
                return local.breakdown
            return breakdown_of(prospect.with_book(book_of(tier=grade)))

        return LocalAnswer(
            problem=problem,
            estimate=local,
            step=vehicle_step(problem, factors, book, year=year),
            tiers=tier_prices(book, breakdown_with, factors, year=year),
            outside=outside_reason(problem, factors),
            outlook=prospect,
        )


def _problem(work: PredictionsWork, problem_id: int) -> Problem:
    problem = work.problems.find(problem_id)
    if problem is None:
        raise LookupError(problem_id)
    return problem


def _require_fit(work: PredictionsWork, problem: Problem, about: VehicleSpecs) -> None:
    found = check_fit(problem, about.profile)
    if found.outcome is FitOutcome.DOES_NOT_FIT:
        others = nearest_fitting(problem, work.problems.list_all(), about.profile)
        raise ProblemDoesNotFit(problem, found.reason or "", others)


def _figures(  # noqa: PLR0917 - all that an answer is made of
    vehicle: Vehicle,
    answer: LocalAnswer,
    place: ZipPlace,
    rate: RegionRate,
    opinions: Sequence[Opinion],
    tracks: Tracks,
) -> Figures:
    problem, local = answer.problem, answer.estimate
    records = [
        track.of(opinion.source)
        for track, opinion in zip((tracks.model_a, tracks.model_b), opinions, strict=True)
    ]
    pooled = aggregate(
        opinions,
        records,
        local=local.average,
        local_variance=local.variance,
        correlation=tracks.correlation if all(record.pairs for record in records) else CORRELATION,
    )
    red_flag = flag(
        local.average,
        pooled.average,
        local_variance=local.variance,
        ai_variance=pooled.variance,
        evidence=Evidence(invoices=local.sample_size, of_all=answer.outlook.past.shared.problem.w),
        threshold=tracks.flag_threshold,
    )
    found = check_fit(problem, vehicle.specs.profile)
    partial = any(opinion.average is None for opinion in opinions)
    model_a, model_b = (
        _model(opinion, match) for opinion, match in zip(opinions, pooled.matches, strict=True)
    )
    return Figures(
        vehicle=_vehicle(vehicle),
        problem=EstimatedProblem(id=problem.id, slug=problem.slug, display_name=problem.display_name),
        region=EstimatedRegion(
            zip_code=place.zip_code,
            state=place.state,
            labor_rate=rate.rate,
            labor_rate_source=rate.basis,
            labor_rate_text=rate.text,
        ),
        local=LocalFigures(
            low=local.low,
            average=local.average,
            high=local.high,
            sample_size=local.sample_size,
            effective_sample_size=local.effective_sample_size,
            confidence=local.confidence,
            basis=local.basis,
        ),
        breakdown=local.breakdown,
        model_a=model_a,
        model_b=model_b,
        ai_average=pooled.average,
        match=pooled.match,
        # The figure of a single model is too little evidence for a red flag.
        red_flag=red_flag.raised and not partial,
        red_flag_reason=None if partial else red_flag.reason,
        explanation=(
            ExplanationStep(name="labor rate", text=rate.text, value=rate.rate / 100),
            *(() if answer.step is None else (answer.step,)),
            *local.steps,
            *_model_steps(opinions, records, pooled, red_flag, partial=partial),
        ),
        warnings=(*fit_warnings(found), *(() if answer.outside is None else (OUTSIDE_BOOK,))),
        partial=partial,
        doubt=local.variance if red_flag.compared and not partial else None,
        fit=FitFigures(outcome=found.outcome, reason=found.reason),
        parts_tier=answer.outlook.book.tier,
        parts_tiers=tuple(
            TierFigures(tier=tier, parts_total=parts, total=total, share=share)
            for tier, parts, total, share in answer.tiers
        ),
    )


def _vehicle(vehicle: Vehicle) -> EstimatedVehicle:
    about = vehicle.specs
    return EstimatedVehicle(
        id=vehicle.id,
        vin=vehicle.vin11,  # a full VIN, which an operator may have entered, would identify a single car
        display_name=about.display_name,
        make=about.make,
        model=about.model,
        year=about.year,
        trim=about.trim,
        engine=about.engine,
        facts=about.facts,
    )


def _model(opinion: Opinion, match: float | None) -> ModelFigures:
    return ModelFigures(
        average=opinion.average,
        match=match,
        source=opinion.source,
        unavailable_reason=opinion.unavailable_reason,
    )


def _model_steps(
    opinions: Sequence[Opinion],
    records: Sequence[TrackRecord],
    pooled: Aggregate,
    red_flag: Flag,
    *,
    partial: bool,
) -> tuple[ExplanationStep, ...]:
    answers = "; ".join(
        f"model {letter} ({opinion.source}) {_model_text(opinion, record)}"
        for letter, opinion, record in zip("AB", opinions, records, strict=True)
    )
    if pooled.average is None:
        text = f"Neither AI model gave a price: {answers}."
        return (ExplanationStep(name="models", text=text, value=0.0),)
    together = (
        f"Together they put it at {money(pooled.average)}, a match of {pooled.match:g}% with our own figure."
    )
    verdict = (
        "One of the two AI models is missing, so we raise no red flag, however far apart the figures are."
        if partial
        else red_flag.text
    )
    return (
        ExplanationStep(
            name="models",
            text=f"{answers[0].upper()}{answers[1:]}. {together}",
            value=pooled.average / 100,
        ),
        ExplanationStep(name="red flag", text=verdict, value=float(red_flag.raised and not partial)),
    )


def _model_text(opinion: Opinion, record: TrackRecord) -> str:
    if opinion.average is None:
        return f"is unavailable ({opinion.unavailable_reason})"
    if not record.pairs:
        return f"says {money(opinion.average)}"
    bias = signed(math.expm1(record.bias))
    return (
        f"says {money(opinion.average)}, which we correct for its past bias of {bias} "
        f"({record.pairs:,} later invoices)"
    )

"""Computing an answer: load what is known, ask the models, decide.

The models are asked between two units of work, never inside one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from attrs import evolve, frozen

from repaircore.book.fit import Fit, FitOutcome, alternatives, check_fit
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
    Figures,
    FitFigures,
    LocalFigures,
    ModelFigures,
    ProblemNamed,
    Question,
    RegionNamed,
    TierFigures,
    VehicleNamed,
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
from repaircore.pricing.book_price import book_price, outside_reason
from repaircore.pricing.estimator import Outlook, breakdown_of, estimate, outlook
from repaircore.pricing.model import (
    Breakdown,
    ExplanationStep,
    LocalEstimate,
    Market,
    Opinion,
    PartsTier,
    PriceQuestion,
)
from repaircore.pricing.price_index import DayLevels, PriceIndex, day_levels
from repaircore.pricing.red_flags import Flag, flag
from repaircore.pricing.vehicle_step import TierPrice, tier_prices, vehicle_step
from repaircore.transactions.evidence import Lineage
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import Vehicle

DOES_NOT_FIT: Final = "problem_does_not_fit_vehicle"
FIT_UNKNOWN: Final = "fit_unknown"
OUTSIDE_BOOK: Final = "outside_book"


def fit_warnings(judged: Fit) -> tuple[str, ...]:
    """Return the warning that an estimate carries when the repair does not surely fit."""
    match judged.outcome:
        case FitOutcome.FITS:
            return ()
        case FitOutcome.UNKNOWN:
            return (FIT_UNKNOWN,)
        case FitOutcome.DOES_NOT_FIT:
            return (DOES_NOT_FIT,)


def lineage_of(about: VehicleSpecs) -> Lineage:
    """Give what a vehicle shares with others."""
    return Lineage(make=about.make, model=about.model, year=about.year)


@frozen(kw_only=True)
class LocalAnswer:
    """What the book and the history say of a repair: the estimate, and the outlook that it was rounded from.

    ``step`` says what the vehicle changed in the book's price, ``tiers`` are the prices by the grade of the parts, and
    ``outside`` says why the book was not made for such a vehicle.
    """

    problem: Problem
    estimate: LocalEstimate
    outlook: Outlook
    step: ExplanationStep | None
    tiers: tuple[TierPrice, ...]
    outside: str | None


@frozen(kw_only=True)
class Compute:
    """Everything that an answer is made from."""

    read: OpenWork
    zip_codes: ZipCodes
    locating: LocalPriceLookup
    panel: ModelPanel
    factors_of: FactorsOf
    prices: PriceIndex
    fees: StatutoryFees
    clock: Clock

    def require_fit(self, problem_id: int, about: VehicleSpecs) -> None:
        """Require that a vehicle can have a repair, as far as is known.

        Raises:
            ProblemDoesNotFit: it cannot.
            LookupError: there is no such repair (the caller has not checked).
        """
        with self.read() as work:
            _require_fit(work, _problem(work, problem_id), about)

    def knows_zip(self, zip5: str) -> bool:
        """Tell whether a ZIP code is in use."""
        return self.zip_codes.find(zip5) is not None

    def figures(
        self, question: Question, vehicle: Vehicle, *, seconds: float, force: bool = False
    ) -> Figures:
        """Answer a question whose ZIP code and problem are known to exist; the models get ``seconds``.

        Raises:
            LookupError: they do not (the caller has not checked).
            ProblemDoesNotFit: the vehicle cannot have the repair, and ``force`` is not set.
            Unavailable: the database does not answer.
        """
        place = self.zip_codes.find(question.zip_code)
        if place is None:
            raise LookupError(question.zip_code)
        today = self.clock().date()
        levels = day_levels(self.prices, self.locating.rates, today)
        with self.read() as work:  # one for everything that is read: each costs about as much as a statement
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
        asked = PriceQuestion(
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
        opinions = self.panel.ask(asked, offline=question.environment is Environment.TEST, seconds=seconds)
        found = _figures(vehicle, answer, place, rate, opinions, tracks)
        return with_fee(found, self.fees.find(problem.slug, place.state, question.zip_code))

    def local(
        self, environment: Environment, zip_code: str, about: VehicleSpecs, problem_ids: Iterable[int]
    ) -> tuple[ZipPlace, RegionRate, Mapping[int, LocalAnswer]]:
        """Say what the book and the history say of some repairs; no model is asked and nothing is kept.

        Raises:
            LookupError: the ZIP code or a repair does not exist (the caller has not checked).
            Unavailable: the database does not answer.
        """
        place = self.zip_codes.find(zip_code)
        if place is None:
            raise LookupError(zip_code)
        levels = day_levels(self.prices, self.locating.rates, self.clock().date())
        with self.read() as work:
            market, rate = self._market(work, environment, place, levels)
            answers = {
                problem_id: self._under_law(
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
        local = self.locating.of_region(work, environment, place, region, wages=levels.wages)
        rates = self.locating.rates
        market = local.prices.market(rates.national, levels)
        return market, local.rate(market.rate, place, rates.on(self.clock().date()))

    def _under_law(self, answer: LocalAnswer, place: ZipPlace) -> LocalAnswer:
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
        past = work.evidence.history(environment, problem, lineage_of(about))
        factors, year = self.factors_of(about), self.clock().year
        book_of = partial(book_price, problem, factors, national_rate=market.national_rate, year=year)
        book = book_of(tier=tier)
        variances = work.evidence.variances(environment, problem.id, spread=book.spread)
        seen = outlook(book, past, market=market, variances=variances)
        local = estimate(seen)

        def priced(grade: PartsTier) -> Breakdown:
            if grade is book.tier:
                return local.breakdown
            return breakdown_of(seen.with_book(book_of(tier=grade)))

        return LocalAnswer(
            problem=problem,
            estimate=local,
            step=vehicle_step(problem, factors, book, year=year),
            tiers=tier_prices(book, priced, factors, year=year),
            outside=outside_reason(problem, factors),
            outlook=seen,
        )


def _problem(work: PredictionsWork, problem_id: int) -> Problem:
    problem = work.problems.find(problem_id)
    if problem is None:
        raise LookupError(problem_id)
    return problem


def _require_fit(work: PredictionsWork, problem: Problem, about: VehicleSpecs) -> None:
    judged = check_fit(problem, about.profile)
    if judged.outcome is FitOutcome.DOES_NOT_FIT:
        others = alternatives(problem, work.problems.list_all(), about.profile)
        raise ProblemDoesNotFit(problem, judged.reason or "", others)


def _figures(  # noqa: PLR0917 - what was found, in the order of finding
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
    raised = flag(
        local.average,
        pooled.average,
        local_variance=local.variance,
        ai_variance=pooled.variance,
        invoices=local.sample_size,
        threshold=tracks.flag_threshold,
    )
    judged = check_fit(problem, vehicle.specs.profile)
    partial = any(opinion.average is None for opinion in opinions)
    model_a, model_b = (_model(*told) for told in zip(opinions, pooled.matches, strict=True))
    return Figures(
        vehicle=_named(vehicle),
        problem=ProblemNamed(id=problem.id, slug=problem.slug, display_name=problem.display_name),
        region=RegionNamed(
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
        # A figure that one model had no part in is too thin to accuse anybody by.
        red_flag=raised.raised and not partial,
        red_flag_reason=None if partial else raised.reason,
        explanation=(
            ExplanationStep(name="labor rate", text=rate.text, value=rate.rate / 100),
            *(() if answer.step is None else (answer.step,)),
            *local.steps,
            *_model_steps(opinions, records, pooled, raised, partial=partial),
        ),
        warnings=(*fit_warnings(judged), *(() if answer.outside is None else (OUTSIDE_BOOK,))),
        partial=partial,
        doubt=local.variance if raised.compared and not partial else None,
        fit=FitFigures(outcome=judged.outcome, reason=judged.reason),
        parts_tier=answer.outlook.book.tier,
        parts_tiers=tuple(
            TierFigures(tier=tier, parts_total=parts, total=total, share=share)
            for tier, parts, total, share in answer.tiers
        ),
    )


def _named(vehicle: Vehicle) -> VehicleNamed:
    about = vehicle.specs
    return VehicleNamed(
        id=vehicle.id,
        vin=vehicle.vin11,  # what an operator told beyond it singles a vehicle out
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
    raised: Flag,
    *,
    partial: bool,
) -> tuple[ExplanationStep, ...]:
    told = "; ".join(
        f"model {letter} ({opinion.source}) {_said(opinion, record)}"
        for letter, opinion, record in zip("AB", opinions, records, strict=True)
    )
    if pooled.average is None:
        return (ExplanationStep(name="models", text=f"No model gave a figure: {told}.", value=0.0),)
    together = f"Together {money(pooled.average)}, a match of {pooled.match:g} % with the local figure."
    verdict = (
        "With a model missing, no red flag is raised, however far apart the figures are."
        if partial
        else raised.text
    )
    return (
        ExplanationStep(
            name="models", text=f"{told[0].upper()}{told[1:]}. {together}", value=pooled.average / 100
        ),
        ExplanationStep(name="red flag", text=verdict, value=float(raised.raised and not partial)),
    )


def _said(opinion: Opinion, record: TrackRecord) -> str:
    if opinion.average is None:
        return f"is unavailable ({opinion.unavailable_reason})"
    if not record.pairs:
        return f"says {money(opinion.average)}"
    bias = signed(math.expm1(record.bias))
    return (
        f"says {money(opinion.average)} and is taken to be {bias} off, from {record.pairs:,} later invoices"
    )

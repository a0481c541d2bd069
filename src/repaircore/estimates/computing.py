"""Computing an answer: load what is known, ask the models, decide.

The models are asked between two units of work, never inside one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

from attrs import frozen

from repaircore.estimates.accuracy import Tracks
from repaircore.estimates.aggregation import CORRELATION, Aggregate, TrackRecord, aggregate
from repaircore.estimates.book_price import book_price
from repaircore.estimates.estimator import Outlook, estimate, outlook
from repaircore.estimates.explanation import money, signed
from repaircore.estimates.mileage import band_middle
from repaircore.estimates.model import LocalEstimate, Market, Opinion, PriceQuestion, Step
from repaircore.estimates.ports import Begin, EstimatesWork, FactorsOf, ModelPanel
from repaircore.estimates.prediction import (
    Figures,
    LocalFigures,
    ModelFigures,
    ProblemNamed,
    Question,
    RegionNamed,
    VehicleNamed,
)
from repaircore.estimates.price_level import PriceIndex
from repaircore.estimates.red_flags import Flag, flag
from repaircore.estimates.variances import variances_of, widened
from repaircore.facilities.model import ZipPlace
from repaircore.facilities.rates import RegionRate
from repaircore.facilities.service import Regions
from repaircore.kernel.callers import Environment
from repaircore.kernel.types import Clock
from repaircore.problems.model import Problem
from repaircore.transactions.evidence import Lineage
from repaircore.vehicles.model import Decoded, Vehicle

__all__ = ["BOOK_DAY", "DOES_NOT_FIT", "Computing", "LocalAnswer", "lineage_of"]

BOOK_DAY: Final = date(2025, 7, 1)
"""The middle of the year whose prices the repair book and the table of labor rates tell."""

DOES_NOT_FIT: Final = "problem_does_not_fit_vehicle"


def lineage_of(about: Decoded) -> Lineage:
    """Give what a vehicle shares with others."""
    return Lineage(make=about.make, model=about.model, year=about.year)


@frozen(kw_only=True)
class LocalAnswer:
    """What the book and the history say of a repair: the estimate, and the outlook that it was rounded from."""

    problem: Problem
    estimate: LocalEstimate
    outlook: Outlook


@frozen(kw_only=True)
class Computing:
    """Everything that an answer is made from."""

    look: Begin
    regions: Regions
    panel: ModelPanel
    factors_of: FactorsOf
    prices: PriceIndex
    clock: Clock

    def knows_zip(self, zip5: str) -> bool:
        """Tell whether a ZIP code is in use."""
        return self.regions.zip_codes.find(zip5) is not None

    def figures(self, question: Question, vehicle: Vehicle, *, seconds: float) -> Figures:
        """Answer a question whose ZIP code and problem are known to exist; the models get ``seconds``.

        Raises:
            LookupError: they do not (the caller has not checked).
            Unavailable: the database does not answer.
        """
        place = self.regions.zip_codes.find(question.zip_code)
        if place is None:
            raise LookupError(question.zip_code)
        today = self.clock().date()
        level = self.prices.level(today, base=BOOK_DAY)
        rate = self.regions.rate_at(place, growth=level)
        market = Market(rate=rate.rate, national_rate=self.regions.rates.national, price_level=level)
        with self.look() as work:
            answer = self._local(work, question.environment, question.problem_id, vehicle.about, market)
            tracks = work.track_records.get(question.environment)
        problem, local = answer.problem, answer.estimate
        asked = PriceQuestion(
            vehicle=vehicle,
            factors=self.factors_of(vehicle.about),
            problem=problem,
            state=place.state,
            labor_rate=market.rate,
            national_rate=market.national_rate,
            price_level=level,
            year=today.year,
            mileage=band_middle(question.mileage_band),
        )
        opinions = self.panel.ask(asked, offline=question.environment is Environment.TEST, seconds=seconds)
        return _figures(vehicle, problem, place, rate, local, opinions, tracks)

    def local(
        self, environment: Environment, zip_code: str, about: Decoded, problem_ids: Iterable[int]
    ) -> tuple[ZipPlace, RegionRate, Mapping[int, LocalAnswer]]:
        """Say what the book and the history say of some repairs; no model is asked and nothing is kept.

        Raises:
            LookupError: the ZIP code or a repair does not exist (the caller has not checked).
            Unavailable: the database does not answer.
        """
        place = self.regions.zip_codes.find(zip_code)
        if place is None:
            raise LookupError(zip_code)
        level = self.prices.level(self.clock().date(), base=BOOK_DAY)
        rate = self.regions.rate_at(place, growth=level)
        market = Market(rate=rate.rate, national_rate=self.regions.rates.national, price_level=level)
        with self.look() as work:
            answers = {
                problem_id: self._local(work, environment, problem_id, about, market)
                for problem_id in problem_ids
            }
        return place, rate, answers

    def _local(
        self, work: EstimatesWork, environment: Environment, problem_id: int, about: Decoded, market: Market
    ) -> LocalAnswer:
        problem = work.problems.by_id(problem_id)
        if problem is None:
            raise LookupError(problem_id)
        past = work.evidence.history(environment, problem, lineage_of(about))
        book = book_price(problem, self.factors_of(about), national_rate=market.national_rate)
        variances = work.evidence.variances(environment, problem.id) or variances_of(book.spread)
        trusted = widened(variances, good=past.good, wrong=past.wrong)
        return LocalAnswer(
            problem=problem,
            estimate=estimate(book, past, market=market, variances=variances),
            outlook=outlook(book, past, market=market, variances=trusted),
        )


def _figures(  # noqa: PLR0917 - what was found, in the order of finding
    vehicle: Vehicle,
    problem: Problem,
    place: ZipPlace,
    rate: RegionRate,
    local: LocalEstimate,
    opinions: Sequence[Opinion],
    tracks: Tracks,
) -> Figures:
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
    )
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
            Step(name="labor rate", text=rate.text, value=rate.rate / 100),
            *local.steps,
            *_model_steps(opinions, records, pooled, raised, partial=partial),
        ),
        warnings=() if problem.fits.allows(vehicle.about.traits) else (DOES_NOT_FIT,),
        partial=partial,
    )


def _named(vehicle: Vehicle) -> VehicleNamed:
    about = vehicle.about
    return VehicleNamed(
        id=vehicle.id,
        vin=vehicle.vin11,  # what an operator told beyond it singles a vehicle out
        display_name=about.display_name,
        make=about.make,
        model=about.model,
        year=about.year,
        trim=about.trim,
        engine=about.engine,
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
) -> tuple[Step, ...]:
    told = "; ".join(
        f"model {letter} ({opinion.source}) {_said(opinion, record)}"
        for letter, opinion, record in zip("AB", opinions, records, strict=True)
    )
    if pooled.average is None:
        return (Step(name="models", text=f"No model gave a figure: {told}.", value=0.0),)
    together = f"Together {money(pooled.average)}, a match of {pooled.match:g} % with the local figure."
    verdict = (
        "With a model missing, no red flag is raised, however far apart the figures are."
        if partial
        else raised.text
    )
    return (
        Step(name="models", text=f"{told[0].upper()}{told[1:]}. {together}", value=pooled.average / 100),
        Step(name="red flag", text=verdict, value=float(raised.raised and not partial)),
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

"""The product on the invoices of a world, through the library's use cases: import or one by one, nightly jobs, predictions."""

import csv
import io
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from functools import cached_property
from pathlib import Path
from typing import Final
from uuid import UUID

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray
from typing_extensions import override

from bench.quality.catalog import RememberedNames
from bench.quality.vehicles import MODELS
from bench.quality.worlds import Charges, Jobs, Law, day_of
from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import Environment
from repaircore.kernel.imports import ImportOptions, RejectedRow, Upload
from repaircore.kernel.types import Clock
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.predictions.model import MemorySource, PredictBySpecs
from repaircore.predictions.ports import ModelPanel
from repaircore.pricing.model import Opinion, PriceQuestion
from repaircore.settings import Settings
from repaircore.testing.core import a_core

Floats = NDArray[np.float64]

CORRUPTED: Final = 2.2
"""A figure that a red flag should be raised for is so many times too high, or too low."""


@frozen(kw_only=True, eq=False)
class Figures:
    """What was answered: low, average and high in dollars, the confidence, the rate, and the red flag.

    ``corrupted`` marks where the models were wrong on purpose; ``fresh`` where the answer was not a remembered one.
    """

    predicted: Floats
    stated: Floats
    rate: Floats
    flagged: NDArray[np.bool_]
    corrupted: NDArray[np.bool_]
    fresh: NDArray[np.bool_]

    @property
    def flags_false(self) -> float:
        """Give the share of sound figures that were flagged, in percent."""
        return _percent(self.flagged[self.fresh & ~self.corrupted])

    @property
    def flags_found(self) -> float:
        return _percent(self.flagged[self.fresh & self.corrupted])


class MovedClock:
    """A clock that stands where it is set."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


class SetPanel(ModelPanel):
    """Two models whose answers are set before they are asked."""

    def __init__(self) -> None:
        self.figures: tuple[int, int] | None = None

    @override
    def ask(self, question: PriceQuestion, *, offline: bool, seconds: float) -> Sequence[Opinion]:
        figures = self.figures or (None, None)
        return [
            Opinion(average=figure, source=f"made up {letter}", unavailable_reason=None if figure else "off")
            for letter, figure in zip("ab", figures, strict=True)
        ]


@frozen(kw_only=True)
class Product:
    """An installation in a world, whose time is moved by hand."""

    core: Core
    law: Law
    clock: MovedClock
    panel: SetPanel
    shops: Sequence[int]
    dice: np.random.Generator

    def move_to(self, month: float) -> None:
        """Let it be noon of a day."""
        self.clock.now = noon(day_of(month))

    def bring_in(
        self, jobs: Jobs, charges: Charges, *, sessions: Sequence[UUID | None] = (), named: str = "a"
    ) -> None:
        """Import invoices from a file, as `repaircore import transactions` does."""
        if not len(jobs):
            return
        content = io.BytesIO(self._file(jobs, charges, sessions, named).encode())
        refused: list[RejectedRow] = []
        taken = self.core.invoice_imports.import_file(
            Upload(name=f"{named}.csv", content=content),
            ImportOptions(keep_good=True, on_rejected=refused.append),
        )
        if taken.added != len(jobs):
            raise RuntimeError(f"{taken.added} of {len(jobs)} invoices were taken; {refused[:1]}")

    def record(self, jobs: Jobs, charges: Charges) -> None:
        """Record invoices one by one, each on its day; the nightly jobs run every 90 days."""
        vehicles: dict[tuple[int, int], UUID] = {}
        fitted = 0.0
        for i in range(len(jobs)):
            self.move_to(float(jobs.month[i]))
            if jobs.month[i] - fitted >= 3:
                self.nightly()
                fitted = float(jobs.month[i])
            key = int(jobs.model[i]), int(jobs.year[i])
            if key not in vehicles:
                make, model = MODELS[key[0]]
                vehicles[key] = self.core.vehicles.match(
                    year=key[1], make=make, model=model, trim=None, engine=None
                ).vehicle.id
            self.core.transactions.record(
                CreateTransaction(
                    vehicle_id=vehicles[key],
                    problem_id=self.problem_ids[int(jobs.problem[i])],
                    performed_on=day_of(float(jobs.month[i])),
                    labor_hours=round(float(charges.hours[i]), 1),
                    labor_rate=round(100 * float(charges.rate[i])),
                    parts_total=round(100 * float(charges.parts[i])),
                    facility_id=self.shops[int(jobs.shop[i])],
                )
            )

    def nightly(self) -> None:
        do_nightly(self.core)

    def learn(self, jobs: Jobs, charges: Charges, *, linked: int) -> None:
        """Import all but the last invoices, predict those, and import them as the answers to their predictions."""
        cut = len(jobs) - linked
        before, after = np.arange(cut), np.arange(cut, len(jobs))
        if linked:
            self.move_to(float(jobs.month[cut]))
        self.bring_in(jobs.take(before), charges.take(before))
        self.nightly()
        if linked:
            sessions = [self._predicted(jobs.take(after[i : i + 1]))[1] for i in range(linked)]
            self.bring_in(jobs.take(after), charges.take(after), sessions=sessions, named="b")
            self.nightly()

    def predict(self, jobs: Jobs) -> Figures:
        """Predict each repair on its day; in half of the cases the models are wrong."""
        corrupted = self.dice.random(len(jobs)) < 0.5
        rows = [
            self._predicted(jobs.take(np.array([i])), corrupted=bool(corrupted[i]))[0]
            for i in range(len(jobs))
        ]
        table = np.array(rows)
        return Figures(
            predicted=table[:, :3],
            stated=table[:, 3],
            rate=table[:, 4],
            flagged=table[:, 5] > 0,
            corrupted=corrupted,
            fresh=table[:, 6] > 0,
        )

    def ranges(self, jobs: Jobs) -> Floats:
        """Give low, average and high as a price at a glance has them: nothing is remembered of it."""
        rows = []
        for i in range(len(jobs)):
            make, model = MODELS[int(jobs.model[i])]
            problem = self.problem_ids[int(jobs.problem[i])]
            about = self.core.vehicles.find_match(
                year=int(jobs.year[i]), make=make, model=model, trim=None, engine=None
            ).vehicle.specs
            zip_code = self.law.zip_codes[int(jobs.shop[i])]
            found = self.core.price_ranges.ranges(Environment.LIVE, zip_code, about, [problem])[problem]
            rows.append((found.low, found.average, found.high))
        return np.array(rows) / 100

    @cached_property
    def problem_ids(self) -> Sequence[int]:
        """Give the ids of the world's repairs."""
        return [problem.id for problem in self.law.problems]

    def _predicted(self, job: Jobs, *, corrupted: bool = False) -> tuple[tuple[float, ...], UUID]:
        self.move_to(float(job.month[0]))
        self._set_models(job, corrupted=corrupted)
        make, model = MODELS[int(job.model[0])]
        answer = self.core.predictions.predict_by_specs(
            PredictBySpecs(
                year=int(job.year[0]),
                make=make,
                model=model,
                zip_code=self.law.zip_codes[int(job.shop[0])],
                problem_identifier=self.law.problems[int(job.problem[0])].slug,
            )
        )
        figures = answer.figures
        local = figures.local
        row = (
            local.low / 100,
            local.average / 100,
            local.high / 100,
            float(local.confidence),
            figures.region.labor_rate / 100,
            float(figures.red_flag),
            float(answer.source is MemorySource.FRESH),
        )
        return row, answer.session_id

    def _set_models(self, job: Jobs, *, corrupted: bool) -> None:
        """Have the models know the truth up to 15%, a third of which they share; or far from it."""
        middle = float(np.log(self.law.quantiles(job, draws=15)[0, 1]))
        shared = self.dice.normal(0, 0.085)
        if corrupted:
            middle += float(np.log(CORRUPTED)) * (1 if self.dice.random() < 0.5 else -1)
        a, b = (
            max(1, round(100 * float(np.exp(middle + bias + shared + self.dice.normal(0, 0.12)))))
            for bias in (0.03, -0.02)
        )
        self.panel.figures = a, b

    def _file(self, jobs: Jobs, charges: Charges, sessions: Sequence[UUID | None], named: str) -> str:
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        head = (
            "year",
            "make",
            "model",
            "problem",
            "date",
            "zip",
            "facility",
            "parts_total",
            "labor_hours",
            "labor_rate",
        )
        table.writerow((*head, "invoice", "session_id"))
        # One invoice in seven does not say which shop it is of.
        unnamed = self.dice.random(len(jobs)) < 1 / 7
        for i in range(len(jobs)):
            shop = int(jobs.shop[i])
            table.writerow(
                (
                    int(jobs.year[i]),
                    *MODELS[int(jobs.model[i])],
                    self.law.problems[int(jobs.problem[i])].slug,
                    day_of(float(jobs.month[i])).isoformat(),
                    self.law.zip_codes[shop],
                    "" if unnamed[i] else self.shops[shop],
                    f"{charges.parts[i]:.2f}",
                    f"{charges.hours[i]:.1f}",
                    f"{charges.rate[i]:.2f}",
                    f"{named}{i}-{float(jobs.month[i]):.6f}",
                    sessions[i] if sessions else "",
                )
            )
        return text.getvalue()


@contextmanager
def installed(clock: Clock, panel: ModelPanel) -> Iterator[Core]:
    """Give a new installation in a folder of its own, which goes by a clock and asks the models of a panel."""
    with tempfile.TemporaryDirectory() as made:
        settings = Settings(
            database_url=f"sqlite:///{Path(made) / 'quality.db'}",
            state_folder=Path(made) / "state",
        )
        core = a_core(settings, clock=clock, panel=panel)
        vehicles = evolve(core.vehicles, names=RememberedNames(core.vehicles.names))
        core = core.replacing(
            vehicles=vehicles,
            predictions=evolve(core.predictions, vehicles=lambda: vehicles),
            invoice_imports=evolve(core.invoice_imports, vehicles=lambda: vehicles),
        )
        try:
            yield core
        finally:
            core.close()


@contextmanager
def opened(law: Law, *, seed: int) -> Iterator[Product]:
    """Give a new installation with the shops of a world."""
    clock, panel = MovedClock(noon(day_of(0))), SetPanel()
    with installed(clock, panel) as core:
        shops = [
            core.facilities.create(CreateFacility(facility_name=f"Shop {number}", zip_code=code)).id
            for number, code in enumerate(law.zip_codes)
        ]
        dice = np.random.default_rng(seed + 1)
        yield Product(core=core, law=law, clock=clock, panel=panel, shops=shops, dice=dice)


def do_nightly(core: Core) -> None:
    """Do every job that is done once a day."""
    for job in core.jobs.jobs:
        if job.at is not None:
            job.run()


def noon(day: date) -> datetime:
    """Give the middle of a day."""
    return datetime.combine(day, time(12), UTC)


def _percent(flags: NDArray[np.bool_]) -> float:
    return 100 * float(np.mean(flags)) if len(flags) else float("nan")

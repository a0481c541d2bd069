"""The invoices of jobs that were done for partners become past repairs, and answer the predictions that led to them."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from attrs import frozen

from repaircore.book import identifiers
from repaircore.book.model import Problem
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Clock, NewId
from repaircore.learning.service import Transactions
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.predictions.model import PastPrediction
from repaircore.predictions.ports import PredictionsWork
from repaircore.transactions.job_invoice import Estimated, JobBill, JobInvoice
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import Vehicle

_FIELD = "invoice"
_NAMED_OTHERWISE = {"vehicle_id": "vin", "problem_id": "problem_identifier"}


@frozen(kw_only=True)
class JobInvoices:
    """The use case of jobs that are billed. ``decode`` knows VINs without asking anybody outside."""

    transactions: Transactions
    decode: Callable[[str], VehicleSpecs | None]
    new_id: NewId
    clock: Clock

    def record(
        self, work: Any, told: JobInvoice, *, job: str, session_id: UUID | None, environment: Environment
    ) -> JobBill:
        """Keep the invoice of a job and learn from it, within the unit of work that ends the job.

        ``session_id`` is the prediction that led to the job. An invoice of another repair is kept as that, and
        answers no prediction.

        Raises:
            Invalid: every bad field is named, below ``invoice``.
        """
        try:
            return self._recorded(work, told, job, session_id, environment)
        except Invalid as bad:
            raise Invalid(
                {f"{_FIELD}.{_NAMED_OTHERWISE.get(name, name)}": texts for name, texts in bad.fields.items()}
            ) from None

    def _recorded(
        self,
        work: PredictionsWork,
        told: JobInvoice,
        job: str,
        session_id: UUID | None,
        environment: Environment,
    ) -> JobBill:
        led = None if session_id is None else _prediction(work, session_id, environment)
        problem_id, vehicle_id = self._what(work, told, led)
        answers = led is not None and (problem_id, vehicle_id) == (led.problem_id, led.vehicle_id)
        vin = told.vin or (led.vin if led is not None and vehicle_id == led.vehicle_id else None)
        sale = CreateTransaction(
            vehicle_id=vehicle_id,
            problem_id=problem_id,
            performed_on=told.performed_on or self.clock().date(),
            labor_hours=told.labor_hours,
            labor_rate=told.labor_rate,
            parts=told.parts,
            parts_total=told.parts_total,
            mileage=told.mileage,
            notes=f"Job {job}",
            session_id=session_id if answers else None,
            vin=vin,
        )
        kept = self.transactions.record_within(work, sale, _on_behalf(environment))
        if told.total is not None and told.total != kept.total:
            raise Invalid(
                {
                    "total": [
                        f"The total field must be what parts and labor come to, ${kept.total / 100:,.2f}."
                    ]
                }
            )
        if not kept.total:
            raise Invalid(
                {
                    "total": [
                        "The invoice must come to at least $0.01; where nothing was charged, leave it out."
                    ]
                }
            )
        return JobBill(
            transaction_id=kept.id,
            parts_total=kept.parts_total,
            labor_total=kept.labor_total,
            total=kept.total,
            estimate=_estimated(led) if led is not None and answers else None,
        )

    def _what(self, work: PredictionsWork, told: JobInvoice, led: PastPrediction | None) -> tuple[int, UUID]:
        """Find which repair of which vehicle was done: what is told counts more than what was predicted."""
        wrong: dict[str, list[str]] = {}
        problem_id = None if led is None else led.problem_id
        vehicle_id = None if led is None else led.vehicle_id
        if told.problem_identifier is not None:
            problem = _problem(work, told.problem_identifier)
            problem_id = None if problem is None else problem.id
        if told.vin is not None:
            vehicle = self._vehicle(work, told.vin, wrong)
            vehicle_id = None if vehicle is None else vehicle.id
        if problem_id is None:
            wrong["problem_identifier"] = [
                "The problem identifier field must be the id or the slug of a repair."
                if told.problem_identifier is not None
                else "The problem identifier field is required: no prediction led to this job."
            ]
        if vehicle_id is None and not wrong.get("vin"):
            wrong["vin"] = ["The vin field is required: no prediction led to this job."]
        if wrong or problem_id is None or vehicle_id is None:
            raise Invalid(wrong)
        return problem_id, vehicle_id

    def _vehicle(self, work: PredictionsWork, text: str, wrong: dict[str, list[str]]) -> Vehicle | None:
        vin = vins.normalize(text)
        faults = vins.validate(vin)
        if faults:
            wrong["vin"] = faults
            return None
        kept = work.vehicles.find_by_vin(vin)
        if kept is not None:
            return kept
        decoded = self.decode(vin)
        if decoded is None:
            wrong["vin"] = ["No vehicle of this VIN is known."]
            return None
        made = Vehicle(id=self.new_id(), vin=vin[:11], specs=decoded, created_at=self.clock())
        return work.vehicles.add(made)


def _prediction(work: PredictionsWork, session_id: UUID, environment: Environment) -> PastPrediction | None:
    # A partner's jobs are of whoever asked for the estimate.
    return work.past_predictions.find(session_id, environment=environment, owner_id=None)


def _problem(work: PredictionsWork, identifier: str) -> Problem | None:
    number, slug = identifiers.parse_problem_id(identifier), identifiers.parse_slug(identifier)
    if number is not None:
        return work.problems.find(number)
    return None if slug is None else work.problems.find_by_slug(slug)


def _estimated(led: PastPrediction) -> Estimated:
    return Estimated(session_id=led.session_id, low=led.low, average=led.average, high=led.high)


def _on_behalf(environment: Environment) -> Caller:
    """Give the installation itself, acting in an environment: partners are no users."""
    return Caller(user_id=None, role=Role.ADMIN, environment=environment, credential=Credential.LOCAL)

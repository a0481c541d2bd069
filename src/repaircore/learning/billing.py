"""Record the invoices of partners' jobs as transactions, linked to the predictions that led to them."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from attrs import frozen

from repaircore.book import identifiers
from repaircore.book.model import Problem
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors
from repaircore.kernel.types import Clock, NewId
from repaircore.learning.service import Transactions
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.predictions.past_predictions import PastPrediction
from repaircore.predictions.ports import PredictionsWork
from repaircore.transactions.job_invoice import Estimated, JobBill, JobInvoice
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import Vehicle

_FIELD = "invoice"
_REQUEST_NAMES = {"vehicle_id": "vin", "problem_id": "problem_identifier"}


@frozen(kw_only=True)
class JobInvoices:
    """Records the invoices of partners' jobs. ``decode`` decodes VINs without network access."""

    transactions: Transactions
    decode: Callable[[str], VehicleSpecs | None]
    new_id: NewId
    clock: Clock

    def record(
        self, work: Any, invoice: JobInvoice, *, job: str, session_id: UUID | None, environment: Environment
    ) -> JobBill:
        """Record a job's invoice and learn from it, within the unit of work that completes the job.

        ``session_id`` is the prediction that led to the job, if any. An invoice for another repair or vehicle is not
        linked to that prediction.

        Raises:
            Invalid: one or more fields are invalid; their names are under ``invoice``.
        """
        try:
            return self._record(work, invoice, job, session_id, environment)
        except Invalid as bad:
            raise Invalid(
                {f"{_FIELD}.{_REQUEST_NAMES.get(name, name)}": texts for name, texts in bad.fields.items()}
            ) from None

    def _record(
        self,
        work: PredictionsWork,
        invoice: JobInvoice,
        job: str,
        session_id: UUID | None,
        environment: Environment,
    ) -> JobBill:
        prediction = None if session_id is None else _prediction(work, session_id, environment)
        problem_id, vehicle_id = self._find_repair(work, invoice, prediction)
        answers = prediction is not None and (problem_id, vehicle_id) == (
            prediction.problem_id,
            prediction.vehicle_id,
        )
        vin = invoice.vin or (
            prediction.vin if prediction is not None and vehicle_id == prediction.vehicle_id else None
        )
        data = CreateTransaction(
            vehicle_id=vehicle_id,
            problem_id=problem_id,
            performed_on=invoice.performed_on or self.clock().date(),
            labor_hours=invoice.labor_hours,
            labor_rate=invoice.labor_rate,
            parts=invoice.parts,
            parts_total=invoice.parts_total,
            mileage=invoice.mileage,
            notes=f"Job {job}",
            session_id=session_id if answers else None,
            facility_id=_facility(work, invoice.facility_id),
            vin=vin,
        )
        zip_code = invoice.zip_code or (None if prediction is None else prediction.zip_code)
        transaction = self.transactions.record_within(work, data, _on_behalf(environment), zip_code=zip_code)
        if invoice.total is not None and invoice.total != transaction.total:
            raise Invalid(
                {
                    "total": [
                        f"The total field must be the sum of parts and labor, ${transaction.total / 100:,.2f}."
                    ]
                }
            )
        if not transaction.total:
            raise Invalid(
                {"total": ["The invoice must total at least $0.01; omit it if nothing was charged."]}
            )
        return JobBill(
            transaction_id=transaction.id,
            parts_total=transaction.parts_total,
            labor_total=transaction.labor_total,
            total=transaction.total,
            estimate=_estimated(prediction) if prediction is not None and answers else None,
        )

    def _find_repair(
        self, work: PredictionsWork, invoice: JobInvoice, prediction: PastPrediction | None
    ) -> tuple[int, UUID]:
        """Return the ids of an invoice's repair and vehicle; its own fields take precedence over the prediction.

        Raises:
            Invalid: the repair or the vehicle is missing or unknown.
        """
        errors: FieldErrors = {}
        problem_id = None if prediction is None else prediction.problem_id
        vehicle_id = None if prediction is None else prediction.vehicle_id
        if invoice.problem_identifier is not None:
            problem = _problem(work, invoice.problem_identifier)
            problem_id = None if problem is None else problem.id
        if invoice.vin is not None:
            vehicle = self._vehicle(work, invoice.vin, errors)
            vehicle_id = None if vehicle is None else vehicle.id
        if problem_id is None:
            errors["problem_identifier"] = [
                "The problem identifier field must be the id or the slug of a repair."
                if invoice.problem_identifier is not None
                else "The problem identifier field is required: no prediction led to this job."
            ]
        if vehicle_id is None and not errors.get("vin"):
            errors["vin"] = ["The vin field is required: no prediction led to this job."]
        if errors or problem_id is None or vehicle_id is None:
            raise Invalid(errors)
        return problem_id, vehicle_id

    def _vehicle(self, work: PredictionsWork, text: str, errors: FieldErrors) -> Vehicle | None:
        vin = vins.normalize(text)
        vin_errors = vins.validate(vin)
        if vin_errors:
            errors["vin"] = vin_errors
            return None
        vehicle = work.vehicles.find_by_vin(vin)
        if vehicle is not None:
            return vehicle
        decoded = self.decode(vin)
        if decoded is None:
            errors["vin"] = ["No vehicle with this VIN is known."]
            return None
        made = Vehicle(id=self.new_id(), vin=vin[:11], specs=decoded, created_at=self.clock())
        return work.vehicles.add(made)


def _prediction(work: PredictionsWork, session_id: UUID, environment: Environment) -> PastPrediction | None:
    # A partner's job may come from the estimate of any user.
    return work.past_predictions.find(session_id, environment=environment, owner_id=None)


def _facility(work: PredictionsWork, facility_id: int | None) -> int | None:
    # The shop may have been deleted since the job began.
    return None if facility_id is None or work.facilities.by_id(facility_id) is None else facility_id


def _problem(work: PredictionsWork, identifier: str) -> Problem | None:
    number, slug = identifiers.parse_problem_id(identifier), identifiers.parse_slug(identifier)
    if number is not None:
        return work.problems.find(number)
    return None if slug is None else work.problems.find_by_slug(slug)


def _estimated(prediction: PastPrediction) -> Estimated:
    return Estimated(
        session_id=prediction.session_id, low=prediction.low, average=prediction.average, high=prediction.high
    )


def _on_behalf(environment: Environment) -> Caller:
    """Return the installation as the caller in an environment: partners are not users."""
    return Caller(user_id=None, role=Role.ADMIN, environment=environment, credential=Credential.LOCAL)

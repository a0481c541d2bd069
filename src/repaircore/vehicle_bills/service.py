"""Record, list and delete bills."""

from collections.abc import Callable
from datetime import date, timedelta
from uuid import UUID

from attrs import fields, frozen

from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.paging import Page, PageRequest, require_page
from repaircore.kernel.rules import FieldErrors, field_errors, sentence
from repaircore.kernel.types import Clock
from repaircore.vehicle_bills.errors import NoSuchBill
from repaircore.vehicle_bills.model import VehicleBill
from repaircore.vehicle_bills.ports import FindProblem, FindVehicle, OpenWork
from repaircore.vehicle_bills.validation import RecordBill, bill_of


@frozen(kw_only=True)
class VehicleBills:
    """Use cases for the bills of vehicles in the caller's garage; ``vehicle`` is an id or a VIN."""

    transaction: OpenWork
    read: OpenWork
    find_vehicle: FindVehicle
    find_problem: FindProblem
    new_id: Callable[[], UUID]
    clock: Clock

    def record(self, vehicle: str, bill: RecordBill, caller: Caller = LOCAL) -> VehicleBill:
        """Record a bill, and return it. If it names a repair in the book, the repair counts as done on that day.

        Raises:
            Invalid: with every bad field.
            NotInGarage: the caller has no such vehicle.
            TooManyBills: the vehicle already has ``MOST_BILLS``.
        """
        vehicle_id = self.find_vehicle(vehicle, caller).id
        given = {field.name: getattr(bill, field.name) for field in fields(RecordBill)}
        if errors := field_errors(RecordBill, given) | self.validate(**given):
            raise Invalid(errors)
        problem = self.find_problem(bill.problem_identifier) if bill.problem_identifier else None
        recorded = bill_of(bill, problem, id=self.new_id(), vehicle_id=vehicle_id, at=self.clock())
        with self.transaction() as work:
            work.vehicle_bills.add(recorded)
        return recorded

    def page(self, vehicle: str, request: PageRequest, caller: Caller = LOCAL) -> Page[VehicleBill]:
        """Return a page of a vehicle's bills, newest first unless sorted by one of ``BILL_SORTS``.

        Raises:
            Invalid: on ``cursor`` or ``sort``, or as for ``require_page``.
            NotInGarage: the caller has no such vehicle.
        """
        require_page(request.number, request.per_page)
        vehicle_id = self.find_vehicle(vehicle, caller).id
        with self.read() as work:
            return work.vehicle_bills.page(vehicle_id, request)

    def remove(self, vehicle: str, bill: str, caller: Caller = LOCAL) -> VehicleBill:
        """Delete a bill, and return it.

        Raises:
            NoSuchBill: the vehicle has no bill with this id.
            NotInGarage: the caller has no such vehicle.
        """
        vehicle_id, bill_id = self.find_vehicle(vehicle, caller).id, parse_uuid(bill)
        with self.transaction() as work:
            removed = None if bill_id is None else work.vehicle_bills.remove(vehicle_id, bill_id)
            if removed is None:
                raise NoSuchBill
            return removed

    def validate(self, **given: object) -> FieldErrors:
        """Return the errors in the given fields, whose types are already checked; a title or a repair is required."""
        found: FieldErrors = {}
        on, problem = given.get("on"), given.get("problem_identifier")
        # East of UTC, it may already be tomorrow.
        if isinstance(on, date) and on > self.clock().date() + timedelta(days=1):
            found["on"] = [sentence("on", "must not be in the future")]
        if isinstance(problem, str) and problem.strip():
            if self.find_problem(problem.strip()) is None:
                found["problem_identifier"] = ["The selected problem identifier is invalid."]
        elif not str(given.get("title") or "").strip():
            found["title"] = [
                "Send a title of up to 200 characters, or a problem_identifier, to say what the bill was for."
            ]
        return found

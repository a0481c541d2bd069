"""Finding customers, or making them known."""

from typing import Final

from attrs import frozen

from repaircore.customers.model import Customer, NewCustomer, ResolvedCustomer
from repaircore.customers.ports import CustomersWork, OpenWork
from repaircore.customers.rules import settled, validate
from repaircore.customers.views import customer_told
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.events import Event
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.types import Clock, NewId

_TRIES: Final = 3


@frozen(kw_only=True)
class CustomerBook:
    """The use cases of customers."""

    transaction: OpenWork
    new_id: NewId
    clock: Clock

    def validate(self, **told: str | None) -> dict[str, list[str]]:
        """Name what is wrong with what is told of a customer; what is not told is not judged."""
        return validate(**told)

    def resolve(self, told: NewCustomer, caller: PartnerCaller) -> ResolvedCustomer:
        """Find a customer by e-mail or phone, or make them known; who is found is told as they are kept.

        Raises:
            Conflict: the e-mail is one customer's and the phone another's; ``details`` name both.
            Invalid: every bad field is named.
        """
        wrong = validate(
            first_name=told.first_name,
            last_name=told.last_name,
            email=told.email,
            phone=told.phone,
            address=told.address,
        )
        if wrong:
            raise Invalid(wrong)
        asked = settled(told)
        with self.transaction() as work:
            # Who is in the way of a new one may be erased before we look: then there is room.
            for _ in range(_TRIES):
                added = self._added(work, asked, caller)
                if added is not None:
                    return ResolvedCustomer(customer=added, created=True)
                alike = work.customers.alike(asked, caller)
                if alike:
                    return ResolvedCustomer(customer=_only(alike[0], alike[-1]), created=False)
        raise Conflict("The customer is being changed by somebody else.", retry_after=1)

    def _added(self, work: CustomersWork, told: NewCustomer, caller: PartnerCaller) -> Customer | None:
        now = self.clock()
        added = work.customers.add(told, caller, ref=reference(Kind.CUSTOMER, self.new_id()), at=now)
        if added is not None:
            work.outbox.add(
                Event(
                    id=reference(Kind.EVENT, self.new_id()),
                    type="customer.created",
                    partner_id=caller.partner_id,
                    environment=caller.environment,
                    subject=added.ref,
                    data=customer_told(added),
                    created_at=now,
                )
            )
        return added


def _only(first: Customer, last: Customer) -> Customer:
    if first.id != last.id:
        raise Conflict(
            "The email and the phone belong to two different customers.",
            details={"email": first.ref, "phone": last.ref},
        )
    return first

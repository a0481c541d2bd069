"""Find or create customers."""

from typing import Final

from attrs import evolve, frozen

from repaircore.customers.model import Customer, ResolveCustomer, ResolvedCustomer
from repaircore.customers.ports import CustomersWork, OpenWork
from repaircore.customers.views import CustomerView
from repaircore.json_text import plain
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.events import Event
from repaircore.kernel.phones import e164
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.rules import require_valid
from repaircore.kernel.types import Clock, NewId

_TRIES: Final = 3


@frozen(kw_only=True)
class Customers:
    """The use cases of customers."""

    transaction: OpenWork
    new_id: NewId
    clock: Clock

    def resolve(self, data: ResolveCustomer, caller: PartnerCaller) -> ResolvedCustomer:
        """Find a customer by email or phone, or create one; a customer who is found is not updated.

        Raises:
            Conflict: the email is one customer's and the phone another's; ``details`` has both references.
            Invalid: with every bad field.
        """
        require_valid(data)
        person = _normalized(data)
        with self.transaction() as work:
            # The customer that blocks a new one may be erased before it is read: then the insert succeeds.
            for _ in range(_TRIES):
                added = self._add(work, person, caller)
                if added is not None:
                    return ResolvedCustomer(customer=added, created=True)
                matches = work.customers.list_matches(person, caller)
                if matches:
                    return ResolvedCustomer(customer=_only(matches[0], matches[-1]), created=False)
        raise Conflict("The customer is being changed concurrently.", retry_after=1)

    def _add(self, work: CustomersWork, person: ResolveCustomer, caller: PartnerCaller) -> Customer | None:
        now = self.clock()
        added = work.customers.add(person, caller, ref=reference(Kind.CUSTOMER, self.new_id()), at=now)
        if added is not None:
            work.outbox.add(
                Event(
                    id=reference(Kind.EVENT, self.new_id()),
                    type="customer.created",
                    partner_id=caller.partner_id,
                    environment=caller.environment,
                    subject=added.ref,
                    data=plain(CustomerView.of(added)),
                    created_at=now,
                )
            )
        return added


def _normalized(data: ResolveCustomer) -> ResolveCustomer:
    return evolve(
        data,
        first_name=data.first_name.strip(),
        last_name=data.last_name.strip(),
        email=data.email.strip(),
        phone=e164(data.phone) or data.phone,
        address=(data.address or "").strip() or None,
    )


def _only(first: Customer, last: Customer) -> Customer:
    if first.id != last.id:
        raise Conflict(
            "The email and the phone belong to two different customers.",
            details={"email": first.ref, "phone": last.ref},
        )
    return first

"""Find, create, list and update customers."""

from typing import Final

from attrs import evolve, fields_dict, frozen

from repaircore.customers.errors import CustomerNotFound
from repaircore.customers.model import (
    ALL_CUSTOMERS,
    Customer,
    CustomerFilter,
    ResolveCustomer,
    ResolvedCustomer,
    UpdateCustomer,
)
from repaircore.customers.ports import CustomersWork, OpenWork
from repaircore.customers.views import CustomerView
from repaircore.json_text import plain
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.emails import fold_email
from repaircore.kernel.errors import Conflict
from repaircore.kernel.events import Event
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_days, require_page
from repaircore.kernel.phones import e164
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.rules import require_valid
from repaircore.kernel.texts import stripped
from repaircore.kernel.types import Clock, NewId

_TRIES: Final = 3
_GIVEN: Final = tuple(fields_dict(ResolveCustomer))


@frozen(kw_only=True)
class Customers:
    """Use cases for customers."""

    transaction: OpenWork
    read: OpenWork
    new_id: NewId
    clock: Clock

    def resolve(self, data: ResolveCustomer, caller: PartnerCaller) -> ResolvedCustomer:
        """Find a customer by e-mail or phone, or create one; a customer who is found is not updated.

        Raises:
            Conflict: the e-mail and the phone belong to different customers, with their references in ``details``, or
                another request is changing the customer.
            Invalid: with every bad field.
        """
        require_valid(data)
        person = _normalized(data)
        with self.transaction() as work:
            # The customer who blocked the insert may be erased before they are read; the next insert then succeeds.
            for _ in range(_TRIES):
                added = self._add(work, person, caller)
                if added is not None:
                    return ResolvedCustomer(customer=added, created=True)
                matches = work.customers.list_matches(person, caller)
                if matches:
                    found = _require_same(matches[0], matches[-1])
                    return ResolvedCustomer(
                        customer=found, created=False, not_taken=_differing(found, person)
                    )
        raise Conflict("Another request is changing this customer. Try again.", retry_after=1)

    def get(self, ref: str, caller: PartnerCaller) -> Customer:
        """Return a customer.

        Raises:
            CustomerNotFound: the caller has no such customer.
        """
        with self.read() as work:
            return _get(work, ref, caller)

    def list_page(
        self,
        caller: PartnerCaller,
        wanted: CustomerFilter = ALL_CUSTOMERS,
        *,
        request: PageRequest = FIRST_PAGE,
    ) -> Page[Customer]:
        """Return a page of the caller's customers, newest first. A phone number may be written in any format.

        Raises:
            Invalid: on ``page``, ``per_page``, ``cursor`` and ``date_to``.
        """
        require_page(request.number, request.per_page)
        require_days(wanted.date_from, wanted.date_to)
        if wanted.phone is not None:
            wanted = evolve(wanted, phone=e164(wanted.phone) or wanted.phone)
        with self.read() as work:
            return work.customers.list_page(wanted, caller, request)

    def update(self, ref: str, data: UpdateCustomer, caller: PartnerCaller) -> Customer:
        """Update the given fields, and return the customer. Values that are already stored create no event.

        Raises:
            CustomerNotFound: the caller has no such customer.
            Conflict: another customer has the e-mail or the phone; ``details`` has their reference for each.
            Invalid: with every bad field.
        """
        require_valid(data)
        with self.transaction() as work:
            old = _get(work, ref, caller)
            new = _updated(old, data)
            if new == old:
                return old
            new = evolve(new, updated_at=self.clock())
            if not work.customers.replace(new, caller):
                raise _taken_error(work, old, new, caller)
            self._add_event(work, "customer.updated", new, caller)
            return new

    def _add(self, work: CustomersWork, person: ResolveCustomer, caller: PartnerCaller) -> Customer | None:
        now = self.clock()
        added = work.customers.add(person, caller, ref=reference(Kind.CUSTOMER, self.new_id()), at=now)
        if added is not None:
            self._add_event(work, "customer.created", added, caller)
        return added

    def _add_event(
        self, work: CustomersWork, event_type: str, customer: Customer, caller: PartnerCaller
    ) -> None:
        work.outbox.add(
            Event(
                id=reference(Kind.EVENT, self.new_id()),
                type=event_type,
                partner_id=caller.partner_id,
                environment=caller.environment,
                subject=customer.ref,
                data=plain(CustomerView.of(customer)),
                created_at=customer.updated_at,
            )
        )


def _get(work: CustomersWork, ref: str, caller: PartnerCaller) -> Customer:
    found = work.customers.find(ref, caller)
    if found is None:
        raise CustomerNotFound
    return found


def _updated(old: Customer, data: UpdateCustomer) -> Customer:
    return evolve(
        old,
        first_name=old.first_name if data.first_name is None else data.first_name.strip(),
        last_name=old.last_name if data.last_name is None else data.last_name.strip(),
        email=old.email if data.email is None else data.email.strip(),
        phone=old.phone if data.phone is None else e164(data.phone) or data.phone,
        address=old.address if data.address is None else stripped(data.address),
        metadata=old.metadata if data.metadata is None else data.metadata,
    )


def _taken_error(work: CustomersWork, old: Customer, new: Customer, caller: PartnerCaller) -> Conflict:
    """Return the error for an e-mail or a phone that another customer has."""
    sought = ResolveCustomer(
        first_name="", last_name="", email=new.email or "", phone=new.phone or "", address=None
    )
    others = [each for each in work.customers.list_matches(sought, caller) if each.id != old.id]
    details = {
        name: other.ref
        for other in others
        for name, is_theirs in (
            ("email", fold_email(other.email or "") == fold_email(sought.email)),
            ("phone", other.phone == sought.phone),
        )
        if is_theirs
    }
    return Conflict("Another customer has this e-mail or phone.", details=details)


def _differing(found: Customer, given: ResolveCustomer) -> tuple[str, ...]:
    """Return the names of given fields that differ from the stored customer's, ignoring the case of the e-mail."""
    stored = evolve(found, email=fold_email(found.email or ""))
    given = evolve(given, email=fold_email(given.email))
    return tuple(
        name
        for name in _GIVEN
        if getattr(given, name) is not None and getattr(given, name) != getattr(stored, name)
    )


def _normalized(data: ResolveCustomer) -> ResolveCustomer:
    return evolve(
        data,
        first_name=data.first_name.strip(),
        last_name=data.last_name.strip(),
        email=data.email.strip(),
        phone=e164(data.phone) or data.phone,
        address=stripped(data.address),
    )


def _require_same(first: Customer, last: Customer) -> Customer:
    if first.id != last.id:
        raise Conflict(
            "The e-mail and the phone belong to two different customers.",
            details={"email": first.ref, "phone": last.ref},
        )
    return first

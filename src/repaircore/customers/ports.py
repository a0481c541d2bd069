"""Ports for customers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.customers.model import Customer, CustomerFilter, ResolveCustomer
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.events import Outbox
from repaircore.kernel.paging import Page, PageRequest


class CustomerRecords(Protocol):
    """The stored customers. A caller does not find those of another partner or environment."""

    def add(self, data: ResolveCustomer, caller: PartnerCaller, *, ref: str, at: datetime) -> Customer | None:
        """Store a new customer and return it, or return None if the caller already has one with this e-mail or phone.

        Of several concurrent calls for the same person, one stores the customer; the others wait for it and return
        None.
        """

    def list_matches(self, data: ResolveCustomer, caller: PartnerCaller) -> Sequence[Customer]:
        """List the caller's customers with this e-mail (ignoring case) or phone; an e-mail match comes first."""

    def list_page(
        self, wanted: CustomerFilter, caller: PartnerCaller, request: PageRequest
    ) -> Page[Customer]:
        """Return a page of the caller's customers that a filter selects, newest first, without erased ones.

        Raises:
            Invalid: on ``cursor``.
        """

    def replace(self, customer: Customer, caller: PartnerCaller) -> bool:
        """Update a customer, and return whether this was possible.

        Return False, changing nothing, if the e-mail or phone is taken or the customer was erased.
        """

    def find(self, ref: str, caller: PartnerCaller) -> Customer | None:
        """Return the caller's customer with a reference, or None if there is none or it was erased.

        Erased customers are not found, so that nothing new refers to them.
        """

    def find_by_id(self, customer_id: int, caller: PartnerCaller) -> Customer | None:
        """Return the caller's customer with an id, or None if there is none.

        Erased customers are found, because older records refer to them.
        """

    def find_all(self, ids: Collection[int]) -> Mapping[int, Customer]:
        """Return customers of any partner by id, in one query, including erased ones; unknown ids are omitted."""


class CustomersWork(Protocol):
    """The part of a unit of work that customers need."""

    @property
    def customers(self) -> CustomerRecords:
        """The stored customers."""

    @property
    def outbox(self) -> Outbox:
        """The events for subscribers."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[CustomersWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""

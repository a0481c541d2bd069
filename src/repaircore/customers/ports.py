"""What customers need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.customers.model import Customer, NewCustomer
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.events import Outbox


class Customers(Protocol):
    """The kept customers. Those of another partner or environment are, to a caller, not there."""

    @abstractmethod
    def add(self, told: NewCustomer, caller: PartnerCaller, *, ref: str, at: datetime) -> Customer | None:
        """Keep a new customer; None, and nothing is kept, when the caller has one with this e-mail or this phone.

        Of several who add the same one at once, one does; the others wait for it and get None.
        """

    @abstractmethod
    def alike(self, told: NewCustomer, caller: PartnerCaller) -> Sequence[Customer]:
        """List the caller's customers with this e-mail (whatever its case) or this phone, the one with the e-mail first."""

    @abstractmethod
    def by_ref(self, ref: str, caller: PartnerCaller) -> Customer | None:
        """Give the caller's customer of a reference; None also of one who was erased: nothing new is about them."""

    @abstractmethod
    def by_id(self, customer_id: int, caller: PartnerCaller) -> Customer | None:
        """Give the caller's customer of a number, erased ones too: what is kept refers to them."""


class CustomersWork(Protocol):
    """The part of a unit of work that customers need."""

    @property
    @abstractmethod
    def customers(self) -> Customers:
        """The kept customers."""

    @property
    @abstractmethod
    def outbox(self) -> Outbox:
        """What happened, for whoever subscribed to it."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[CustomersWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""

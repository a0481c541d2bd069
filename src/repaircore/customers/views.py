"""Customers as the partner API and its events show them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Self

from repaircore.customers.model import Customer
from repaircore.kernel.callers import Environment
from repaircore.kernel.views import view


@view
class CustomerView:
    """A customer; ``external_ref`` and ``ref`` are the same."""

    id: int
    ref: str
    external_ref: str
    environment: Environment
    first_name: str
    last_name: str
    email: str
    phone: str
    address: str | None
    metadata: Mapping[str, str]
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, customer: Customer) -> Self:
        """Return the view of a customer, who must not be erased."""
        return cls(
            id=customer.id,
            ref=customer.ref,
            external_ref=customer.ref,
            environment=customer.environment,
            first_name=customer.first_name,
            last_name=customer.last_name,
            email=customer.email or "",
            phone=customer.phone or "",
            address=customer.address,
            metadata=customer.metadata or {},
            created_at=customer.created_at,
            updated_at=customer.updated_at,
        )

"""Customers as the API and the events show them."""

from typing import Any

from repaircore.customers.model import Customer
from repaircore.kernel.views import iso_utc


def customer_told(customer: Customer) -> dict[str, Any]:
    """Tell of a customer; ``external_ref`` and ``ref`` are the same."""
    return {
        "id": customer.id,
        "ref": customer.ref,
        "external_ref": customer.ref,
        "environment": customer.environment.value,
        "first_name": customer.first_name,
        "last_name": customer.last_name,
        "email": customer.email,
        "phone": customer.phone,
        "address": customer.address,
        "created_at": iso_utc(customer.created_at),
        "updated_at": iso_utc(customer.updated_at),
    }

"""Customers."""

from datetime import datetime

from attrs import frozen

from repaircore.kernel.callers import Environment


@frozen(kw_only=True)
class NewCustomer:
    """What a partner tells of somebody; ``phone`` is in E.164, texts have no space around."""

    first_name: str
    last_name: str
    email: str
    phone: str
    address: str | None = None


@frozen(kw_only=True)
class Customer:
    """Somebody, as one partner knows them in one environment.

    ``ref`` (``cus_…``) and ``id`` both name them. Of an erased one no text is left: ``email``, ``phone`` and
    ``address`` are None, and only what refers to them still finds them.
    """

    id: int
    ref: str
    partner_id: int
    environment: Environment
    first_name: str
    last_name: str
    email: str | None
    phone: str | None
    address: str | None
    created_at: datetime
    updated_at: datetime


@frozen(kw_only=True)
class ResolvedCustomer:
    """A customer, and whether they were not known before."""

    customer: Customer
    created: bool

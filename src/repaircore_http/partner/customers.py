"""Customers: found, or made known."""

from attrs import asdict, frozen
from flask import Response

from repaircore.customers.model import NewCustomer
from repaircore.customers.views import customer_told
from repaircore.kernel.errors import Conflict
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Need, Routes, partner_caller
from repaircore_http.json_io import read
from repaircore_http.partner.dialect import PREFIX, partner, replied
from repaircore_http.told.partners import Customer

customers = Routes(
    "partner_customers",
    url_prefix=f"{PREFIX}/customers",
    need=Need.PARTNER,
    dialect=partner,
    tag="partner customers",
)


@frozen(kw_only=True)
class ResolveCustomer:
    """What a partner tells of somebody."""

    first_name: str
    last_name: str
    email: str
    phone: str
    address: str | None = None


@customers.post(
    "",
    once=True,
    asks=ResolveCustomer,
    tells=PartnerData[Customer],
    status=201,
    others={200: PartnerData[Customer]},
    refuses=(Conflict,),
)
def resolve() -> Response:
    """Find a customer by e-mail or phone, or make them known."""
    book = core().customers
    told = read(ResolveCustomer, validate=book.validate)
    resolved = book.resolve(NewCustomer(**asdict(told)), partner_caller())
    return replied(customer_told(resolved.customer), 201 if resolved.created else 200)

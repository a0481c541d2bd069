"""Customers: found, or made known."""

from attrs import asdict, frozen
from flask import Response

from repaircore.customers.model import NewCustomer
from repaircore.customers.views import customer_told
from repaircore.kernel.errors import Conflict
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import read_body
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.routes import Routes
from repaircore_http.told.partners import Customer

customers = Routes(
    "partner_customers",
    url_prefix=f"{PREFIX}/customers",
    auth=Auth.PARTNER,
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
    idempotent=True,
    accepts=ResolveCustomer,
    returns=PartnerData[Customer],
    status=201,
    responses={200: PartnerData[Customer]},
    raises=(Conflict,),
)
def resolve() -> Response:
    """Find a customer by e-mail or phone, or make them known."""
    book = core().customers
    told = read_body(ResolveCustomer, validate=book.validate)
    resolved = book.resolve(NewCustomer(**asdict(told)), partner_caller())
    return reply_data(customer_told(resolved.customer), 201 if resolved.created else 200)

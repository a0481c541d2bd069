"""Customers of partners."""

from flask import Response

from repaircore.customers.model import ResolveCustomer
from repaircore.customers.views import CustomerView
from repaircore.kernel.errors import Conflict
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import read_body
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.routes import Routes

customers = Routes(
    "partner_customers",
    url_prefix=f"{PREFIX}/customers",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner customers",
)


@customers.post(
    "",
    idempotent=True,
    accepts=ResolveCustomer,
    returns=PartnerData[CustomerView],
    status=201,
    responses={200: PartnerData[CustomerView]},
    raises=(Conflict,),
)
def resolve() -> Response:
    """Find a customer by email or phone, or create one."""
    resolved = core().customers.resolve(read_body(ResolveCustomer), partner_caller())
    return reply_data(CustomerView.of(resolved.customer), 201 if resolved.created else 200)

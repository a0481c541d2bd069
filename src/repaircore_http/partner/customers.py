"""Customers of partners."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.customers.model import CustomerFilter, ResolveCustomer, UpdateCustomer
from repaircore.customers.views import CustomerView
from repaircore.kernel.errors import Conflict, NotFound
from repaircore.kernel.rules import Length
from repaircore.kernel.views import view
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.listing import DaysQuery, PartnerListPage, reply_list
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.routes import Routes

customers = Routes(
    "partner_customers",
    url_prefix=f"{PREFIX}/customers",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner customers",
)


@view
class ResolvedCustomerView:
    """A customer who was found or created.

    For a customer who was found, `not_taken` names the given fields that differ from the stored ones, which stay
    unchanged: update those with PATCH.
    """

    data: CustomerView
    created: bool
    not_taken: list[str]


@frozen(kw_only=True)
class ListCustomers(DaysQuery):
    """Filters (such as e-mail or phone) and page for the list of customers."""

    email: Annotated[str, Length(1, 255)] | None = None
    phone: Annotated[str, Length(1, 50)] | None = None


@customers.get("", safe=True, query=ListCustomers, returns=PartnerListPage[CustomerView])
def index() -> Response:
    """List customers, newest first."""
    query, served, caller = read_query(ListCustomers), core().customers, partner_caller()
    wanted = CustomerFilter(
        email=query.email, phone=query.phone, date_from=query.date_from, date_to=query.date_to
    )
    return reply_list(
        query,
        lambda request: served.list_page(caller, wanted, request=request),
        CustomerView,
        CustomerView.of,
        name="customers",
        envelope=PartnerListPage,
    )


@customers.post(
    "",
    idempotent=True,
    accepts=ResolveCustomer,
    returns=ResolvedCustomerView,
    status=201,
    responses={200: ResolvedCustomerView},
    raises=(Conflict,),
)
def resolve() -> Response:
    """Find a customer by e-mail or phone, or create one."""
    resolved = core().customers.resolve(read_body(ResolveCustomer), partner_caller())
    answer = ResolvedCustomerView(
        data=CustomerView.of(resolved.customer),
        created=resolved.created,
        not_taken=[*resolved.not_taken],
    )
    return reply(answer, 201 if resolved.created else 200)


@customers.get("/<customer>", safe=True, returns=PartnerData[CustomerView], raises=(NotFound,))
def show(customer: str) -> Response:
    """Show a customer."""
    return reply_data(CustomerView.of(core().customers.get(customer, partner_caller())))


@customers.patch(
    "/<customer>",
    idempotent=True,
    accepts=UpdateCustomer,
    returns=PartnerData[CustomerView],
    raises=(NotFound, Conflict),
)
def update(customer: str) -> Response:
    """Update a customer; a blank postal address is deleted, and metadata is replaced as a whole."""
    updated = core().customers.update(customer, read_body(UpdateCustomer), partner_caller())
    return reply_data(CustomerView.of(updated))

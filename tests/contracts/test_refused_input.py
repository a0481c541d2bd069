"""Use cases of partners and operators refuse invalid input before they look anything up, as HTTP does before it calls them."""

from collections.abc import Callable

import pytest
from tests.contracts.partners import add_partner

from repaircore.appointments.validation import (
    AppointmentFilter,
    CancelAppointment,
    CreateAppointment,
    CreateHold,
    RateMechanic,
)
from repaircore.core import Core
from repaircore.customers.model import ResolveCustomer, UpdateCustomer
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL, Environment, PartnerCaller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import PageRequest
from repaircore.payments.model import PaymentFilter
from repaircore.webhooks.model import CreateSubscription, UpdateSubscription

_UNKNOWN = "apt_01m7wx6s0ce2jsmdd4rhxwsq51"
_NOTHING = PageRequest(per_page=0)


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: nothing is read."""
    return sqlite_url


@pytest.mark.parametrize(
    ("call", "fields"),
    [
        (
            lambda core, caller: core.holds.hold(CreateHold(mechanic_ref="x", date="x", time="x"), caller),
            {"mechanic_ref", "date", "time"},
        ),
        (
            lambda core, caller: core.appointments.book(
                CreateAppointment(mechanic_ref="x", customer_ref="x", date="x", time="25:00"), caller
            ),
            {"mechanic_ref", "customer_ref", "date", "time"},
        ),
        (
            lambda core, caller: core.appointments.list_page(
                caller, AppointmentFilter(customer_ref="x", mechanic_ref="x", partner_reference="")
            ),
            {"customer_ref", "mechanic_ref", "partner_reference"},
        ),
        (
            lambda core, caller: core.appointments.cancel(
                _UNKNOWN, caller, CancelAppointment(reason="x" * 2001)
            ),
            {"reason"},
        ),
        (
            lambda core, caller: core.appointments.reschedule(_UNKNOWN, caller, date="x", time="24:00"),
            {"date", "time"},
        ),
        (
            lambda core, caller: core.appointments.rate(_UNKNOWN, RateMechanic(rating=6), caller),
            {"rating"},
        ),
        (lambda core, _: core.mechanic_responses.decline("x", reason="x" * 501), {"reason"}),
        (lambda core, caller: core.customers.list_page(caller, request=_NOTHING), {"per_page"}),
        (
            lambda core, caller: core.customers.resolve(
                ResolveCustomer(first_name=" ", last_name="\a", email="x", phone="x"), caller
            ),
            {"first_name", "last_name", "email", "phone"},
        ),
        (
            lambda core, caller: core.customers.update("cus_x", UpdateCustomer(email="x"), caller),
            {"email"},
        ),
        (
            lambda core, caller: core.webhooks.create(
                CreateSubscription(url="", events=(), description="x" * 256), caller
            ),
            {"url", "events", "description"},
        ),
        (lambda core, caller: core.webhooks.list_page(caller, request=_NOTHING), {"per_page"}),
        (
            lambda core, caller: core.webhooks.list_deliveries("whs_x", caller, request=_NOTHING),
            {"per_page"},
        ),
        (lambda core, _: core.partners.create(" ", "moon"), {"name", "environment"}),
        (lambda core, _: core.partners.list_page(number=0), {"page"}),
        (lambda core, _: core.mechanics.list_page(per_page=0), {"per_page"}),
        (
            lambda core, _: core.facilities.create(
                CreateFacility(facility_name="", city="x" * 256, avg_labor_rate=-0.01)
            ),
            {"facility_name", "city", "avg_labor_rate"},
        ),
        (
            lambda core, _: core.refunds.refund(
                "x", LOCAL, environment=Environment.TEST, reason="x" * 256
            ),
            {"reason"},
        ),
        (
            lambda core, caller: core.payments.list_page(
                PaymentFilter(environment=caller.environment), per_page=0
            ),
            {"per_page"},
        ),
        (lambda core, caller: core.unpaid_rides.list_page(caller.environment, per_page=0), {"per_page"}),
        (lambda core, _: core.audit.page(request=_NOTHING), {"per_page"}),
    ],
)  # fmt: skip
def test_invalid_input_is_refused_with_every_field(
    core: Core, call: Callable[[Core, PartnerCaller], object], fields: set[str]
) -> None:
    caller = add_partner(core.storage.database)
    with pytest.raises(Invalid) as caught:
        call(core, caller)

    assert caught.value.fields.keys() == fields


def test_invalid_changes_of_a_webhook_are_refused(core: Core) -> None:
    caller = add_partner(core.storage.database)
    created = core.webhooks.create(CreateSubscription(url="https://example.com/", events=("*",)), caller)
    for changes in (UpdateSubscription(events=()), UpdateSubscription(url="ftp://example.com/")):
        with pytest.raises(Invalid):
            core.webhooks.update(created.subscription.ref, changes, caller)

    assert core.webhooks.list_page(caller).items == (created.subscription,)

"""P17: a partner reads one ride behind gunicorn: the token, the suspension, the limits and the headers, over HTTP.

As in P1, CPU seconds of the server per request are compared with those of a bare Flask route; PostgreSQL's own CPU does not count.
Many partners take turns, so that none reaches its limit, which stays as it is.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack

from bench.installation import Installation, installation, postgres_database
from bench.served import CLIENTS, PLAIN_WORKER, Target, clients, cpu_ratio, request_bytes, served
from bench.table import Row, tell
from repaircore.core import Core, build
from repaircore.customers.model import ResolveCustomer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.geo import Point
from repaircore.rides.requests import CreateRide, Trip
from repaircore.settings import Settings

_APP = "repaircore_http.wsgi:make_app()"
_BARE = "bench.bare:make_app()"
_PARTNERS = 100
_TRIP = Trip(service="battery_jump_start", pickup=Point(34.05, -118.25), dropoff=Point(34.15, -118.15))


def rows(*, rounds: int = 9, each: int = 1_000) -> list[Row]:
    with clients(2 * CLIENTS) as pool, ExitStack() as stack:
        pool.submit(os.getpid).result()  # fork the clients before anything else is open
        made = stack.enter_context(installation())
        bare = (
            stack.enter_context(served(_BARE, {}, made.folder / "bare.log", worker=PLAIN_WORKER)),
            [request_bytes("GET", "/")],
        )
        found = [_row(stack, pool, "SQLite", made, bare, 2.5, rounds, each)]
        url = stack.enter_context(postgres_database("bench_rides"))
        if url is None:
            tell("partner_rides: REPAIRCORE_TEST_POSTGRES_URL names no server")
            return found
        other = stack.enter_context(installation(url))
        return [*found, _row(stack, pool, "PostgreSQL", other, bare, 3.5, rounds, each)]


def _row(  # noqa: PLR0917 - what is compared, and for how long
    stack: ExitStack,
    pool: ProcessPoolExecutor,
    database: str,
    made: Installation,
    bare: Target,
    goal: float,
    rounds: int,
    each: int,
) -> Row:
    requests = _asks(made)
    app = stack.enter_context(served(_APP, made.environ, made.folder / "app.log"))
    ratio = cpu_ratio(pool, f"partner_rides: P17 on {database}", (app, requests), bare, rounds, each)
    return Row(f"P17 partner reads one ride over HTTP, {database}", "bare Flask route, CPU", ratio, goal)


def _asks(made: Installation) -> Sequence[bytes]:
    """Give each of many partners a ride, and return their requests for it, by open sessions."""
    core = build(Settings.from_env(made.environ))
    try:
        return [_ask(core, number) for number in range(_PARTNERS)]
    finally:
        core.close()


def _ask(core: Core, number: int) -> bytes:
    created = core.partners.create(f"Partner {number}", "live")
    caller = PartnerCaller(partner_id=created.partner.id, environment=Environment.LIVE)
    person = ResolveCustomer(
        first_name="Ada", last_name="Byron", email="ada@example.com", phone="+12025550100"
    )
    customer = core.customers.resolve(person, caller).customer
    ride = core.rides.create(
        CreateRide(trip=_TRIP, customer_ref=customer.ref, payment_method="pm_card_visa"), caller
    )
    token = core.partner_sessions.open(created.key.public_key).token
    return request_bytes("GET", f"/api/v1/partner/mobile-rides/{ride.ref}", token=token)

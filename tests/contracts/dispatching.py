"""Providers with their requests and notices, for tests."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from attrs import evolve, field, frozen
from tests.contracts.rides import PICKUP, create_ride
from typing_extensions import override

from repaircore.adapters.payments.sandbox import SandboxGateway
from repaircore.adapters.sql.schema.operations import audit
from repaircore.core import Core
from repaircore.dispatch.jobs import ProviderJob
from repaircore.dispatch.model import Delivery, DispatchRequest, Notice
from repaircore.dispatch.ports import Notices
from repaircore.dispatch.requests import ProviderRequests
from repaircore.dispatch.service import Dispatch
from repaircore.json_text import decode
from repaircore.kernel.callers import LOCAL, Environment, PartnerCaller, ProviderCaller
from repaircore.kernel.references import Kind, reference
from repaircore.providers.businesses import Business, RideType
from repaircore.providers.drivers import Driver, Service
from repaircore.providers.model import OfferMode, Provider
from repaircore.rides.model import Ride, RideKind
from repaircore.rides.service import Rides
from repaircore.testing.ids import CountingIds

MINUTE = timedelta(minutes=1)
_ids = CountingIds()


@frozen(kw_only=True)
class NotedNotices(Notices):
    """Records each message as an audit entry in the same unit of work, so that a rollback removes it too."""

    unreachable: set[str] = field(factory=set)
    deliveries: dict[str, Delivery] = field(factory=dict)

    @override
    def reaches(self, provider: Provider) -> bool:
        return provider.ref not in self.unreachable

    @override
    def send(self, work: Any, provider: Provider, notice: Notice, *, at: Any) -> None:
        after = {"to": provider.ref, "type": notice.payload["type"], "text": notice.text}
        work.audit.add(LOCAL, "noted", notice.about, before=None, after=after, at=at)

    @override
    def withdraw(self, work: Any, about: str) -> None:
        """Do nothing: recorded messages count as sent."""

    @override
    def delivery(self, work: Any, about: str) -> Delivery:
        return self.deliveries.get(about, Delivery.SENT)


def noted(core: Core) -> list[tuple[str, str]]:
    """Return the recipient and type of each message, oldest first."""
    return [(each["to"], each["type"]) for each in noted_messages(core)]


def noted_messages(core: Core) -> list[dict[str, Any]]:
    """Return all messages, oldest first."""
    query = sa.select(audit.c.after).where(audit.c.action == "noted").order_by(audit.c.id)
    with core.storage.database.transaction(write=False) as connection:
        return [decode(after) for after in connection.execute(query).scalars()]


@frozen(kw_only=True)
class Town:
    """An installation with providers who are asked, and whose live payments go to the sandbox."""

    core: Core
    partner: PartnerCaller
    kind: RideKind
    rides: Rides
    dispatch: Dispatch
    provider_requests: ProviderRequests

    @classmethod
    def of(cls, core: Core, partner: PartnerCaller, kind: RideKind) -> "Town":
        """Build one on a core, for one kind of ride."""
        gateway = SandboxGateway(transaction=core.storage.transaction, clock=core.clock)
        payments = evolve(core.payments, gateways=dict.fromkeys(Environment, gateway))
        both = {each.kind: evolve(each, payments=payments) for each in (core.rides, core.tows)}
        return cls(
            core=core,
            partner=partner,
            kind=kind,
            rides=both[kind],
            dispatch=evolve(core.dispatch, rides=both, notices=NotedNotices()),
            provider_requests=evolve(core.provider_requests, rides=both),
        )

    def add_providers(
        self,
        number: int,
        *,
        offers: OfferMode = OfferMode.ASKED,
        since: int = 0,
        environment: Environment = Environment.LIVE,
    ) -> list[str]:
        """Add providers, each about 500 feet farther away than the last; return their references."""
        with self.core.storage.transaction() as work:
            return [self._add(work, since + each, offers, environment) for each in range(number)]

    def _add(self, work: Any, number: int, offers: OfferMode, environment: Environment) -> str:
        is_mobile = self.kind is RideKind.MOBILE
        fields: dict[str, Any] = {
            "id": 0,
            "ref": reference(Kind.DRIVER if is_mobile else Kind.BUSINESS, _ids()),
            "environment": environment,
            "name": f"Number {number}",
            "phone": f"+1202555{number:04}",
            "offers": offers,
            "email": f"number{number}@example.com",
            "vehicle": "white Ford F-450",
            "plate": f"TOW {number}",
            "point": evolve(PICKUP, latitude=PICKUP.latitude + (number + 1) / 700),
            "time_zone": "America/Los_Angeles",
            "created_at": self.core.clock(),
            "updated_at": self.core.clock(),
        }
        added: Provider | None
        if is_mobile:
            added = work.drivers.add(Driver(**fields, abilities=frozenset({Service.BATTERY_JUMP_START})))
        else:
            added = work.businesses.add(Business(**fields, abilities=frozenset({RideType.FLATBED})))
        assert added is not None
        return added.ref

    def create(self, **fields: Any) -> Ride:
        """Create a ride of the live environment."""
        return create_ride(
            self.core, self.rides, self.partner, **{"payment_method": "pm_card_visa", **fields}
        )

    def ride(self, ref: str) -> Ride:
        """Return a ride as it is stored."""
        return self.rides.get(ref, None).ride

    def requests(self, ref: str) -> list[DispatchRequest]:
        """Return the requests for a ride, oldest first."""
        with self.core.storage.read() as work:
            return work.dispatch_requests.list_for(ref)

    def statuses(self, ref: str) -> list[str]:
        """Return the statuses of the requests for a ride, oldest first."""
        return [str(request.status) for request in self.requests(ref)]

    def steps(self, ref: str) -> list[tuple[str, str]]:
        """Return the steps of a ride's timeline, each with its actor."""
        return [(step.action, step.actor) for step in self.rides.get(ref, None).steps]

    def token(self, request: DispatchRequest) -> str:
        """Return the token of a request's link."""
        return self.dispatch.links.token(request.ref)

    def job(self, request: DispatchRequest) -> ProviderJob:
        """Return the job of a request, as its provider sees it."""
        return self.provider_requests.get(request.ref, caller_of(request))


def caller_of(request: DispatchRequest) -> ProviderCaller:
    """Return the provider who got a request."""
    return ProviderCaller(provider_ref=request.provider_ref, environment=request.environment)

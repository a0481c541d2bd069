"""Wiring of roadside help: rides, tows, providers, mechanics, appointments and payments."""

import time
from typing import TYPE_CHECKING

import attrs

from repaircore.adapters.crypto.installation import derived
from repaircore.adapters.crypto.quotes import HmacDestinationQuotes, HmacQuotes
from repaircore.adapters.lookups.zip_codes import NearestZones, ShippedZipCodes
from repaircore.adapters.payments.sandbox import SandboxGateway
from repaircore.adapters.shipped.fares import read_fares
from repaircore.adapters.sql.ride_details import SqlRideDetails
from repaircore.appointments.cancellation import CancellationPolicy
from repaircore.appointments.holds import Holds
from repaircore.appointments.records import AppointmentLog
from repaircore.appointments.reminders import Reminders
from repaircore.appointments.responses import MechanicLinks, MechanicResponses
from repaircore.appointments.service import Appointments
from repaircore.destinations.service import DestinationChanges
from repaircore.dispatch.candidates import DirectoryCandidates
from repaircore.kernel.callers import Environment
from repaircore.kernel.ids import parse_uuid
from repaircore.mechanics.search import MechanicSearch
from repaircore.mechanics.service import Mechanics
from repaircore.payments.ports import PaymentNews
from repaircore.payments.reconciliation import Reconciliation
from repaircore.payments.refunds import Refunds
from repaircore.payments.service import Payments
from repaircore.payments.statements import Statements
from repaircore.providers.businesses import BUSINESS, Business, BusinessesWork
from repaircore.providers.drivers import DRIVER, Driver, DriversWork
from repaircore.providers.records import SandboxFleet
from repaircore.providers.service import Directory
from repaircore.rides.model import RideKind
from repaircore.rides.ports import CandidateSource
from repaircore.rides.service import Rides
from repaircore.rides.transitions import RideTransitions
from repaircore.rides.unpaid import RidePaymentNews, UnpaidRides

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.kernel.masked_phones import NumberMasking
    from repaircore.payments.ports import PaymentGateway


def rides(core: "Core") -> Rides:
    """Wire mobile rides."""
    fleet = SandboxFleet(trade=DRIVER, new_id=core.new_id, clock=core.clock)
    candidates = DirectoryCandidates(
        providers_in=lambda work: work.drivers,
        fleet=fleet,
        transaction=core.storage.transaction,
        read=core.storage.read,
    )
    return _rides(core, RideKind.MOBILE, candidates)


def tows(core: "Core") -> Rides:
    """Wire tow rides."""
    fleet = SandboxFleet(trade=BUSINESS, new_id=core.new_id, clock=core.clock)
    candidates = DirectoryCandidates(
        providers_in=lambda work: work.businesses,
        fleet=fleet,
        transaction=core.storage.transaction,
        read=core.storage.read,
    )
    return _rides(core, RideKind.TOW, candidates)


def ride_destinations(core: "Core") -> DestinationChanges:
    """Wire destination changes for mobile rides."""
    return _destinations(core, core.rides)


def tow_destinations(core: "Core") -> DestinationChanges:
    """Wire destination changes for tow rides."""
    return _destinations(core, core.tows)


def _destinations(core: "Core", rides: Rides) -> DestinationChanges:
    ports = {each.name: getattr(rides, each.name) for each in attrs.fields(RideTransitions)}
    seal = HmacDestinationQuotes(derived(core.secret, "quoted destinations"))
    return DestinationChanges(**ports, destination_seal=seal)


def _rides(core: "Core", kind: RideKind, candidates: CandidateSource) -> Rides:
    return Rides(
        kind=kind,
        transaction=core.storage.transaction,
        read=core.storage.read,
        details=SqlRideDetails(core.storage),
        defer=core.storage.after_transaction,
        payments=core.payments,
        candidates=candidates,
        invoices=core.job_invoices,
        fares=read_fares(core.settings.fares),
        seal=HmacQuotes(derived(core.secret, "quoted fares")),
        zone_at=NearestZones(),
        has_prediction=lambda session_id, environment: _has_prediction(core, session_id, environment),
        masking=_masking(core),
        new_id=core.new_id,
        clock=core.clock,
    )


def _masking(core: "Core") -> "NumberMasking | None":
    sms = core.settings.sms
    if sms.masking_url is None:
        return None
    from repaircore.adapters.delivery.number_masking import HttpNumberMasking

    return HttpNumberMasking.at(
        sms.masking_url, token=sms.token, hides_phones=sms.masking_fallback == "hidden"
    )


def _has_prediction(core: "Core", session_id: str, environment: Environment) -> bool:
    parsed = parse_uuid(session_id)
    if parsed is None:
        return False
    with core.storage.read() as work:
        found = work.past_predictions.find(parsed, environment=environment, owner_id=None)
    return found is not None


def drivers(core: "Core") -> Directory[Driver, DriversWork]:
    """Wire drivers of mobile services."""
    return Directory(
        trade=DRIVER,
        providers_in=lambda work: work.drivers,
        transaction=core.storage.transaction,
        read=core.storage.read,
        new_id=core.new_id,
        clock=core.clock,
    )


def businesses(core: "Core") -> Directory[Business, BusinessesWork]:
    """Wire towing businesses."""
    return Directory(
        trade=BUSINESS,
        providers_in=lambda work: work.businesses,
        transaction=core.storage.transaction,
        read=core.storage.read,
        new_id=core.new_id,
        clock=core.clock,
    )


def mechanics(core: "Core") -> Mechanics:
    """Wire the directory of mechanics."""
    return Mechanics(
        transaction=core.storage.transaction,
        read=core.storage.read,
        zip_codes=ShippedZipCodes(),
        new_id=core.new_id,
        clock=core.clock,
    )


def mechanic_search(core: "Core") -> MechanicSearch:
    """Wire the search for mechanics and their free times."""
    return MechanicSearch(
        read=core.storage.read,
        zip_codes=ShippedZipCodes(),
        add_sandbox=lambda state: core.mechanics.add_sandbox(state),
        clock=core.clock,
    )


def appointments(core: "Core") -> Appointments:
    """Wire appointments with mechanics."""
    return Appointments(
        transaction=core.storage.transaction,
        read=core.storage.read,
        log=_appointment_log(core),
        policy=_cancellation_policy(core),
        reminder_hours=core.settings.appointment_reminder_hours,
        invoices=core.job_invoices,
        masks_phones=core.settings.sms.masking_url is not None,
        new_id=core.new_id,
        clock=core.clock,
    )


def holds(core: "Core") -> Holds:
    """Wire holds on appointment times."""
    return Holds(transaction=core.storage.transaction, new_id=core.new_id, clock=core.clock)


def appointment_reminders(core: "Core") -> Reminders:
    """Wire appointment reminders."""
    return Reminders(
        transaction=core.storage.transaction,
        log=_appointment_log(core),
        hours=core.settings.appointment_reminder_hours,
        clock=core.clock,
    )


def mechanic_responses(core: "Core") -> MechanicResponses:
    """Wire mechanics' responses to appointments."""
    return MechanicResponses(
        transaction=core.storage.transaction,
        read=core.storage.read,
        links=_mechanic_links(core),
        log=_appointment_log(core),
        masking=_masking(core),
        clock=core.clock,
        timer=time.monotonic,
    )


def _mechanic_links(core: "Core") -> MechanicLinks:
    secret = derived(core.secret, "mechanic links")
    return MechanicLinks(secret=secret, public_url=core.settings.public_url)


def _cancellation_policy(core: "Core") -> CancellationPolicy:
    return CancellationPolicy(
        free_hours=core.settings.appointment_free_cancel_hours,
        fee=round(core.settings.appointment_cancel_fee * 100),
        no_show_fee=round(core.settings.appointment_no_show_fee * 100),
    )


def _appointment_log(core: "Core") -> AppointmentLog:
    return AppointmentLog(
        channels=lambda environment: core.messages.channels_in(environment),
        link=lambda ref: _mechanic_links(core).address(ref),
        policy=_cancellation_policy(core),
        new_id=core.new_id,
        clock=core.clock,
    )


def payments(core: "Core") -> Payments:
    """Wire payments."""
    return Payments(
        transaction=core.storage.transaction,
        read=core.storage.read,
        gateways={
            Environment.TEST: SandboxGateway(transaction=core.storage.transaction, clock=core.clock),
            Environment.LIVE: _live_gateway(core),
        },
        new_id=core.new_id,
        clock=core.clock,
        news=_payment_news(core),
    )


def _live_gateway(core: "Core") -> "PaymentGateway | None":
    secret_key = core.settings.stripe_secret_key
    if secret_key is None:
        return None
    from repaircore.adapters.payments.stripe import StripeGateway  # imports httpx

    return StripeGateway.at(core.settings.stripe_url, secret_key=secret_key)


def _payment_news(core: "Core") -> PaymentNews:
    news = RidePaymentNews(new_id=core.new_id, clock=core.clock)
    if not core.settings.metrics:
        return news
    from repaircore.adapters.metrics.payments import CountedNews

    return CountedNews(news=news, meter=core.meter)


def refunds(core: "Core") -> Refunds:
    """Wire refunds by operators."""
    return Refunds(transaction=core.storage.transaction, payments=core.payments)


def statements(core: "Core") -> Statements:
    """Wire monthly statements for partners."""
    return Statements(read=core.storage.read)


def unpaid_rides(core: "Core") -> UnpaidRides:
    """Wire rides and tows with unpaid fees."""
    return UnpaidRides(read=core.storage.read)


def payment_reconciliation(core: "Core") -> Reconciliation:
    """Wire reconciliation of interrupted payments."""
    return Reconciliation(payments=core.payments)

"""The services of the partner API: its accounts, roadside rides, appointments, payments and webhooks."""

from functools import cached_property

from repaircore import wiring
from repaircore.shared_services import SharedServices


class PartnerServices(SharedServices):
    """One attribute per service that partners, providers and mechanics use, created on first access."""

    partners = cached_property(lambda core: wiring.partner.partners(core))
    """Partner accounts, managed by operators."""

    partner_members = cached_property(lambda core: wiring.partner.partner_members(core))
    """Accounts that belong to partners, and what they do in the console."""

    partner_sessions = cached_property(lambda core: wiring.partner.partner_sessions(core))
    """Partner sessions."""

    payments = cached_property(lambda core: wiring.roadside.payments(core))
    """Payments."""

    refunds = cached_property(lambda core: wiring.roadside.refunds(core))
    """Refunds by operators."""

    statements = cached_property(lambda core: wiring.roadside.statements(core))
    """Monthly partner statements."""

    unpaid_rides = cached_property(lambda core: wiring.roadside.unpaid_rides(core))
    """Rides and tows with unpaid fees."""

    payment_reconciliation = cached_property(lambda core: wiring.roadside.payment_reconciliation(core))
    """Reconciliation of interrupted payments."""

    customers = cached_property(lambda core: wiring.partner.customers(core))
    """Partners' customers."""

    rides = cached_property(lambda core: wiring.roadside.rides(core))
    """Mobile rides."""

    tows = cached_property(lambda core: wiring.roadside.tows(core))
    """Tow rides."""

    ride_destinations = cached_property(lambda core: wiring.roadside.ride_destinations(core))
    """Changing the destinations of mobile rides."""

    tow_destinations = cached_property(lambda core: wiring.roadside.tow_destinations(core))
    """Changing the destinations of tow rides."""

    dispatch = cached_property(lambda core: wiring.dispatch.dispatch(core))
    """Ride requests to providers."""

    provider_requests = cached_property(lambda core: wiring.dispatch.provider_requests(core))
    """Providers' responses and actions."""

    proofs = cached_property(lambda core: wiring.proofs.proofs(core))
    """Proofs of jobs: photos and signatures."""

    tracking = cached_property(lambda core: wiring.proofs.tracking(core))
    """Links for tracking a job."""

    sandbox = cached_property(lambda core: wiring.dispatch.sandbox(core))
    """Provider actions that partners simulate in the test environment."""

    provider_keys = cached_property(lambda core: wiring.dispatch.provider_keys(core))
    """API keys for providers' own programs."""

    provider_webhook_secrets = cached_property(lambda core: wiring.dispatch.webhook_secrets(core))
    """The secrets that webhooks to providers are signed with."""

    drivers = cached_property(lambda core: wiring.roadside.drivers(core))
    """Drivers who provide mobile services."""

    businesses = cached_property(lambda core: wiring.roadside.businesses(core))
    """Towing businesses."""

    mechanics = cached_property(lambda core: wiring.roadside.mechanics(core))
    """The directory of mechanics."""

    mechanic_search = cached_property(lambda core: wiring.roadside.mechanic_search(core))
    """The search for mechanics and their available times."""

    appointments = cached_property(lambda core: wiring.roadside.appointments(core))
    """Appointments with mechanics."""

    holds = cached_property(lambda core: wiring.roadside.holds(core))
    """Holds, each of which reserves an appointment time for ten minutes."""

    appointment_reminders = cached_property(lambda core: wiring.roadside.appointment_reminders(core))
    """Appointment reminders."""

    mechanic_responses = cached_property(lambda core: wiring.roadside.mechanic_responses(core))
    """Mechanics' responses to appointments: they accept or decline."""

    webhooks = cached_property(lambda core: wiring.webhooks.webhooks(core))
    """Webhook subscriptions of partners and accounts."""

    deliveries = cached_property(lambda core: wiring.webhooks.deliveries(core))
    """Deliveries of events, made by workers."""

    dispatcher = cached_property(lambda core: wiring.webhooks.dispatcher(core))
    """The worker that makes due deliveries."""

    webhook_operations = cached_property(lambda core: wiring.webhooks.webhook_operations(core))
    """All partners' webhooks, for operators."""

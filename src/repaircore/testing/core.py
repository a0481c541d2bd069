"""A whole installation whose time stands still and whose passwords are quick."""

from attrs import evolve

from repaircore.adapters.fleet_signals import FleetSignals
from repaircore.adapters.lookups.cars_sandbox import SandboxCars
from repaircore.adapters.payments.sandbox import SandboxGateway
from repaircore.bootstrap import CALLBACK, Core, build
from repaircore.kernel.callers import Environment
from repaircore.kernel.types import Clock
from repaircore.learning.billing import JobInvoices
from repaircore.payments.service import Payments
from repaircore.predictions.ports import ModelPanel
from repaircore.rides.candidates import DirectoryCandidates
from repaircore.rides.service import Rides
from repaircore.settings import Settings
from repaircore.testing.passwords import PlainPasswords


def _rides(rides: Rides, payments: Payments, clock: Clock) -> Rides:
    if isinstance(rides.candidates, DirectoryCandidates):
        roster = evolve(rides.candidates, fleet=evolve(rides.candidates.fleet, clock=clock))
        rides = evolve(rides, candidates=roster)
    if isinstance(rides.invoices, JobInvoices):
        transactions = evolve(rides.invoices.transactions, clock=clock)
        rides = evolve(rides, invoices=evolve(rides.invoices, transactions=transactions, clock=clock))
    return evolve(rides, payments=payments, clock=clock)


def a_core(settings: Settings, *, clock: Clock, panel: ModelPanel | None = None) -> Core:
    """Build the core of some settings, all of it by one clock; ``panel`` takes the place of the models.

    What a vehicle is decoded by keeps the real time: it knows no model year after the next one. So do readiness, the checkup
    and when jobs are due, which watch the machine.
    """
    core = build(settings)
    vehicles = evolve(core.vehicles, clock=clock)
    regions = evolve(core.facilities, clock=clock)
    built = core.predictions.computing()
    computing = evolve(built, panel=built.panel if panel is None else panel, clock=clock)
    cars = core.connected_cars
    sandbox = SandboxCars(redirect=settings.public_url.rstrip("/") + CALLBACK, clock=clock)
    recalls = evolve(core.recalls, clock=clock)
    fleet = evolve(core.fleet, vehicles=lambda: vehicles, clock=clock)
    vehicle_recalls = evolve(core.vehicle_recalls, fleet=fleet, kept=recalls, clock=clock)
    schedules = evolve(core.schedules, fleet=fleet, clock=clock)
    scores = evolve(
        core.health_scores,
        fleet=fleet,
        recalls=vehicle_recalls,
        standing=schedules.standing,
        clock=clock,
    )
    pricing = evolve(core.price_ranges, computing=lambda: computing, clock=clock)
    conversations = evolve(
        core.chats,
        vehicles=lambda: vehicles,
        photos=evolve(core.chats.photos, vehicles=lambda: vehicles),
        clock=clock,
    )
    worth = evolve(
        core.valuations,
        fleet=fleet,
        health=lambda vehicle: scores.of_vehicle(vehicle).health.score,
        clock=clock,
    )
    compliances = evolve(core.compliance, fleet=fleet, scores=scores, clock=clock)
    payments = evolve(
        core.payments,
        gateways={
            **core.payments.gateways,
            Environment.TEST: SandboxGateway(transaction=core.storage.transaction, clock=clock),
        },
        clock=clock,
    )
    deliveries = evolve(core.deliveries, clock=clock)
    sink = FleetSignals(compliances=lambda: compliances)
    return core.replacing(
        webhooks=evolve(core.webhooks, clock=clock),
        deliveries=deliveries,
        dispatcher=evolve(core.dispatcher, deliveries=deliveries),
        webhook_operation=evolve(core.webhook_operation, deliveries=deliveries, clock=clock),
        connected_cars=evolve(cars, sandbox=sandbox, sink=sink, clock=clock),
        accounts=evolve(core.accounts, hasher=PlainPasswords(), clock=clock),
        idempotency=evolve(core.idempotency, clock=clock),
        partners=evolve(core.partners, clock=clock),
        partner_sessions=evolve(core.partner_sessions, clock=clock),
        payments=payments,
        payment_reconciliation=evolve(core.payment_reconciliation, payments=payments),
        backups=evolve(core.backups, clock=clock),
        persons=evolve(core.persons, clock=clock),
        vehicles=vehicles,
        stored_vehicles=evolve(core.stored_vehicles, clock=clock),
        lookups=evolve(core.lookups, vehicles=vehicles, clock=clock),
        catalog=evolve(core.catalog, clock=clock),
        facilities=regions,
        businesses=evolve(core.businesses, clock=clock),
        customers=evolve(core.customers, clock=clock),
        mechanics=evolve(core.mechanics, clock=clock),
        appointments=evolve(core.appointments, clock=clock),
        mails=evolve(core.mails, clock=clock),
        drivers=evolve(core.drivers, clock=clock),
        rides=_rides(core.rides, payments, clock),
        tows=_rides(core.tows, payments, clock),
        recalls=recalls,
        schedules=schedules,
        fleet=fleet,
        vehicle_recalls=vehicle_recalls,
        health_scores=scores,
        compliance=compliances,
        tires=evolve(core.tires, clock=clock),
        coverage=evolve(
            core.coverage,
            fleet=fleet,
            scores=scores,
            others=(
                worth.value_covered,
                worth.risk_covered,
                core.repair_intervals.covered,
                core.repair_sequences.covered,
            ),
        ),
        valuations=worth,
        repair_intervals=evolve(core.repair_intervals, fleet=fleet, clock=clock),
        repair_sequences=evolve(core.repair_sequences, fleet=fleet, clock=clock),
        problems=evolve(core.problems, clock=clock),
        price_ranges=pricing,
        diagnoses=evolve(core.diagnoses, vehicles=lambda: vehicles, prices=pricing.ranges, clock=clock),
        outcomes=evolve(core.outcomes, clock=clock),
        book_revisions=evolve(core.book_revisions, clock=clock),
        chats=conversations,
        questionnaire=evolve(core.questionnaire, clock=clock),
        questionnaire_editing=evolve(core.questionnaire_editing, clock=clock),
        predictions=evolve(
            core.predictions, vehicles=lambda: vehicles, computing=lambda: computing, clock=clock
        ),
        quotes=evolve(core.quotes, vehicles=lambda: vehicles, computing=lambda: computing, clock=clock),
        past_predictions=evolve(core.past_predictions, clock=clock),
        ratings=evolve(core.ratings, clock=clock),
        transactions=evolve(core.transactions, clock=clock),
        refits=evolve(core.refits, clock=clock),
        pooling=evolve(core.pooling, refits=evolve(core.refits, clock=clock), clock=clock),
        invoice_imports=evolve(core.invoice_imports, vehicles=lambda: vehicles, clock=clock),
    )

"""An installation: every use case, put together by its settings."""

import os
from collections.abc import Callable, Sequence
from copy import copy
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import UUID

from repaircore import wiring
from repaircore.settings import Settings

if TYPE_CHECKING:
    from repaircore.kernel.types import Clock, NewId


def now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)


def new_id() -> UUID:
    """Return a new UUIDv7."""
    from uuid_utils.compat import uuid7  # noqa: PLC0415 - few commands need an id

    return uuid7()


class Parts:
    """What the services of an installation share; each part is made when it is first asked for."""

    def __init__(self, settings: Settings, *, clock: "Clock" = now, new_id: "NewId" = new_id) -> None:
        self.settings = settings
        self.clock = clock
        self.new_id = new_id

    storage = cached_property(lambda core: wiring.database.storage(core))
    """The database."""

    secret = cached_property(lambda core: wiring.database.secret(core))
    """What every key of the installation is derived from."""

    windows = cached_property(lambda core: wiring.rate_limits.windows(core))
    """The rate windows of keys and logins."""

    partner_windows = cached_property(lambda core: wiring.rate_limits.partner_windows(core))
    """The rate windows of partners."""

    machine_windows = cached_property(lambda core: wiring.rate_limits.machine_windows(core))
    """Rate windows in files of this machine."""

    database_windows = cached_property(lambda core: wiring.rate_limits.database_windows(core))
    """Rate windows in the database."""

    redis_windows = cached_property(lambda core: wiring.rate_limits.redis_windows(core))
    """Rate windows in Redis."""

    prometheus = cached_property(lambda core: wiring.operations.prometheus(core))
    """The figures for Prometheus; None unless the settings say that they are kept."""

    password_hasher = cached_property(lambda core: wiring.accounts.password_hasher(core))
    """What hashes passwords."""

    webhook_secrets = cached_property(lambda core: wiring.webhooks.webhook_secrets(core))
    """What seals the secrets of subscriptions."""

    vin_catalog = cached_property(lambda core: wiring.vehicles.vin_catalog(core))
    """Which VINs belong to which models."""

    vin_reader = cached_property(lambda core: wiring.vehicles.vin_reader(core))
    """What reads VINs in photos."""

    describer = cached_property(lambda core: wiring.book.describer(core))
    """What describes repairs in the live environment."""

    price_models = cached_property(lambda core: wiring.pricing.price_models(core))
    """The two models that predict prices."""

    computation = cached_property(lambda core: wiring.pricing.computation(core))
    """What computes predictions."""

    job_invoices = cached_property(lambda core: wiring.learning.job_invoices(core))
    """The invoices of rides and appointments, learned from."""

    interpreter = cached_property(lambda core: wiring.diagnosis.interpreter(core))
    """The model that interprets what owners write; None where they are understood offline."""

    light_reader = cached_property(lambda core: wiring.diagnosis.light_reader(core))
    """The model that reads warning lights in photos; None where there is none."""


class Core(Parts):
    """An installation: an attribute for each slice's use cases, made when it is first asked for."""

    accounts = cached_property(lambda core: wiring.accounts.accounts(core))
    """Users, sessions and keys."""

    audit = cached_property(lambda core: wiring.accounts.audit(core))
    """What was changed by whom."""

    backups = cached_property(lambda core: wiring.operations.backups(core))
    """Everything in one file, and back."""

    persons = cached_property(lambda core: wiring.operations.persons(core))
    """What is stored about one person."""

    checkup = cached_property(lambda core: wiring.operations.checkup(core))
    """Whether everything is as it should be."""

    readiness = cached_property(lambda core: wiring.operations.readiness(core))
    """Whether requests can be served."""

    figures = cached_property(lambda core: wiring.operations.figures(core))
    """How things stand now."""

    meter = cached_property(lambda core: wiring.operations.meter(core))
    """Who keeps figures of what happens; nobody unless the settings say so."""

    partners = cached_property(lambda core: wiring.partner.partners(core))
    """Partner accounts, as operators keep them."""

    partner_sessions = cached_property(lambda core: wiring.partner.partner_sessions(core))
    """Sessions of partners."""

    idempotency = cached_property(lambda core: wiring.rate_limits.idempotency(core))
    """One effect and one answer for one idempotency key."""

    limits = cached_property(lambda core: wiring.rate_limits.limits(core))
    """How often who may call."""

    vehicles = cached_property(lambda core: wiring.vehicles.vehicles(core))
    """What a VIN means, and the stored vehicles."""

    stored_vehicles = cached_property(lambda core: wiring.vehicles.stored_vehicles(core))
    """The stored vehicles as operators see and change them."""

    lookups = cached_property(lambda core: wiring.vehicles.lookups(core))
    """Vehicles by their VIN or their plate."""

    connected_cars = cached_property(lambda core: wiring.vehicles.connected_cars(core))
    """Cars that report how they are."""

    payments = cached_property(lambda core: wiring.roadside.payments(core))
    """Money that is held, captured, released and refunded."""

    refunds = cached_property(lambda core: wiring.roadside.refunds(core))
    """Refunds by operators."""

    unpaid_rides = cached_property(lambda core: wiring.roadside.unpaid_rides(core))
    """Rides and tows whose fee is still owed."""

    payment_reconciliation = cached_property(lambda core: wiring.roadside.payment_reconciliation(core))
    """Payments that were left unfinished."""

    catalog = cached_property(lambda core: wiring.vehicles.catalog(core))
    """What was sold: makes, models, trims, engines."""

    catalog_rebuild = cached_property(lambda core: wiring.vehicles.catalog_rebuild(core))
    """Building the catalog from newer VIN data."""

    problems = cached_property(lambda core: wiring.book.problems(core))
    """The repair book."""

    book_revisions = cached_property(lambda core: wiring.book.book_revisions(core))
    """The repair book as open data, and an installation's own changes of it."""

    problem_overview = cached_property(lambda core: wiring.book.problem_overview(core))
    """The repair book as operators see it."""

    facilities = cached_property(lambda core: wiring.book.facilities(core))
    """Shops, and what an hour of labor costs where."""

    customers = cached_property(lambda core: wiring.partner.customers(core))
    """The people for whom partners order."""

    rides = cached_property(lambda core: wiring.roadside.rides(core))
    """Mobile rides."""

    tows = cached_property(lambda core: wiring.roadside.tows(core))
    """Tow rides."""

    drivers = cached_property(lambda core: wiring.roadside.drivers(core))
    """Drivers who come to a vehicle."""

    businesses = cached_property(lambda core: wiring.roadside.businesses(core))
    """Towing businesses."""

    mechanics = cached_property(lambda core: wiring.roadside.mechanics(core))
    """The directory of mechanics."""

    appointments = cached_property(lambda core: wiring.roadside.appointments(core))
    """What partners book with mechanics."""

    mails = cached_property(lambda core: wiring.operations.mails(core))
    """Mails to customers."""

    recalls = cached_property(lambda core: wiring.fleet.recalls(core))
    """Safety recalls."""

    fleet = cached_property(lambda core: wiring.fleet.fleet(core))
    """The cars of each owner."""

    valuations = cached_property(lambda core: wiring.fleet.valuations(core))
    """What vehicles are worth, and how they stand with their insurers."""

    repair_intervals = cached_property(lambda core: wiring.fleet.repair_intervals(core))
    """When repairs are needed again."""

    repair_sequences = cached_property(lambda core: wiring.fleet.repair_sequences(core))
    """Which repairs follow one another."""

    vehicle_recalls = cached_property(lambda core: wiring.fleet.vehicle_recalls(core))
    """The recalls of one vehicle."""

    schedules = cached_property(lambda core: wiring.fleet.schedules(core))
    """What is to be done on vehicles, and when."""

    health_scores = cached_property(lambda core: wiring.fleet.health_scores(core))
    """How well a vehicle is."""

    compliance = cached_property(lambda core: wiring.fleet.compliance(core))
    """What is reported of a vehicle from time to time."""

    tires = cached_property(lambda core: wiring.fleet.tires(core))
    """Tires, as they are reported."""

    coverage = cached_property(lambda core: wiring.fleet.coverage(core))
    """What can be answered of a vehicle."""

    predictions = cached_property(lambda core: wiring.predictions.predictions(core))
    """Predictions."""

    past_predictions = cached_property(lambda core: wiring.pricing.past_predictions(core))
    """The history of predictions."""

    accuracy = cached_property(lambda core: wiring.pricing.accuracy(core))
    """How past predictions compare to later invoices."""

    price_histories = cached_property(lambda core: wiring.learning.price_histories(core))
    """What was paid for repairs."""

    quotes = cached_property(lambda core: wiring.pricing.quotes(core))
    """Shops' quotes, checked."""

    ratings = cached_property(lambda core: wiring.pricing.ratings(core))
    """What users think of predictions."""

    transactions = cached_property(lambda core: wiring.learning.transactions(core))
    """Past repairs, and what is learned from them."""

    ledger = cached_property(lambda core: wiring.learning.ledger(core))
    """Past repairs, listed and searched."""

    refits = cached_property(lambda core: wiring.learning.refits(core))
    """Fitting the estimates to what was learned."""

    pooling = cached_property(lambda core: wiring.learning.pooling(core))
    """What was learned, to and from other installations."""

    invoice_imports = cached_property(lambda core: wiring.learning.invoice_imports(core))
    """Past repairs, a file at a time."""

    invoice_exports = cached_property(lambda core: wiring.learning.invoice_exports(core))
    """Past repairs, written to a file."""

    diagnoses = cached_property(lambda core: wiring.diagnosis.diagnoses(core))
    """From a complaint to the repairs that are likely needed."""

    outcomes = cached_property(lambda core: wiring.diagnosis.outcomes(core))
    """What became of diagnoses, and learning from it."""

    price_ranges = cached_property(lambda core: wiring.pricing.price_ranges(core))
    """Prices of several repairs at once."""

    trouble_codes = cached_property(lambda core: wiring.diagnosis.trouble_codes(core))
    """What trouble codes mean."""

    questionnaire = cached_property(lambda core: wiring.diagnosis.questionnaire(core))
    """What owners are asked, and what they answered."""

    questionnaire_editing = cached_property(lambda core: wiring.diagnosis.questionnaire_editing(core))
    """Changing what owners are asked."""

    chats = cached_property(lambda core: wiring.diagnosis.chats(core))
    """Diagnosis by questions and answers."""

    webhooks = cached_property(lambda core: wiring.webhooks.webhooks(core))
    """Webhook subscriptions of partners."""

    deliveries = cached_property(lambda core: wiring.webhooks.deliveries(core))
    """Deliveries of events, as workers make them."""

    dispatcher = cached_property(lambda core: wiring.webhooks.dispatcher(core))
    """The worker that makes due deliveries."""

    webhook_operations = cached_property(lambda core: wiring.webhooks.webhook_operations(core))
    """Webhooks of all partners, for operators."""

    jobs = cached_property(lambda core: wiring.operations.jobs(core))
    """What is done beside requests."""

    def prepare(self) -> None:
        """Make everything now: a server does so before the first request, which then pays for nothing.

        Raises:
            Invalid: a model's settings do not work; each fault is named. Or the secret is missing.
            Unavailable: the secret cannot be stored.
        """
        self.prepare_parts()
        for _ in (self.connected_cars, self.partner_sessions, self.webhooks, self.meter):
            pass

    def prepare_parts(self) -> None:
        """Make all that nothing has to be written for.

        Raises:
            Invalid: a model's settings do not work; each fault is named.
        """
        for _ in (
            self.accounts,
            self.partners,
            self.idempotency,
            self.limits,
            self.vehicles,
            self.stored_vehicles,
            self.lookups,
            self.catalog,
            self.problems,
            self.problem_overview,
            self.facilities,
            self.mechanics,
            self.rides,
            self.tows,
            self.appointments,
            self.mails,
            self.schedules,
            self.predictions,
            self.past_predictions,
            self.quotes,
            self.ratings,
            self.transactions,
            self.ledger,
            self.compliance,
            self.coverage,
            self.tires,
            self.diagnoses,
            self.trouble_codes,
            self.questionnaire,
            self.chats,
            self.computation,
            self.describer,
            self.interpreter,
            self.payments,
        ):
            pass

    def replacing(self, **parts: object) -> "Core":
        """Return a core with other services or parts, for a test; what is not made yet uses them.

        Raises:
            TypeError: a core has no service or part of that name.
        """
        for name in parts:
            if not isinstance(getattr(Core, name, None), cached_property):
                raise TypeError(f"a core has no service named {name}")
        other = copy(self)
        other.__dict__.update(parts)
        return other

    def upgrade(self, report: Callable[[str], None] = lambda _: None) -> None:
        """Bring the database to this version: its schema, and the repair book and the questionnaire in it.

        ``report`` is passed what is about to take a moment, and "" at the end.
        """
        wiring.database.upgrade(self, report)

    def ready(self) -> Sequence[str]:
        """List what in the database prevents serving, a sentence each; empty when nothing does."""
        return wiring.database.obstacles(self)

    @property
    def book_edition(self) -> str:
        """Return the edition of the repair book that this version ships."""
        return wiring.database.book_edition()

    def obstacles(self) -> Sequence[str]:
        """List what prevents serving now: what is in the database (``ready``), or a full disk."""
        return self.readiness.obstacles()

    def warnings(self) -> Sequence[str]:
        """List what is not as it should be although requests are served, a sentence each."""
        return self.readiness.warnings()

    def share_metrics(self, *, fresh: bool = False, beside: bool = False) -> None:
        """Have the processes of this machine keep their figures together, if any are kept; before anything is made.

        ``fresh`` removes what earlier processes of a server left: whoever starts a server passes it. ``beside`` is for a
        process that no server starts.
        """
        if self.settings.metrics:
            wiring.operations.share_metrics(self, fresh=fresh, beside=beside)

    def metrics(self) -> tuple[str, bytes] | None:
        """Return all figures as Prometheus reads them, after the type of the text; None where none are kept."""
        meter = self.prometheus
        return None if meter is None else wiring.operations.metrics_page(self, meter)

    def close(self) -> None:
        """Release connections and files."""
        self.storage.close()
        for name in ("windows", "partner_windows", "vin_reader"):
            if name in self.__dict__:
                self.__dict__[name].close()


def build(settings: Settings | None = None) -> Core:
    """Wire an installation. ``settings`` None reads the environment.

    An embedded database (SQLite) is created and migrated here, when that is needed; PostgreSQL is
    left as it is (``Core.upgrade``, ``repaircore db upgrade``). Nothing else connects before it is used.

    Raises:
        Invalid: a setting cannot be read; every bad one is named.
        Unavailable: the embedded database does not answer.
    """
    core = Core(Settings.from_env(os.environ) if settings is None else settings)
    if core.settings.is_embedded:
        core.upgrade()
    return core

"""An installation: all of its services, wired according to the settings."""

import os
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING

from repaircore import wiring
from repaircore.partner_services import PartnerServices
from repaircore.settings import Settings

if TYPE_CHECKING:
    from repaircore.accounts.first_admin import NewSetupLink


class Core(PartnerServices):
    """An installation: one attribute per service, created on first access. It inherits the partner API's services."""

    accounts = cached_property(lambda core: wiring.accounts.accounts(core))
    """Users, sessions and keys."""

    user_administration = cached_property(lambda core: wiring.accounts.user_administration(core))
    """Other people's accounts, managed by operators."""

    passwords = cached_property(lambda core: wiring.accounts.passwords(core))
    """Changing and resetting passwords."""

    operator_links = cached_property(lambda core: wiring.accounts.operator_links(core))
    """Links that let others choose their password, created by operators."""

    first_admin = cached_property(lambda core: wiring.accounts.first_admin(core))
    """Registration of the first admin, through a setup link."""

    audit = cached_property(lambda core: wiring.accounts.audit(core))
    """The audit log."""

    backups = cached_property(lambda core: wiring.operations.backups(core))
    """Backups and restores."""

    persons = cached_property(lambda core: wiring.operations.persons(core))
    """Exports and erasures of personal data."""

    retention = cached_property(lambda core: wiring.retention.retention(core))
    """Deletion of old records."""

    checkup = cached_property(lambda core: wiring.operations.checkup(core))
    """The checkup, which finds problems in the installation."""

    readiness = cached_property(lambda core: wiring.operations.readiness(core))
    """Whether the installation is ready to serve requests."""

    gauges = cached_property(lambda core: wiring.operations.gauges(core))
    """Gauges of the queues and jobs, for the metrics."""

    figures = cached_property(lambda core: wiring.operations.figures(core))
    """Request counts and durations since the server started, for admins."""

    meter = cached_property(lambda core: wiring.operations.meter(core))
    """The meter that counts events; it does nothing unless metrics are enabled."""

    idempotency = cached_property(lambda core: wiring.rate_limits.idempotency(core))
    """Idempotency keys."""

    limits = cached_property(lambda core: wiring.rate_limits.limits(core))
    """Rate limits."""

    vehicles = cached_property(lambda core: wiring.vehicles.vehicles(core))
    """Vehicles and VIN decoding."""

    stored_vehicles = cached_property(lambda core: wiring.vehicles.stored_vehicles(core))
    """Vehicle records, managed by operators."""

    lookups = cached_property(lambda core: wiring.vehicles.lookups(core))
    """Vehicle lookups by VIN or plate."""

    connected_cars = cached_property(lambda core: wiring.vehicles.connected_cars(core))
    """Connected cars, whose data is read with the driver's consent."""

    catalog = cached_property(lambda core: wiring.vehicles.catalog(core))
    """The catalog: makes, models, trims, engines."""

    catalog_rebuild = cached_property(lambda core: wiring.vehicles.catalog_rebuild(core))
    """Rebuilding the catalog from newer VIN data."""

    problems = cached_property(lambda core: wiring.book.problems(core))
    """The repair book."""

    book_revisions = cached_property(lambda core: wiring.book.book_revisions(core))
    """The repair book as open data, and the installation's changes to it."""

    repair_guides = cached_property(lambda core: wiring.guides.repair_guides(core))
    """Repair guides, for everyone."""

    problem_overview = cached_property(lambda core: wiring.book.problem_overview(core))
    """The repair book, managed by operators."""

    facilities = cached_property(lambda core: wiring.book.facilities(core))
    """Shops and labor rates."""

    shops = cached_property(lambda core: wiring.documents.shops(core))
    """Each account's shop, as shown on its documents."""

    documents = cached_property(lambda core: wiring.documents.documents(core))
    """Documents for visits."""

    approvals = cached_property(lambda core: wiring.documents.approvals(core))
    """Shared visits, which customers view and respond to."""

    visit_invoices = cached_property(lambda core: wiring.documents.visit_invoices(core))
    """Invoices for visits."""

    messages = cached_property(lambda core: wiring.messages.messages(core))
    """Messages by e-mail, SMS and webhook."""

    recalls = cached_property(lambda core: wiring.fleet.recalls(core))
    """Safety recalls."""

    fleet = cached_property(lambda core: wiring.fleet.fleet(core))
    """Fleet vehicles."""

    valuations = cached_property(lambda core: wiring.fleet.valuations(core))
    """Vehicle valuations and insurance."""

    repair_intervals = cached_property(lambda core: wiring.fleet.repair_intervals(core))
    """When repairs are needed again."""

    repair_sequences = cached_property(lambda core: wiring.fleet.repair_sequences(core))
    """Which repairs follow a repair."""

    vehicle_recalls = cached_property(lambda core: wiring.fleet.vehicle_recalls(core))
    """The recalls of one vehicle."""

    schedules = cached_property(lambda core: wiring.fleet.schedules(core))
    """Service schedules."""

    health_scores = cached_property(lambda core: wiring.fleet.health_scores(core))
    """Vehicle health."""

    compliance = cached_property(lambda core: wiring.fleet.compliance(core))
    """Recording the signals that vehicles report."""

    tires = cached_property(lambda core: wiring.fleet.tires(core))
    """Tire health."""

    coverage = cached_property(lambda core: wiring.fleet.coverage(core))
    """Which questions a vehicle's data can answer."""

    garage = cached_property(lambda core: wiring.garage.garage(core))
    """The vehicles in a garage."""

    garage_additions = cached_property(lambda core: wiring.garage.garage_additions(core))
    """Adding vehicles to a garage."""

    vehicle_bills = cached_property(lambda core: wiring.garage.vehicle_bills(core))
    """Bills for vehicles in a garage."""

    garage_outlooks = cached_property(lambda core: wiring.garage.garage_outlooks(core))
    """What the vehicles in a garage will need, and what that will cost."""

    garage_reminders = cached_property(lambda core: wiring.garage.garage_reminders(core))
    """Reminders that services are due."""

    predictions = cached_property(lambda core: wiring.predictions.predictions(core))
    """Price predictions."""

    batches = cached_property(lambda core: wiring.pricing.batches(core))
    """Batches of predictions."""

    previews = cached_property(lambda core: wiring.pricing.previews(core))
    """Predictions that are not stored."""

    sample_prediction = cached_property(lambda core: wiring.pricing.sample_prediction(core))
    """The sample prediction that visitors see."""

    past_predictions = cached_property(lambda core: wiring.pricing.past_predictions(core))
    """The history of predictions."""

    accuracy = cached_property(lambda core: wiring.pricing.accuracy(core))
    """The accuracy of past predictions."""

    price_histories = cached_property(lambda core: wiring.learning.price_histories(core))
    """Repair price histories."""

    quotes = cached_property(lambda core: wiring.pricing.quotes(core))
    """Checking shops' quotes."""

    shared_estimates = cached_property(lambda core: wiring.pricing.shared_estimates(core))
    """Estimates shared through a link."""

    visit_estimates = cached_property(lambda core: wiring.visits.visit_estimates(core))
    """Estimates for several repairs in one visit."""

    visits = cached_property(lambda core: wiring.visits.visits(core))
    """Stored visits."""

    text_extraction = cached_property(lambda core: wiring.pricing.text_extraction(core))
    """Text extraction from photos and PDFs."""

    shared_quotes = cached_property(lambda core: wiring.pricing.shared_quotes(core))
    """Checked quotes, shared through a link."""

    ratings = cached_property(lambda core: wiring.pricing.ratings(core))
    """Feedback on predictions."""

    transactions = cached_property(lambda core: wiring.learning.transactions(core))
    """Transactions, and learning from them."""

    ledger = cached_property(lambda core: wiring.learning.ledger(core))
    """Listing and searching transactions."""

    refits = cached_property(lambda core: wiring.learning.refits(core))
    """Refitting the estimates to all invoices."""

    pooling = cached_property(lambda core: wiring.learning.pooling(core))
    """Exchanging learned priors with other installations."""

    invoice_imports = cached_property(lambda core: wiring.learning.invoice_imports(core))
    """Transaction imports."""

    invoice_files = cached_property(lambda core: wiring.learning.invoice_files(core))
    """Invoice imports from the files of any shop system."""

    invoice_reviews = cached_property(lambda core: wiring.learning.invoice_reviews(core))
    """Reviewing file lines that need a decision, and undoing imports."""

    invoice_drafts = cached_property(lambda core: wiring.learning.invoice_drafts(core))
    """Invoice drafts made from photos and PDFs."""

    invoice_exports = cached_property(lambda core: wiring.learning.invoice_exports(core))
    """Transaction exports."""

    diagnoses = cached_property(lambda core: wiring.diagnosis.diagnoses(core))
    """Diagnosis of complaints."""

    consultations = cached_property(lambda core: wiring.diagnosis.consultations(core))
    """Step-by-step diagnosis, for everyone."""

    outcomes = cached_property(lambda core: wiring.diagnosis.outcomes(core))
    """Diagnosis outcomes, and learning from them."""

    price_ranges = cached_property(lambda core: wiring.pricing.price_ranges(core))
    """Prices of several repairs at once."""

    trouble_codes = cached_property(lambda core: wiring.diagnosis.trouble_codes(core))
    """Trouble codes."""

    questionnaire = cached_property(lambda core: wiring.diagnosis.questionnaire(core))
    """The questionnaire and its answers."""

    questionnaire_editing = cached_property(lambda core: wiring.diagnosis.questionnaire_editing(core))
    """Editing the questionnaire."""

    chats = cached_property(lambda core: wiring.diagnosis.chats(core))
    """Diagnostic chats."""

    jobs = cached_property(lambda core: wiring.operations.jobs(core))
    """Background jobs."""

    tasks = cached_property(lambda core: wiring.tasks.tasks(core))
    """Tasks (long-running background work), for the users who started them."""

    task_starts = cached_property(lambda core: wiring.tasks.task_starts(core))
    """Starting tasks."""

    task_worker = cached_property(lambda core: wiring.tasks.task_worker(core))
    """The worker that runs tasks."""

    def prepare(self) -> None:
        """Create the main services ahead of their first use, as a server does before it accepts requests.

        Raises:
            Invalid: the settings of a model are invalid, or the secret is missing.
            Unavailable: the file with the secret cannot be read or created.
        """
        self.prepare_parts()
        for _ in (self.connected_cars, self.partner_sessions, self.webhooks, self.meter):
            pass

    def prepare_parts(self) -> None:
        """Create the main services whose creation writes nothing.

        Raises:
            Invalid: the settings of a model are invalid.
        """
        for _ in (
            self.accounts,
            self.passwords,
            self.first_admin,
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
            self.mechanic_search,
            self.rides,
            self.tows,
            self.appointments,
            self.holds,
            self.appointment_reminders,
            self.mechanic_responses,
            self.messages,
            self.schedules,
            self.predictions,
            self.past_predictions,
            self.quotes,
            self.visits,
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
        """Return a copy with some services or parts replaced, for tests; services created later use the replacements.

        Raises:
            TypeError: there is no service or part with that name.
        """
        for name in parts:
            if not isinstance(getattr(Core, name, None), cached_property):
                raise TypeError(f"a core has no service or part named {name}")
        other = copy(self)
        other.__dict__.update(parts)
        return other

    def upgrade(self, report: Callable[[str], None] = lambda _: None) -> None:
        """Upgrade the database to this version: its schema, its repair book and its questionnaire.

        ``report`` is called with a line before each slow step, and with "" at the end.
        """
        wiring.database.upgrade(self, report)

    def ready(self) -> Sequence[str]:
        """List the problems in the database that prevent serving, one sentence each."""
        return wiring.database.obstacles(self)

    def create_setup_link(self) -> "NewSetupLink | None":
        """Return a new link for the first admin to register with, or None if there is an admin already."""
        return wiring.setup.setup_link(self)

    @property
    def book_edition(self) -> str:
        """The edition of the repair book that ships with this version."""
        return wiring.database.book_edition()

    def obstacles(self) -> Sequence[str]:
        """List the problems that prevent serving, such as an outdated database or a full disk, one sentence each."""
        return self.readiness.obstacles()

    def warnings(self) -> Sequence[str]:
        """List problems that do not prevent serving, one sentence each."""
        return self.readiness.warnings()

    def share_metrics(self, *, reset: bool = False, standalone: bool = False) -> None:
        """Share the metrics of this machine's processes, if metrics are enabled; call it before using any service.

        ``reset`` deletes the metrics of earlier servers; use it when a server starts. ``standalone`` is for a process
        that was not started by a server.
        """
        if self.settings.metrics:
            wiring.operations.share_metrics(self, reset=reset, standalone=standalone)

    def metrics(self) -> tuple[str, bytes] | None:
        """Return the content type and body of a page of all metrics for Prometheus, or None if metrics are disabled."""
        meter = self.prometheus
        return None if meter is None else wiring.operations.metrics_page(self, meter)

    def close(self) -> None:
        """Release connections and files."""
        self.storage.close()
        for name in ("windows", "partner_windows", "vin_reader"):
            if name in self.__dict__:
                self.__dict__[name].close()


def build(settings: Settings | None = None) -> Core:
    """Wire an installation. If ``settings`` is None, they are read from the environment.

    An embedded database (SQLite) is created and migrated here if necessary. PostgreSQL is left as it is; migrate it
    with ``Core.upgrade`` or ``repaircore db upgrade``. Nothing else connects until it is used.

    Raises:
        Invalid: one or more settings are invalid; each is named.
        Unavailable: the embedded database is not responding.
    """
    core = Core(Settings.from_env(os.environ) if settings is None else settings)
    if core.settings.is_embedded:
        core.upgrade()
    return core

"""Wiring: the only module that knows concrete classes.

Each service imports what it is made of when it is first asked for: at the command line imports are
most of the time that an answer takes, and a remembered prediction needs few of them.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID

from repaircore.adapters.sql.engine.storage import HEAD, Storage
from repaircore.book.editions import shipped_edition
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.questionnaire.editions import is_outdated
from repaircore.settings import DATABASE, OFFLINE, PREFIX, MailSettings, Settings, VisionSettings

if TYPE_CHECKING:
    from repaircore.accounts.service import Accounts
    from repaircore.adapters.imaging.reader import ChildVinReader
    from repaircore.adapters.lookups.vin_catalog import VinCatalog
    from repaircore.adapters.lookups.zones import NearestZones
    from repaircore.adapters.metrics.prometheus import PrometheusMeter
    from repaircore.adapters.redis.windows import RedisWindows
    from repaircore.adapters.sql.engine.work import SqlWork
    from repaircore.adapters.sql.rate_windows import SqlWindows
    from repaircore.adapters.windows.shared_files import SharedFileWindows
    from repaircore.appointments.service import Appointments
    from repaircore.audit.service import Audit
    from repaircore.backups.service import Backups
    from repaircore.book.model import Problem
    from repaircore.book.service import BookRevisions, ShippedBook
    from repaircore.book.vocabulary import Vocabulary
    from repaircore.catalog.rebuild import CatalogRebuild
    from repaircore.catalog.service import Catalog
    from repaircore.chat.ports import LightReader
    from repaircore.chat.service import Chats
    from repaircore.checkup.figures import Figures
    from repaircore.checkup.model import WindowPlace
    from repaircore.checkup.readiness import Readiness
    from repaircore.checkup.service import Checkup
    from repaircore.connected_cars.ports import CarProvider, SignalSink
    from repaircore.connected_cars.service import ConnectedCars
    from repaircore.customers.service import CustomerBook
    from repaircore.diagnosis.knowledge import Knowledge
    from repaircore.diagnosis.outcomes import Outcomes
    from repaircore.diagnosis.ports import Interpreter
    from repaircore.diagnosis.service import Diagnoses
    from repaircore.facilities.labor_table import LaborRates
    from repaircore.facilities.service import Facilities
    from repaircore.fleet.service import Fleet
    from repaircore.health.compliance import ComplianceReports
    from repaircore.health.coverage import Coverage
    from repaircore.health.score import Severity
    from repaircore.health.service import HealthScores
    from repaircore.health.tire_estimates import Tires
    from repaircore.idempotency.service import Idempotency
    from repaircore.jobs.model import Job
    from repaircore.jobs.service import Jobs
    from repaircore.kernel.cache import OneSlotCache
    from repaircore.kernel.callers import Environment
    from repaircore.kernel.metrics import Meter
    from repaircore.learning.billing import JobInvoices
    from repaircore.learning.exporting import InvoiceExports
    from repaircore.learning.importing import InvoiceImports
    from repaircore.learning.ledger import Ledger, PriceHistories
    from repaircore.learning.pooling import Pooling
    from repaircore.learning.refits import Refits
    from repaircore.learning.sample import Sample
    from repaircore.learning.service import Transactions
    from repaircore.limits.ports import Windows
    from repaircore.limits.service import Limits
    from repaircore.mails.ports import Mailer
    from repaircore.mails.service import Mails
    from repaircore.mechanics.service import Mechanics
    from repaircore.partners.service import Partners
    from repaircore.partners.sessions import PartnerSessions
    from repaircore.payments.ports import PaymentGateway, PaymentNews
    from repaircore.payments.reconciliation import Reconciliation
    from repaircore.payments.refunds import Refunds
    from repaircore.payments.service import Payments
    from repaircore.persons.service import Persons
    from repaircore.predictions.accuracy import AccuracyReports
    from repaircore.predictions.compute import Compute
    from repaircore.predictions.feedback import Ratings
    from repaircore.predictions.history import PastPredictions
    from repaircore.predictions.local_prices import LocalPriceLookup
    from repaircore.predictions.model import Prediction
    from repaircore.predictions.ports import PriceModel
    from repaircore.predictions.price_ranges import PriceRanges
    from repaircore.predictions.service import Predictions
    from repaircore.pricing.price_index import PriceIndex
    from repaircore.problems.overview import ProblemOverview
    from repaircore.problems.ports import Describer, Ranker
    from repaircore.problems.service import ProblemBook
    from repaircore.providers.businesses import Business, BusinessesWork
    from repaircore.providers.drivers import Driver, DriversWork
    from repaircore.providers.service import Directory
    from repaircore.questionnaire.editing import Editing
    from repaircore.questionnaire.service import Questionnaire
    from repaircore.quotes.service import QuoteChecks
    from repaircore.recalls.ports import LiveRecalls
    from repaircore.recalls.service import Recalls
    from repaircore.recalls.vehicle_recalls import VehicleRecalls
    from repaircore.repair_intervals.repair_sequences import RepairSequences
    from repaircore.repair_intervals.service import RepairIntervals
    from repaircore.rides.fares import FareTable
    from repaircore.rides.model import Ride, RideKind
    from repaircore.rides.ports import CandidateSource
    from repaircore.rides.service import Rides
    from repaircore.rides.unpaid import UnpaidRides
    from repaircore.schedules.service import Schedules
    from repaircore.trouble_codes.service import Codes
    from repaircore.trouble_codes.table import CodeTable
    from repaircore.valuation.service import Valuations
    from repaircore.vehicle_facts.model import VehicleSpecs
    from repaircore.vehicles.lookups import Lookups
    from repaircore.vehicles.ports import PlateProvider, VinDecoder, VisionModel
    from repaircore.vehicles.records import StoredVehicles
    from repaircore.vehicles.service import Vehicles
    from repaircore.webhooks.delivery import Deliveries
    from repaircore.webhooks.dispatch import Dispatcher
    from repaircore.webhooks.operations import WebhookOperation
    from repaircore.webhooks.ports import SecretVault, Sender
    from repaircore.webhooks.service import Webhooks
    from repaircore.word_model.training import Trained


_REDIS_URL = PREFIX + "REDIS_URL"
_METRICS = PREFIX + "METRICS"
CALLBACK = "/api/v1/connectedcar/callback"
"""Where a provider of connected cars sends drivers back to, below the public address."""


@cache
def _shared(_name: str) -> "OneSlotCache[Any]":
    """Return what installations of this process keep together: it is made from an edition, whose name says what is in it."""
    from repaircore.kernel.cache import OneSlotCache

    return OneSlotCache()


class Core:
    """An installation: an attribute for each slice's use cases, made when it is first asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def storage(self) -> Storage:
        """The database."""
        return Storage(self.settings.url)

    @cached_property
    def windows(self) -> "Windows":
        """The rate windows of keys and logins."""
        return self._windows_in(self.settings.main_windows)

    @cached_property
    def partner_windows(self) -> "Windows":
        """The rate windows of partners: the same, unless those of keys are this machine's and these all machines'."""
        place = self.settings.partner_windows
        return self.windows if place == self.settings.main_windows else self._windows_in(place)

    @cached_property
    def accounts(self) -> "Accounts":
        """Users, sessions and keys."""
        from repaircore.accounts.service import Accounts
        from repaircore.adapters.crypto.passwords import Argon2Passwords
        from repaircore.adapters.sql.credentials import SqlCredentials

        return Accounts(
            transaction=self.storage.transaction,
            read=self.storage.read,
            credentials=SqlCredentials(self.storage.driver),
            hasher=Argon2Passwords(self.settings.state / "passwords.lock"),
            gate=self.limits,
            random=os.urandom,
            clock=now,
        )

    @cached_property
    def audit(self) -> "Audit":
        """What was changed by whom."""
        from repaircore.audit.service import Audit

        return Audit(read=self.storage.read)

    @cached_property
    def backups(self) -> "Backups":
        """Everything in one file, and back."""
        from repaircore.adapters.archive.zipped import ZipArchives
        from repaircore.adapters.sql.engine.backup import SqlVault
        from repaircore.backups.service import Backups
        from repaircore.version import __version__

        return Backups(
            vault=SqlVault(lambda: self.storage.database),
            archives=ZipArchives(),
            version=__version__,
            head=HEAD,
            upgrade=self.upgrade,
            clock=now,
        )

    @cached_property
    def persons(self) -> "Persons":
        """What is kept about one person."""
        from repaircore.persons.service import Persons

        return Persons(
            transaction=self.storage.transaction, read=self.storage.read, sweep=self.storage.sweep, clock=now
        )

    @cached_property
    def checkup(self) -> "Checkup":
        """Whether everything is as it should be."""
        from repaircore.adapters.machine.local import LocalMachine
        from repaircore.adapters.shipped.edition import questionnaire_edition
        from repaircore.adapters.sql.engine.health import SqlCondition
        from repaircore.checkup.service import Checkup

        return Checkup(
            settings=self.settings,
            environ=os.environ,
            database=SqlCondition(self.storage),
            machine=LocalMachine(),
            book_edition=lambda: self.book_edition,
            questionnaire_edition=questionnaire_edition,
            vin_data=self._vin_data_months,
            prepare=self.prepare_parts,
            windows=self._window_places,
            clock=now,
        )

    def _vin_data_months(self) -> tuple[str, str]:
        return self.catalog_rebuild.month, self.catalog_rebuild.catalog_month

    @cached_property
    def readiness(self) -> "Readiness":
        """Whether requests can be served."""
        from repaircore.adapters.machine.local import LocalMachine
        from repaircore.adapters.sql.engine.health import SqlCondition
        from repaircore.checkup.readiness import Readiness

        database = SqlCondition(self.storage)
        file = database.file
        return Readiness(
            asked_each_time=self.ready,
            database=database,
            machine=LocalMachine(),
            folders=[self.settings.state, *([] if file is None else [file.parent])],
            windows=self._window_places,
            clock=now,
            timer=time.monotonic,
        )

    @cached_property
    def figures(self) -> "Figures":
        """How things stand now."""
        from repaircore.adapters.sql.queues import SqlQueues
        from repaircore.checkup.figures import Figures
        from repaircore.version import __version__

        reader = SqlQueues(lambda: self.storage.database)
        return Figures(reader=reader, version=__version__, clock=now, timer=time.monotonic)

    @cached_property
    def meter(self) -> "Meter":
        """Who keeps figures of what happens; nobody unless the settings say so.

        Raises:
            Invalid: figures are to be kept, and what keeps them is not installed.
        """
        from repaircore.kernel.metrics import NullMeter

        return NullMeter() if self._prometheus is None else self._prometheus

    def share_metrics(self, *, anew: bool = False, beside: bool = False) -> None:
        """Have the processes of this machine keep their figures together, if any are kept; before anything is made.

        ``anew`` takes away what earlier processes of a server left: whoever starts a server says so. ``beside`` is for a
        process that no server starts.
        """
        if self.settings.metrics:
            from repaircore.adapters.metrics.shared import share, share_beside

            folder = self.settings.state / "metrics"
            if beside:
                share_beside(folder)
            else:
                share(folder, anew=anew)

    def metrics(self) -> tuple[str, bytes] | None:
        """Give all figures in the words of Prometheus, after the type of the text; None where none are kept."""
        if self._prometheus is None:
            return None
        from repaircore.adapters.metrics.prometheus import KIND

        return KIND, self._prometheus.text(self.figures.gauges())

    @cached_property
    def _prometheus(self) -> "PrometheusMeter | None":
        if not self.settings.metrics:
            return None
        with _demanding(_METRICS, "prometheus_client", "metrics"):
            from repaircore.adapters.metrics.prometheus import PrometheusMeter

        return PrometheusMeter()

    @cached_property
    def partners(self) -> "Partners":
        """Partner accounts, as operators keep them."""
        from repaircore.partners.service import Partners

        return Partners(
            transaction=self.storage.transaction, read=self.storage.read, random=os.urandom, clock=now
        )

    @cached_property
    def partner_sessions(self) -> "PartnerSessions":
        """Sessions of partners."""
        from repaircore.adapters.crypto.installation import derived
        from repaircore.adapters.crypto.session_tokens import JwtSessionTokens
        from repaircore.adapters.sql.partners import SqlPartnerStatuses
        from repaircore.partners.sessions import PartnerSessions

        told = [key.encode() for key in self.settings.partner_signing_keys]
        return PartnerSessions(
            read=self.storage.read,
            tokens=JwtSessionTokens(told or [derived(self._secret, "partner sessions")]),
            standings=SqlPartnerStatuses(self.storage.driver),
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def idempotency(self) -> "Idempotency":
        """One effect and one answer for one idempotency key."""
        from repaircore.idempotency.service import Idempotency

        return Idempotency(
            transaction=self.storage.transaction,
            read=self.storage.read,
            together=self.storage.together,
            clock=now,
        )

    @cached_property
    def limits(self) -> "Limits":
        """How often who may ask."""
        from repaircore.kernel.callers import Environment
        from repaircore.limits.model import Limit
        from repaircore.limits.service import Limits

        told = self.settings
        return Limits(
            windows=self.windows,
            requests=Limit(told.requests_per_minute),
            predictions=Limit(told.predictions_per_minute),
            logins=Limit(told.login_failures_per_minute),
            all_logins=Limit(told.login_failures_per_minute * 10),
            registrations=Limit(told.registrations_per_hour, seconds=3600),
            partner_windows=self.partner_windows,
            partners={
                Environment.TEST: Limit(told.partner_requests_per_minute_test),
                Environment.LIVE: Limit(told.partner_requests_per_minute_live),
            },
            anonymous=Limit(told.partner_requests_per_minute_unknown),
            wall=time.time_ns,
        )

    @cached_property
    def vehicles(self) -> "Vehicles":
        """What a VIN means, and the kept vehicles."""
        from repaircore.adapters.lookups.catalog_names import CatalogModelNames, ModelNamesChain, OnceTrims
        from repaircore.adapters.lookups.vpic_names import VpicModelNames
        from repaircore.adapters.shipped.mechanics import family_words, shipped_mechanics
        from repaircore.vehicles.extraction import Extraction
        from repaircore.vehicles.service import Vehicles

        catalog = CatalogModelNames(self.catalog.list_known_engines, shipped_mechanics, now)
        by_name = VpicModelNames(
            catalog=self._vin_catalog,
            known=self.catalog.list_known_engines,
            mechanics=shipped_mechanics,
            clock=now,
        )
        models = ModelNamesChain([by_name, catalog])
        once_trims = OnceTrims(self.catalog.list_engines_as_trim, models, shipped_mechanics)
        decoder = _decoders(self.settings)
        return Vehicles(
            transaction=self.storage.transaction,
            read=self.storage.read,
            decoder=decoder,
            names=ModelNamesChain([once_trims, *models.members]),
            families=family_words,
            trims=self.catalog.list_trims,
            extraction=Extraction(
                reader=self._vin_reader, decoder=decoder, vision=_vision(self.settings.vision)
            ),
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def stored_vehicles(self) -> "StoredVehicles":
        """The kept vehicles as operators see and change them."""
        from repaircore.vehicles.records import StoredVehicles

        return StoredVehicles(
            transaction=self.storage.transaction,
            read=self.storage.read,
            decoder=self.vehicles.decoder,
            names=self.vehicles.names,
            sold=self._sold,
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def lookups(self) -> "Lookups":
        """Vehicles by their VIN or their plate."""
        from repaircore.adapters.lookups.plates_sandbox import SandboxPlates
        from repaircore.vehicles.lookups import Lookups

        return Lookups(
            transaction=self.storage.transaction,
            read=self.storage.read,
            vehicles=self.vehicles,
            provider=_plate_provider(self.settings),
            sandbox=SandboxPlates(),
            clock=now,
        )

    @cached_property
    def connected_cars(self) -> "ConnectedCars":
        """Cars that tell how they are."""
        from repaircore.adapters.crypto.installation import derived
        from repaircore.adapters.crypto.vault import FernetVault
        from repaircore.adapters.lookups.cars_sandbox import SandboxCars
        from repaircore.connected_cars.service import ConnectedCars, OAuthKeys

        redirect = self.settings.public_url.rstrip("/") + CALLBACK
        return ConnectedCars(
            transaction=self.storage.transaction,
            read=self.storage.read,
            provider=_car_provider(self.settings, redirect),
            sandbox=SandboxCars(redirect=redirect, clock=now),
            vault=FernetVault.of([*self.settings.car_provider.keys, self._secret]),
            sink=self._signal_sink,
            keys=OAuthKeys(
                state=derived(self._secret, "connected-car states"),
                verifier=derived(self._secret, "connected-car verifiers"),
            ),
            new_id=new_id,
            clock=now,
            wait=time.sleep,
        )

    @cached_property
    def payments(self) -> "Payments":
        """Money that is held, taken, released and given back."""
        from repaircore.adapters.payments.sandbox import SandboxGateway
        from repaircore.kernel.callers import Environment
        from repaircore.payments.service import Payments

        return Payments(
            transaction=self.storage.transaction,
            read=self.storage.read,
            gateways={
                Environment.TEST: SandboxGateway(transaction=self.storage.transaction, clock=now),
                Environment.LIVE: _live_gateway(self.settings),
            },
            new_id=new_id,
            clock=now,
            news=self._payment_news,
        )

    @cached_property
    def _payment_news(self) -> "PaymentNews":
        from repaircore.rides.unpaid import RidePaymentNews

        news = RidePaymentNews(new_id=new_id, clock=now)
        if not self.settings.metrics:
            return news
        from repaircore.adapters.metrics.payments import CountedNews

        return CountedNews(news=news, meter=self.meter)

    @cached_property
    def refunds(self) -> "Refunds":
        """Money that operators give back."""
        from repaircore.payments.refunds import Refunds

        return Refunds(transaction=self.storage.transaction, payments=self.payments)

    @cached_property
    def unpaid_rides(self) -> "UnpaidRides":
        """Rides and tows whose fee stands owed."""
        from repaircore.rides.unpaid import UnpaidRides

        return UnpaidRides(read=self.storage.read)

    @cached_property
    def payment_reconciliation(self) -> "Reconciliation":
        """Payments that somebody left under way."""
        from repaircore.payments.reconciliation import Reconciliation

        return Reconciliation(payments=self.payments)

    @cached_property
    def catalog(self) -> "Catalog":
        """What was sold: makes, models, trims, engines."""
        from repaircore.adapters.lookups.vpic_models import VpicKnownModels
        from repaircore.adapters.shipped.engines import ShippedEngines
        from repaircore.adapters.shipped.makes import shipped_makes
        from repaircore.adapters.shipped.mechanics import shipped_mechanics
        from repaircore.catalog.service import Catalog

        return Catalog(
            transaction=self.storage.transaction,
            read=self.storage.read,
            sold=shipped_makes,
            models_known=VpicKnownModels(self._vin_catalog, shipped_mechanics),
            table=ShippedEngines(),
            clock=now,
        )

    @cached_property
    def catalog_rebuild(self) -> "CatalogRebuild":
        """The catalog, built anew from newer VIN data."""
        from repaircore.adapters.lookups.vin_data import InstalledVinData
        from repaircore.catalog.rebuild import CatalogRebuild

        return CatalogRebuild(data=InstalledVinData(self.settings.vin_catalog_file), clock=now)

    @cached_property
    def problems(self) -> "ProblemBook":
        """The repair book."""
        from repaircore.problems.service import ProblemBook

        return ProblemBook(
            transaction=self.storage.transaction,
            read=self.storage.read,
            vocabulary=lambda: self._vocabulary,
            describer=lambda: self._describer,
            offline=lambda: self._offline_describer,
            seconds=self.settings.prediction_seconds,
            clock=now,
            rankers=lambda: self._search_rankers,
            cache=_shared("search index"),
        )

    @cached_property
    def book_revisions(self) -> "BookRevisions":
        """The repair book as open data, and an installation's own changes of it."""
        from repaircore.adapters.shipped.book import book
        from repaircore.adapters.shipped.vehicle_factors import vehicle_tables
        from repaircore.book.service import BookRevisions

        def shipped() -> "ShippedBook":
            read = book()
            return self.book_edition, read.categories, read.problems

        return BookRevisions(
            transaction=self.storage.transaction,
            read=self.storage.read,
            shipped=shipped,
            vehicle_tables=vehicle_tables,
            clock=now,
        )

    @cached_property
    def problem_overview(self) -> "ProblemOverview":
        """The repair book as operators see it."""
        from repaircore.problems.overview import ProblemOverview

        return ProblemOverview(read=self.storage.read, vocabulary=lambda: self._vocabulary)

    @cached_property
    def facilities(self) -> "Facilities":
        """Shops, and what an hour of labor costs where."""
        from repaircore.adapters.lookups.zip_codes import ShippedZipCodes
        from repaircore.facilities.service import Facilities

        return Facilities(
            transaction=self.storage.transaction,
            read=self.storage.read,
            zip_codes=ShippedZipCodes(),
            rates=self._rates,
            clock=now,
        )

    @cached_property
    def customers(self) -> "CustomerBook":
        """The people for whom partners order."""
        from repaircore.customers.service import CustomerBook

        return CustomerBook(transaction=self.storage.transaction, new_id=new_id, clock=now)

    @cached_property
    def rides(self) -> "Rides":
        """Mobile rides."""
        from repaircore.providers.drivers import DRIVER
        from repaircore.providers.records import SandboxFleet
        from repaircore.rides.candidates import DirectoryCandidates
        from repaircore.rides.model import RideKind

        return self._rides(
            RideKind.MOBILE,
            DirectoryCandidates(
                providers_in=lambda work: work.drivers,
                fleet=SandboxFleet(trade=DRIVER, new_id=new_id, clock=now),
                transaction=self.storage.transaction,
                read=self.storage.read,
                rate=_rate_driver,
            ),
        )

    @cached_property
    def tows(self) -> "Rides":
        """Tow rides."""
        from repaircore.providers.businesses import BUSINESS
        from repaircore.providers.records import SandboxFleet
        from repaircore.rides.candidates import DirectoryCandidates
        from repaircore.rides.model import RideKind

        return self._rides(
            RideKind.TOW,
            DirectoryCandidates(
                providers_in=lambda work: work.businesses,
                fleet=SandboxFleet(trade=BUSINESS, new_id=new_id, clock=now),
                transaction=self.storage.transaction,
                read=self.storage.read,
                rate=lambda _work, _ride, _stars: None,
            ),
        )

    def _rides(self, kind: "RideKind", candidates: "CandidateSource") -> "Rides":
        from repaircore.adapters.crypto.installation import derived
        from repaircore.adapters.crypto.quotes import HmacQuotes
        from repaircore.rides.service import Rides

        return Rides(
            kind=kind,
            transaction=self.storage.transaction,
            read=self.storage.read,
            defer=self.storage.afterwards,
            payments=self.payments,
            candidates=candidates,
            invoices=self._job_invoices,
            fares=self._fares,
            seal=HmacQuotes(derived(self._secret, "quoted fares")),
            zone_at=self._zone_at,
            has_prediction=self._has_prediction,
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def drivers(self) -> "Directory[Driver, DriversWork]":
        """Drivers who come to a vehicle."""
        from repaircore.providers.drivers import DRIVER
        from repaircore.providers.service import Directory

        return Directory(
            trade=DRIVER,
            providers_in=lambda work: work.drivers,
            transaction=self.storage.transaction,
            read=self.storage.read,
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def _fares(self) -> "FareTable":
        from repaircore.adapters.shipped.fares import read_fares

        return read_fares(self.settings.fares)

    @cached_property
    def _zone_at(self) -> "NearestZones":
        from repaircore.adapters.lookups.zones import NearestZones

        return NearestZones()

    def _has_prediction(self, session_id: str, environment: "Environment") -> bool:
        from repaircore.kernel.ids import parse_uuid

        session = parse_uuid(session_id)
        if session is None:
            return False
        with self.storage.read() as work:
            return (
                work.past_predictions.by_session(session, environment=environment, owner_id=None) is not None
            )

    @cached_property
    def businesses(self) -> "Directory[Business, BusinessesWork]":
        """Towing businesses."""
        from repaircore.providers.businesses import BUSINESS
        from repaircore.providers.service import Directory

        return Directory(
            trade=BUSINESS,
            providers_in=lambda work: work.businesses,
            transaction=self.storage.transaction,
            read=self.storage.read,
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def mechanics(self) -> "Mechanics":
        """The directory of mechanics."""
        from repaircore.adapters.lookups.zip_codes import ShippedZipCodes
        from repaircore.mechanics.service import Mechanics

        return Mechanics(
            transaction=self.storage.transaction,
            read=self.storage.read,
            zip_codes=ShippedZipCodes(),
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def appointments(self) -> "Appointments":
        """What partners book with mechanics."""
        from repaircore.appointments.service import Appointments

        return Appointments(
            transaction=self.storage.transaction,
            read=self.storage.read,
            writes_mails=self.settings.mail.is_on,
            invoices=self._job_invoices,
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def mails(self) -> "Mails":
        """What customers are written."""
        from repaircore.mails.service import Mails

        return Mails(transaction=self.storage.transaction, mailer=_mailer(self.settings.mail), clock=now)

    @cached_property
    def recalls(self) -> "Recalls":
        """Safety recalls."""
        from repaircore.recalls.service import Recalls

        return Recalls(
            transaction=self.storage.transaction,
            read=self.storage.read,
            listed=self.catalog.list_models,
            clock=now,
        )

    @cached_property
    def fleet(self) -> "Fleet":
        """The cars of each owner."""
        from repaircore.fleet.service import Fleet

        return Fleet(
            transaction=self.storage.transaction,
            read=self.storage.read,
            vehicles=lambda: self.vehicles,
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def valuations(self) -> "Valuations":
        """What vehicles are worth, and how they stand with their insurers."""
        from repaircore.adapters.shipped.values import shipped_levels, shipped_used_car_index
        from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
        from repaircore.valuation.service import Valuations

        used_cars = cache(shipped_used_car_index)
        return Valuations(
            fleet=self.fleet,
            levels=cache(shipped_levels),
            market=lambda day: used_cars().at(day),
            table=shipped_factor_table,
            health=lambda vehicle: self.health_scores.of_vehicle(vehicle).health.score,
            price_level=lambda day, base: self._prices.level(day, base=base),
            clock=now,
        )

    @cached_property
    def repair_intervals(self) -> "RepairIntervals":
        """When repairs are needed again."""
        from repaircore.repair_intervals.service import RepairIntervals

        return RepairIntervals(
            transaction=self.storage.transaction,
            read=self.storage.read,
            fleet=self.fleet,
            problems=lambda: self.problems,
            clock=now,
        )

    @cached_property
    def repair_sequences(self) -> "RepairSequences":
        """Which repairs follow one another."""
        from repaircore.repair_intervals.repair_sequences import RepairSequences

        return RepairSequences(
            read=self.storage.read, fleet=self.fleet, problems=lambda: self.problems, clock=now
        )

    @cached_property
    def vehicle_recalls(self) -> "VehicleRecalls":
        """The recalls of one vehicle."""
        from repaircore.recalls.vehicle_recalls import VehicleRecalls

        return VehicleRecalls(
            transaction=self.storage.transaction,
            read=self.storage.read,
            fleet=self.fleet,
            kept=self.recalls,
            live=_live_recalls(self.settings),
            clock=now,
        )

    @cached_property
    def schedules(self) -> "Schedules":
        """What is to be done on vehicles, and when."""
        from repaircore.schedules.service import Schedules

        return Schedules(
            transaction=self.storage.transaction,
            read=self.storage.read,
            fleet=self.fleet,
            find=self.problems.find,
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def health_scores(self) -> "HealthScores":
        """How well a vehicle is."""
        from repaircore.health.service import HealthScores

        return HealthScores(
            fleet=self.fleet,
            recalls=self.vehicle_recalls,
            severities=self._severity,
            standing=self.schedules.standing,
            burden=lambda vehicle, miles: self.valuations.burden(vehicle, miles),  # noqa: PLW0108 - made when it is first asked
            clock=now,
        )

    @cached_property
    def compliance(self) -> "ComplianceReports":
        """What is told of a vehicle from time to time."""
        from repaircore.health.compliance import ComplianceReports

        scores = self.health_scores
        return ComplianceReports(
            transaction=self.storage.transaction,
            fleet=self.fleet,
            scores=scores,
            severities=scores.severities,
            clock=now,
        )

    @cached_property
    def tires(self) -> "Tires":
        """Tires, as they are told of."""
        from repaircore.health.tire_estimates import Tires

        return Tires(clock=now)

    @cached_property
    def coverage(self) -> "Coverage":
        """What can be answered of a vehicle."""
        from repaircore.health.coverage import Coverage

        worth = self.valuations
        return Coverage(
            fleet=self.fleet,
            scores=self.health_scores,
            others=(
                worth.value_covered,
                worth.risk_covered,
                self.repair_intervals.covered,
                self.repair_sequences.covered,
            ),
        )

    @cached_property
    def predictions(self) -> "Predictions":
        """Predictions."""
        from repaircore.adapters.sql.claims import SqlClaims
        from repaircore.adapters.sql.prediction_cache import SqlPredictionCache
        from repaircore.predictions.service import Predictions

        told = self._notice_predictions()
        return Predictions(
            transaction=self.storage.transaction,
            read=self.storage.read,
            memory=SqlPredictionCache(self.storage.driver),
            claims=SqlClaims(self.storage.driver),
            vehicles=lambda: self.vehicles,
            computing=lambda: self._computing,
            seconds=self.settings.prediction_seconds,
            new_id=new_id,
            clock=now,
            timer=time.monotonic,
            wait=time.sleep,
            **({} if told is None else {"notice": told}),
        )

    @cached_property
    def past_predictions(self) -> "PastPredictions":
        """The history of what was asked."""
        from repaircore.predictions.history import PastPredictions

        return PastPredictions(transaction=self.storage.transaction, read=self.storage.read, clock=now)

    @cached_property
    def accuracy(self) -> "AccuracyReports":
        """How past predictions met later invoices."""
        from repaircore.predictions.accuracy import AccuracyReports

        return AccuracyReports(read=self.storage.read)

    @cached_property
    def price_histories(self) -> "PriceHistories":
        """What was paid for repairs."""
        from repaircore.learning.ledger import PriceHistories

        return PriceHistories(read=self.storage.read)

    @cached_property
    def quotes(self) -> "QuoteChecks":
        """Shops' quotes, checked."""
        from repaircore.adapters.sql.prediction_cache import SqlPredictionCache
        from repaircore.quotes.service import QuoteChecks

        return QuoteChecks(
            read=self.storage.read,
            memory=SqlPredictionCache(self.storage.driver),
            vehicles=lambda: self.vehicles,
            computing=lambda: self._computing,
            find=self._repairs_called,
            clock=now,
        )

    @cached_property
    def ratings(self) -> "Ratings":
        """What users think of predictions."""
        from repaircore.predictions.feedback import Ratings

        return Ratings(transaction=self.storage.transaction, read=self.storage.read, clock=now)

    @cached_property
    def transactions(self) -> "Transactions":
        """Past repairs, and what is learned from them."""
        from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
        from repaircore.learning.service import Transactions

        return Transactions(
            transaction=self.storage.transaction,
            read=self.storage.read,
            factors_of=shipped_factor_table().factors_for,
            prices=self._prices,
            locating=self._locating,
            clock=now,
        )

    @cached_property
    def _locating(self) -> "LocalPriceLookup":
        from repaircore.adapters.lookups.zip_codes import ShippedZipCodes
        from repaircore.predictions.local_prices import LocalPriceLookup

        return LocalPriceLookup(zip_codes=ShippedZipCodes(), rates=self._rates)

    @cached_property
    def _job_invoices(self) -> "JobInvoices":
        from repaircore.learning.billing import JobInvoices

        return JobInvoices(
            transactions=self.transactions, decode=self._decoded_here, new_id=new_id, clock=now
        )

    def _decoded_here(self, vin: str) -> "VehicleSpecs | None":
        """Say what a VIN means without asking outside; the tables that say it are read when one is told."""
        from repaircore.adapters.lookups.vpic_local import VpicVinDecoder
        from repaircore.adapters.shipped.mechanics import shipped_mechanics

        return VpicVinDecoder(now, shipped_mechanics).decode(vin)

    @cached_property
    def ledger(self) -> "Ledger":
        """Past repairs, looked through."""
        from repaircore.learning.ledger import Ledger

        return Ledger(read=self.storage.read)

    @cached_property
    def refits(self) -> "Refits":
        """Fitting the estimates anew to what was learned."""
        from repaircore.learning.refits import Refits

        return Refits(transaction=self.storage.transaction, read=self.storage.read, clock=now)

    @cached_property
    def pooling(self) -> "Pooling":
        """What was learned, to and from other installations."""
        from repaircore.learning.pooling import Pooling

        return Pooling(
            transaction=self.storage.transaction,
            read=self.storage.read,
            refits=self.refits,
            rates=self._rates,
            clock=now,
        )

    @cached_property
    def invoice_imports(self) -> "InvoiceImports":
        """Past repairs, a file at a time."""
        from repaircore.adapters.lookups.zip_codes import ShippedZipCodes
        from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
        from repaircore.learning.importing import BATCH, EMBEDDED_BATCH, InvoiceImports

        return InvoiceImports(
            transaction=self.storage.transaction,
            read=self.storage.read,
            vehicles=lambda: self.vehicles,
            zip_codes=ShippedZipCodes(),
            factors_of=shipped_factor_table().factors_for,
            prices=self._prices,
            locating=self._locating,
            clock=now,
            batch=EMBEDDED_BATCH if self.settings.is_embedded else BATCH,
        )

    @cached_property
    def invoice_exports(self) -> "InvoiceExports":
        """Past repairs, given out as a file."""
        from repaircore.learning.exporting import InvoiceExports

        return InvoiceExports(read=self.storage.read)

    @cached_property
    def diagnoses(self) -> "Diagnoses":
        """From what somebody writes to the repairs that are likely needed."""
        from repaircore.diagnosis.service import Diagnoses

        return Diagnoses(
            transaction=self.storage.transaction,
            read=self.storage.read,
            make=self._knowing,
            vehicles=lambda: self.vehicles,
            zip_codes=self.facilities.zip_codes,
            prices=self.price_ranges.ranges,
            random=os.urandom,
            clock=now,
            cache=_shared("knowledge"),
        )

    @cached_property
    def outcomes(self) -> "Outcomes":
        """What became of diagnoses, and learning from it."""
        from repaircore.adapters.shipped.complaints import repair_groups
        from repaircore.adapters.shipped.word_weights import word_model
        from repaircore.diagnosis.outcomes import Outcomes

        return Outcomes(
            transaction=self.storage.transaction,
            read=self.storage.read,
            shipped=word_model,
            groups=repair_groups,
            train=self._trained_again,
            clock=now,
        )

    @cached_property
    def price_ranges(self) -> "PriceRanges":
        """Prices of several repairs at once."""
        from repaircore.predictions.price_ranges import PriceRanges

        return PriceRanges(read=self.storage.read, computing=lambda: self._computing, clock=now)

    @cached_property
    def trouble_codes(self) -> "Codes":
        """What trouble codes mean."""
        from repaircore.trouble_codes.service import Codes

        return Codes(
            read=self.storage.read, table=lambda: self._trouble_codes, vehicles=lambda: self.vehicles
        )

    @cached_property
    def questionnaire(self) -> "Questionnaire":
        """What owners are asked, and what they answered."""
        from repaircore.questionnaire.service import Questionnaire

        return Questionnaire(
            transaction=self.storage.transaction,
            read=self.storage.read,
            knowledge=self.diagnoses.knowledge,
            random=os.urandom,
            clock=now,
        )

    @cached_property
    def questionnaire_editing(self) -> "Editing":
        """Changing what owners are asked."""
        from repaircore.adapters.shipped.edition import questionnaire_edition
        from repaircore.adapters.shipped.questionnaire import shipped_questionnaire
        from repaircore.questionnaire.editing import Editing

        return Editing(
            transaction=self.storage.transaction,
            read=self.storage.read,
            symptoms=lambda: self._vocabulary.symptoms,
            shipped=shipped_questionnaire,
            edition=questionnaire_edition(),
            clock=now,
        )

    @cached_property
    def chats(self) -> "Chats":
        """Diagnosis by questions and answers."""
        from repaircore.chat.listening import Listener
        from repaircore.chat.photos import Photos
        from repaircore.chat.service import Chats

        return Chats(
            transaction=self.storage.transaction,
            read=self.storage.read,
            knowledge=self.diagnoses.knowledge,
            vehicles=lambda: self.vehicles,
            listener=Listener(
                interpreter=lambda: self._interpreter,
                seconds=self.settings.prediction_seconds,
            ),
            photos=Photos(vehicles=lambda: self.vehicles, lights=lambda: self._light_reader),
            starts_per_day=self.settings.chat_starts_per_day,
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def webhooks(self) -> "Webhooks":
        """Who is told what happens."""
        from repaircore.webhooks.service import Webhooks

        return Webhooks(
            transaction=self.storage.transaction,
            read=self.storage.read,
            vault=self._webhook_secrets,
            random=os.urandom,
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def deliveries(self) -> "Deliveries":
        """Telling them."""
        from random import random

        from repaircore.adapters.delivery.webhooks import HttpSender
        from repaircore.adapters.sql.claims import is_alive, this_process
        from repaircore.webhooks.delivery import Deliveries

        return Deliveries(
            transaction=self.storage.transaction,
            read=self.storage.read,
            vault=self._webhook_secrets,
            sender=self._measured_sender(HttpSender(clock=now)),
            holder=this_process,
            is_alive=is_alive,
            chance=random,
            clock=now,
        )

    @cached_property
    def dispatcher(self) -> "Dispatcher":
        """Telling many of them at once."""
        from repaircore.webhooks.dispatch import Dispatcher

        return Dispatcher(deliveries=self.deliveries, seconds=time.monotonic)

    @cached_property
    def webhook_operation(self) -> "WebhookOperation":
        """Webhooks as operators see them."""
        from repaircore.webhooks.operations import WebhookOperation

        return WebhookOperation(
            transaction=self.storage.transaction,
            read=self.storage.read,
            deliveries=self.deliveries,
            new_id=new_id,
            clock=now,
        )

    @cached_property
    def jobs(self) -> "Jobs":
        """What is done beside requests."""
        from repaircore.adapters.sql.claims import is_alive, this_process
        from repaircore.jobs.service import Jobs

        return Jobs(
            transaction=self.storage.transaction,
            read=self.storage.read,
            jobs=self._job_list(),
            couriers=(self.dispatcher.run,),
            holder=this_process,
            is_alive=is_alive,
            clock=now,
        )

    def prepare(self) -> None:
        """Make everything now: a server does so before the first request, which then pays for nothing.

        Raises:
            Invalid: a model's settings do not work; each fault is named. Or the secret is missing.
            Unavailable: the secret cannot be kept.
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
            self._computing,
            self._describer,
            self._interpreter,
            self.payments,
        ):
            pass

    def replacing(self, **services: object) -> "Core":
        """Give a core with other services in the place of some, for a test; what is not made yet uses them.

        Raises:
            TypeError: there is no such service.
        """
        for name in services:
            if name.startswith("_") or not isinstance(getattr(Core, name, None), cached_property):
                raise TypeError(f"a core has no service named {name}")
        other = copy(self)
        other.__dict__.update(services)
        return other

    def upgrade(self, tell: Callable[[str], None] = lambda _: None) -> None:
        """Bring the database to this version: its schema, and the repair book in it.

        ``tell`` is told what is about to take a moment, and at the end nothing ("").
        """
        if self.storage.standing() != HEAD:
            tell("Preparing the database…")
            self.storage.upgrade()
        current = self.book_edition
        if shipped_edition(self.storage.edition() or "") != current:
            tell("Reading the repair book in…")
            self.book_revisions.publish()
            tell("")
        self._upgrade_questionnaire(tell)

    def ready(self) -> Sequence[str]:
        """List what stands in the way of serving, a sentence each; empty when nothing does."""
        from repaircore.adapters.shipped.edition import questionnaire_edition

        try:
            standing = self.storage.standing()
            read_in = self.storage.edition() if standing == HEAD else None
            asked = self.storage.questionnaire_edition() if standing == HEAD else None
            obstacle = None if standing == HEAD else self.storage.obstacle()
        except Unavailable:
            return ["The database does not answer."]
        if standing != HEAD:
            return [
                obstacle
                or f"The database is at revision {standing or 'none'}, not at {HEAD}: run `repaircore db upgrade`."
            ]
        if shipped_edition(read_in or "") != self.book_edition:
            return [
                f"The repair book is of edition {read_in or 'none'}, not {self.book_edition}: run `repaircore db upgrade`."
            ]
        if is_outdated(asked, questionnaire_edition()):
            return [
                f"The questionnaire is of edition {asked or 'none'}, not {questionnaire_edition()}: run `repaircore db upgrade`."
            ]
        return []

    @property
    def book_edition(self) -> str:
        """Name the edition of the repair book that this version ships."""
        from repaircore.adapters.shipped.edition import edition

        return edition()

    def obstacles(self) -> Sequence[str]:
        """List what stands in the way of serving now: besides what is asked of the database (``ready``), a full disk."""
        return self.readiness.obstacles()

    def warnings(self) -> Sequence[str]:
        """List what is not as it should be although requests are served, a sentence each."""
        return self.readiness.warnings()

    def close(self) -> None:
        """Let go of connections and files."""
        self.storage.close()
        for name in ("windows", "partner_windows"):
            if name in self.__dict__:
                self.__dict__[name].close()
        if "_vin_reader" in self.__dict__:
            self._vin_reader.close()

    def _windows_in(self, place: str) -> "Windows":
        kept = self._database_windows if place == DATABASE else self._machine_windows
        if self.settings.redis_url is None:
            return kept
        from repaircore.adapters.windows.fallback import FallbackWindows

        return FallbackWindows(self._redis_windows, kept, name="Redis")

    @cached_property
    def _machine_windows(self) -> "SharedFileWindows":
        from repaircore.adapters.windows.shared_files import SharedFileWindows

        return SharedFileWindows(self.settings.state / "windows")

    @cached_property
    def _database_windows(self) -> "SqlWindows":
        from repaircore.adapters.sql.rate_windows import SqlWindows

        return SqlWindows(lambda: self.storage.database)

    @cached_property
    def _redis_windows(self) -> "RedisWindows":
        from repaircore.adapters.crypto.installation import derived

        with _demanding(_REDIS_URL, "redis", "redis"):
            from repaircore.adapters.redis.windows import RedisWindows
        return RedisWindows(self.settings.redis_url or "", lambda: derived(self._secret, "rate windows"))

    def _window_places(self) -> "Sequence[WindowPlace]":
        """List where rate windows are kept, each with how to find out whether it answers."""
        from repaircore.addresses import shown_server
        from repaircore.checkup.model import WindowPlace

        told, redis = self.settings, self.settings.redis_url
        if redis is not None:
            place = WindowPlace(
                "rate windows", f"Redis at {shown_server(redis)}", self._asking(self._redis_windows)
            )
            return [place, self._place("rate windows while Redis is lost", told.main_windows)]
        main = self._place("rate windows", told.main_windows)
        partners = self._place("rate windows of partners", told.partner_windows)
        return [main] if told.main_windows == told.partner_windows else [main, partners]

    def _place(self, name: str, place: str) -> "WindowPlace":
        from repaircore.checkup.model import WindowPlace

        if place == DATABASE:
            return WindowPlace(name, "the database", self._ask_the_database)
        return WindowPlace(name, "this machine's files", self._asking(self._machine_windows))

    def _asking(self, windows: "Windows") -> "Callable[[], object]":
        from repaircore.limits.model import Limit

        return lambda: windows.peek("checkup", Limit(1))

    def _ask_the_database(self) -> None:
        if self.storage.standing() == HEAD:  # else there is no table to ask
            self._asking(self._database_windows)()

    @cached_property
    def _secret(self) -> str:
        """What every key of the installation is derived from."""
        from repaircore.adapters.crypto.installation import installation_secret

        return installation_secret(self.settings.secret_key, self.settings.secret_file)

    @cached_property
    def _webhook_secrets(self) -> "SecretVault":
        from repaircore.adapters.crypto.vault import FernetSecrets

        return FernetSecrets.of([self._secret])

    def _job_list(self) -> "Sequence[Job]":
        """List what is done again and again, each by one process at a time."""
        from datetime import time as time_of_day
        from datetime import timedelta

        from repaircore.jobs.model import Job

        return (
            Job(name="estimates.refit", run=self._refit, at=time_of_day(3)),
            Job(name="diagnostics.learn", run=self._learn_outcomes, at=time_of_day(3)),
            Job(name="webhooks.prune", run=self._prune_webhooks, at=time_of_day(4)),
            Job(name="replies.prune", run=self._prune_replies, every=timedelta(hours=1)),
            # Where no mails are sent any more, there may be some that were.
            Job(name="mails.prune", run=self._prune_mails, at=time_of_day(4)),
            *self._mail_jobs(),
            Job(name="rides.expire", run=self._expire_rides, every=timedelta(seconds=5)),
            Job(name="rides.ask_others", run=self._ask_others, every=timedelta(seconds=5)),
            Job(name="payments.reconcile", run=self._reconcile, every=timedelta(seconds=15)),
        )

    def _mail_jobs(self) -> "Sequence[Job]":
        from datetime import timedelta

        from repaircore.jobs.model import Job

        if not self.mails.is_on:
            return ()
        return (Job(name="mails.deliver", run=self._deliver_mails, every=timedelta(seconds=10)),)

    def _refit(self) -> Mapping[str, int]:
        from attrs import evolve

        from repaircore.kernel.callers import LOCAL, Environment

        return {
            environment.value: self.refits.refit(evolve(LOCAL, environment=environment)).invoices
            for environment in Environment
        }

    def _trained_again(self) -> "Trained":
        from repaircore.adapters.shipped.book import book
        from repaircore.adapters.shipped.word_weights import trained_again

        return trained_again(book().problems, self._vocabulary.symptoms)

    def _learn_outcomes(self) -> Mapping[str, int]:
        return self.outcomes.learn()

    def _expire_rides(self) -> Mapping[str, int]:
        return {"rides": self.rides.expire_due(), "tows": self.tows.expire_due()}

    def _ask_others(self) -> Mapping[str, int]:
        return {"rides": self.rides.ask_others(), "tows": self.tows.ask_others()}

    def _reconcile(self) -> Mapping[str, int]:
        done = self.payment_reconciliation.reconcile()
        return {
            "finished": done.finished,
            "undone": done.undone,
            "waiting": done.waiting,
            "stuck": len(done.stuck),
        }

    def _deliver_mails(self) -> Mapping[str, int]:
        done = self.mails.deliver_due()
        return {"sent": done.sent, "postponed": done.postponed, "dead": done.dead}

    def _prune_mails(self) -> Mapping[str, int]:
        return {"mails": self.mails.prune()}

    def _prune_replies(self) -> Mapping[str, int]:
        return {"replies": self.idempotency.prune()}

    def _prune_webhooks(self) -> Mapping[str, int]:
        return {"rows": self.webhook_operation.prune()}

    @cached_property
    def _signal_sink(self) -> "SignalSink":
        from repaircore.adapters.fleet_signals import FleetSignals

        return FleetSignals(compliances=lambda: self.compliance)

    @cached_property
    def _vin_reader(self) -> "ChildVinReader":
        from repaircore.adapters.imaging.gate import ImageGate
        from repaircore.adapters.imaging.reader import ChildVinReader

        return ChildVinReader(ImageGate(self.settings.state))

    @cached_property
    def _computing(self) -> "Compute":
        from repaircore.adapters.ai.factory import build_panel
        from repaircore.adapters.shipped.fees import shipped_statutory_fees
        from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
        from repaircore.predictions.compute import Compute

        return Compute(
            read=self.storage.read,
            zip_codes=self._locating.zip_codes,
            locating=self._locating,
            panel=build_panel(self.settings.model_a, self.settings.model_b, around=self._measured_model),
            factors_of=shipped_factor_table().factors_for,
            prices=self._prices,
            fees=shipped_statutory_fees(),
            clock=now,
        )

    def _notice_predictions(self) -> "Callable[[Prediction, Environment], None] | None":
        if not self.settings.metrics:
            return None
        from repaircore.adapters.metrics.predictions import PredictionCounts

        return PredictionCounts(self.meter)

    def _measured_model(self, letter: str, model: "PriceModel") -> "PriceModel":
        if not self.settings.metrics:
            return model
        from repaircore.adapters.metrics.models import MeasuredModel

        return MeasuredModel(model, letter, self.meter)

    def _measured_sender(self, sender: "Sender") -> "Sender":
        if not self.settings.metrics:
            return sender
        from repaircore.adapters.metrics.webhooks import MeasuredSender

        return MeasuredSender(sender, self.meter)

    def _severity(self, code: str, make: str | None) -> "Severity":
        """Judge how much a trouble code matters: by the codes that are shipped, else by its area."""
        from repaircore.health.code_severity import severity_by_area, severity_of

        known = self._trouble_codes.find(code, make)
        return severity_by_area(code) if known is None else severity_of(known.urgency, known.safe_to_drive)

    @cached_property
    def _search_rankers(self) -> "Sequence[Ranker]":
        from repaircore.trouble_codes.ranker import CodeRanker

        return (CodeRanker(table=lambda: self._trouble_codes),)

    @cached_property
    def _vocabulary(self) -> "Vocabulary":
        from repaircore.adapters.shipped.vocabulary import vocabulary

        return vocabulary()

    @cached_property
    def _describer(self) -> "Describer":
        from repaircore.adapters.ai.factory import build_describer

        return build_describer(self.settings.describer, self._vocabulary.symptoms)

    @cached_property
    def _offline_describer(self) -> "Describer":
        from repaircore.adapters.ai.book_describer import BookDescriber

        return BookDescriber(self._vocabulary.symptoms)

    def _upgrade_questionnaire(self, tell: Callable[[str], None]) -> None:
        from repaircore.adapters.shipped.edition import questionnaire_edition

        current = questionnaire_edition()
        if is_outdated(self.storage.questionnaire_edition(), current):
            from repaircore.adapters.shipped.book import symptoms
            from repaircore.adapters.shipped.questionnaire import shipped_questionnaire

            tell("Reading the questionnaire in…")
            self.storage.read_questions_in(current, shipped_questionnaire(symptoms().keys()))
            tell("")

    @cached_property
    def _trouble_codes(self) -> "CodeTable":
        from repaircore.adapters.shipped.codes import code_table

        return code_table()

    def _knowing(self, problems: "Sequence[Problem]", learned: str) -> "Knowledge":
        from repaircore.adapters.shipped.complaints import repair_groups
        from repaircore.adapters.shipped.lexicon import lexicon
        from repaircore.adapters.shipped.word_weights import word_model
        from repaircore.diagnosis.knowledge import Knowledge
        from repaircore.word_model.weights_text import load

        return Knowledge(
            problems,
            self._vocabulary,
            self._trouble_codes,
            lexicon(),
            groups=repair_groups(),
            word_model=load(learned) if learned else word_model(),
        )

    @cached_property
    def _interpreter(self) -> "Interpreter | None":
        if self.settings.diagnostician.kind == OFFLINE:
            return None
        from repaircore.adapters.ai.factory import build_diagnostician

        return build_diagnostician(self.settings.diagnostician)

    @cached_property
    def _light_reader(self) -> "LightReader | None":
        if not self.settings.vision.is_on:
            return None
        from repaircore.adapters.ai.factory import build_light_reader

        return build_light_reader(self.settings.vision)

    @cached_property
    def _vin_catalog(self) -> "VinCatalog":
        from repaircore.adapters.lookups.vin_catalog import newest_catalog

        return newest_catalog(self.settings.vin_catalog_file)

    def _sold(self, model_id: str) -> "VehicleSpecs | None":
        """Give what an id of the catalog's model-years means."""
        from repaircore.vehicle_facts.model import VehicleSpecs

        sold = self.catalog.find_model_year(model_id)
        if sold is None:
            return None
        return VehicleSpecs(make=sold.make, model=sold.model, year=sold.year, source="catalog")

    def _repairs_called(self, text: str) -> "Sequence[Problem]":
        """Find the repairs that some words may mean, best first; none for what is too short to search for."""
        return (
            [] if self.problems.validate(query=text) else [one.problem for one in self.problems.search(text)]
        )

    @cached_property
    def _rates(self) -> "LaborRates":
        from repaircore.adapters.shipped.rates import read_labor_rates

        return read_labor_rates()

    @cached_property
    def _prices(self) -> "PriceIndex":
        from repaircore.adapters.shipped.prices import read_price_index

        return read_price_index()


def sample_of_invoices() -> "Sample":
    """Give what makes invoices up; no database is needed."""
    from repaircore.adapters.shipped.book import book
    from repaircore.adapters.shipped.prices import read_price_index
    from repaircore.adapters.shipped.rates import read_labor_rates
    from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
    from repaircore.learning.sample import Sample

    return Sample(
        problems=book().problems,
        factors_of=shipped_factor_table().factors_for,
        prices=read_price_index(),
        national_rate=read_labor_rates().national,
    )


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


def now() -> datetime:
    """Tell the time, in UTC."""
    return datetime.now(UTC)


def new_id() -> UUID:
    """Make a UUIDv7."""
    from uuid_utils.compat import uuid7

    return uuid7()


@contextmanager
def _demanding(setting: str, package: str, extra: str) -> "Iterator[None]":
    """Say which extra a setting needs when its package is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise Invalid(
            {setting: [f"{setting} needs the extra: pip install 'repaircore[{extra}]'."]}
        ) from error


def _decoders(settings: Settings) -> "VinDecoder":
    from repaircore.adapters.lookups.chain import DecoderChain
    from repaircore.adapters.lookups.vpic_local import VpicVinDecoder
    from repaircore.adapters.shipped.mechanics import shipped_mechanics

    decoders: list[VinDecoder] = [VpicVinDecoder(now, shipped_mechanics)]
    if settings.vin_decoder_url is not None:
        from repaircore.adapters.lookups.vpic_remote import VpicRemoteDecoder  # brings httpx

        decoders.append(
            VpicRemoteDecoder.at(settings.vin_decoder_url, clock=now, mechanics=shipped_mechanics)
        )
    return DecoderChain(decoders)


def _plate_provider(settings: Settings) -> "PlateProvider | None":
    if settings.plates_url is None:
        return None
    from repaircore.adapters.lookups.plates_remote import RemotePlates  # brings httpx

    return RemotePlates.at(settings.plates_url, api_key=settings.plates_api_key, clock=now)


def _car_provider(settings: Settings, redirect: str) -> "CarProvider | None":
    if not settings.car_provider.is_on:
        return None
    from repaircore.adapters.lookups.cars_remote import RemoteCars  # brings httpx

    return RemoteCars.at(settings.car_provider, redirect=redirect, clock=now)


def _live_gateway(settings: Settings) -> "PaymentGateway | None":
    if settings.stripe_secret_key is None:
        return None
    from repaircore.adapters.payments.stripe import StripeGateway  # brings httpx

    return StripeGateway.at(settings.stripe_url, secret_key=settings.stripe_secret_key)


def _rate_driver(work: "SqlWork", ride: "Ride", stars: int) -> None:
    driver = work.drivers.find(ride.provider_ref or "", ride.environment)
    if driver is not None:
        work.drivers.rate(driver.id, stars)


def _mailer(settings: MailSettings) -> "Mailer | None":
    if settings.url is None or settings.sender is None:
        return None
    from repaircore.adapters.delivery.mail import SmtpMailer, SmtpServer

    return SmtpMailer(server=SmtpServer.at(settings.url), sender=settings.sender)


def _live_recalls(settings: Settings) -> "LiveRecalls | None":
    if settings.recalls_url is None:
        return None
    from repaircore.adapters.lookups.recalls_live import NhtsaRecalls  # brings httpx

    return NhtsaRecalls.at(settings.recalls_url, clock=now)


def _vision(model: VisionSettings) -> "VisionModel | None":
    if not model.is_on:
        return None
    from repaircore.adapters.ai.factory import build_vision

    return build_vision(model)

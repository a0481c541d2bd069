"""What the services of an installation share, such as its settings, clock and database."""

import sys
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
    # Imported late, because few commands need an ID.
    if sys.version_info >= (3, 14):
        from uuid import uuid7  # noqa: PLC0415
    else:
        from uuid_utils.compat import uuid7  # noqa: PLC0415

    return uuid7()


class SharedServices:
    """What the services of an installation share, each created on first access."""

    def __init__(self, settings: Settings, *, clock: "Clock" = now, new_id: "NewId" = new_id) -> None:
        self.settings = settings
        self.clock = clock
        self.new_id = new_id

    storage = cached_property(lambda core: wiring.database.storage(core))
    """The database."""

    secret = cached_property(lambda core: wiring.database.secret(core))
    """The secret that every key of the installation is derived from."""

    windows = cached_property(lambda core: wiring.rate_limits.windows(core))
    """The rate windows for keys and logins."""

    partner_windows = cached_property(lambda core: wiring.rate_limits.partner_windows(core))
    """The rate windows for partners."""

    machine_windows = cached_property(lambda core: wiring.rate_limits.machine_windows(core))
    """Rate windows in files on this machine."""

    database_windows = cached_property(lambda core: wiring.rate_limits.database_windows(core))
    """Rate windows in the database."""

    redis_windows = cached_property(lambda core: wiring.rate_limits.redis_windows(core))
    """Rate windows in Redis."""

    prometheus = cached_property(lambda core: wiring.operations.prometheus(core))
    """The Prometheus meter; None unless metrics are enabled."""

    password_hasher = cached_property(lambda core: wiring.accounts.password_hasher(core))
    """The hasher of users' passwords."""

    webhook_secrets = cached_property(lambda core: wiring.webhooks.webhook_secrets(core))
    """The vault for webhook secrets."""

    vin_catalog = cached_property(lambda core: wiring.vehicles.vin_catalog(core))
    """The catalog of VIN patterns."""

    vin_reader = cached_property(lambda core: wiring.vehicles.vin_reader(core))
    """The reader that finds VINs in photos."""

    image_limit = cached_property(lambda core: wiring.vehicles.image_limit(core))
    """The limit on how many files are read at once."""

    document_reader = cached_property(lambda core: wiring.pricing.document_reader(core))
    """The reader that extracts quotes from photos and PDFs."""

    describer = cached_property(lambda core: wiring.book.describer(core))
    """The writer of repair descriptions in the live environment."""

    price_models = cached_property(lambda core: wiring.pricing.price_models(core))
    """The two models that predict prices."""

    computation = cached_property(lambda core: wiring.pricing.computation(core))
    """The computation behind predictions."""

    job_invoices = cached_property(lambda core: wiring.learning.job_invoices(core))
    """Learning from the invoices of rides and appointments."""

    repair_matcher = cached_property(lambda core: wiring.learning.repair_matcher(core))
    """The matcher that finds the repairs of the current book in shops' wording."""

    interpreter = cached_property(lambda core: wiring.diagnosis.interpreter(core))
    """The model that interprets complaints, or None if they are interpreted offline."""

    light_reader = cached_property(lambda core: wiring.diagnosis.light_reader(core))
    """The model that reads warning lights in photos, or None if there is none."""

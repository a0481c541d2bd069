"""An installation's settings, read from environment variables.

Each setting is a field of ``Settings`` or of one of its groups, with its kind and help text; its variable, parsing
and display follow from these. ``Settings.from_env`` reports all errors at once; ``Settings.shown`` hides secrets. The
page docs/reference/settings.md is tested against the table ``SETTINGS``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs
from attrs import frozen

from repaircore.addresses import database_address, shown_database
from repaircore.external_settings import (
    CarProviderSettings,
    MailSettings,
    ModelSettings,
    SmsSettings,
    VisionSettings,
)
from repaircore.kernel.errors import Invalid
from repaircore.retention_settings import RetentionSettings
from repaircore.setting_table import (
    DATABASE_URL,
    GROUP,
    HOURS,
    KEY,
    NUMBERS,
    PATH,
    REDIS_URL,
    SECRET,
    SECRETS,
    SWITCH,
    URL,
    WORDS,
    Setting,
    group,
    number,
    one_of,
    setting,
    table,
)

PREFIX: Final = "REPAIRCORE_"
DEBUG: Final = PREFIX + "DEBUG"
"""The variable that makes the command line print tracebacks, even for errors that occur before any setting is read."""

ANNOUNCEMENT: Final = PREFIX + "SERVER_ANNOUNCEMENT"
"""The variable in which `repaircore serve` passes the server the text to print once it is listening."""

SETUP_LINK: Final = PREFIX + "SERVER_SETUP_LINK"
"""The variable in which `repaircore serve` passes its workers the hash and the expiration of the setup link."""

MACHINE: Final = "machine"
DATABASE: Final = "database"
STRIPE: Final = "https://api.stripe.com"


@frozen(kw_only=True)
class Settings:
    """All settings of an installation; with the defaults, nothing else is needed on the machine.

    A ``database_url`` of None means SQLite in the user's data folder. Values that a program passes are not checked,
    except those of groups.
    """

    database_url: str | None = setting(DATABASE_URL, help="`sqlite:///shop.db`")
    model_a: ModelSettings = group(
        ModelSettings,
        help="`offline`, `openai` (the chat-completions protocol) or `anthropic` (the messages protocol)",
    )
    model_b: ModelSettings = group(ModelSettings, help="as for model A")
    describer: ModelSettings = group(
        ModelSettings,
        help="what writes repair descriptions: `offline` (the repair book), `openai` or `anthropic`",
    )
    diagnostician: ModelSettings = group(
        ModelSettings,
        help="the model that also reads what owners write in a chat, and phrases the questions: `offline` (none), `openai` or"
        " `anthropic`",
    )
    vision: VisionSettings = group(VisionSettings, help="the vision model: `off`, `openai` or `anthropic`")
    vin_decoder_url: str | None = setting(URL, help="a server that speaks NHTSA's vPIC API")
    plates_url: str | None = setting(URL, help="a server that speaks the plate provider protocol")
    plates_api_key: str | None = setting(KEY, help="its API key")
    car_provider: CarProviderSettings = group(CarProviderSettings, variable="CONNECTEDCAR", help="")
    stripe_secret_key: str | None = setting(
        KEY, help="the secret key of a Stripe account; required for live payments"
    )
    stripe_url: str = setting(URL, STRIPE, help="Stripe, or a server that speaks its API")
    mail: MailSettings = group(MailSettings, help="")
    sms: SmsSettings = group(SmsSettings, help="")
    secret_key: str | None = setting(
        SECRET, help="the secret that all keys of the installation are derived from"
    )
    partner_signing_keys: tuple[str, ...] = setting(
        SECRETS, (), help="the keys that sign partners' session tokens"
    )
    public_url: str = setting(URL, "http://127.0.0.1:8000", help="the public address of this server")
    recalls_url: str | None = setting(URL, help="NHTSA's recall service (`https://api.nhtsa.gov`)")
    prediction_seconds: float = setting(number(float, 0.1, 60), 8.0, help="the time budget of one prediction")
    requests_per_minute: int = setting(
        number(int, 1, 1_000_000),
        600,
        help="requests for each API key, or each user with a management session",
    )
    predictions_per_minute: int = setting(
        number(int, 1, 1_000_000), 60, help="predictions and look-ups for each publishable key"
    )
    login_failures_per_minute: int = setting(
        number(int, 1, 1000), 5, help="failed logins for each e-mail from one IP address"
    )
    registrations_per_hour: int = setting(
        number(int, 1, 100_000), 30, help="new accounts, and attempts to create one, from one IP address"
    )
    public_requests_per_minute: int = setting(
        number(int, 1, 1_000_000),
        30,
        help="computations on the public pages from one IP address without an account",
    )
    chat_starts_per_day: int = setting(
        number(int, 1, 1_000_000), 20, help="chats that a user may start in any 24 hours"
    )
    partner_requests_per_minute_test: int = setting(
        number(int, 1, 100_000), 100, help="requests from each partner account in the test environment"
    )
    partner_requests_per_minute_live: int = setting(
        number(int, 1, 100_000), 1000, help="requests from each partner account in the live environment"
    )
    partner_requests_per_minute_unknown: int = setting(
        number(int, 1, 100_000),
        100,
        help="requests to the partner API from clients that are not a known partner, for each IP address",
    )
    rate_windows: str | None = setting(one_of(MACHINE, DATABASE), help="where requests are counted")
    redis_url: str | None = setting(REDIS_URL, help="`redis://user:password@host:6379/0`")
    invoice_draft_days: int = setting(
        number(int, 1, 3650), 30, help="days to keep an invoice draft after its last change"
    )
    cors_origins: tuple[str, ...] = setting(
        WORDS, (), help="the origins whose pages may call the API from a browser"
    )
    trusted_proxies: int = setting(number(int, 0, 10), 0, help="the number of proxies in front of the server")
    console: bool = setting(SWITCH, True, help="`off` turns the web console off")
    public_pages: bool = setting(SWITCH, True, help="`off` closes the console's pages that need no account")
    search_engines: bool = setting(SWITCH, False, help="`on` lets search engines list the public pages")
    log_format: str = setting(one_of("json", "text"), "json", help="`json` or `text`")
    log_level: str = setting(
        one_of("debug", "info", "warning", "error"), "warning", help="the lowest level that is logged"
    )
    access_log: bool = setting(SWITCH, False, help="`on` writes a line for each request")
    metrics: bool = setting(SWITCH, False, help="`on` serves metrics for Prometheus at `/metrics`")
    metrics_token: str | None = setting(SECRET, help="the bearer token that may read the metrics")
    drain_seconds: float = setting(
        number(float, 0, 300), 0.0, help="how long a server keeps serving after it is asked to stop"
    )
    database_connections: int = setting(
        number(int, 2, 100), 4, help="connections of each process to PostgreSQL; not used with SQLite"
    )
    state_folder: Path | None = setting(PATH, help="the folder that this machine's workers share")
    task_days: int = setting(
        number(int, 1, 365), 7, help="days to keep tasks after they end, with the files that they wrote"
    )
    keep: RetentionSettings = group(RetentionSettings, help="")
    appointment_free_cancel_hours: float = setting(
        number(float, 0, 720),
        24.0,
        help="how many hours before the start of an appointment free cancellation ends",
    )
    appointment_cancel_fee: float = setting(
        number(float, 0, 10_000), 0.0, help="the fee for a later cancellation, in dollars"
    )
    appointment_no_show_fee: float = setting(
        number(float, 0, 10_000), 0.0, help="the no-show fee, in dollars"
    )
    appointment_reminder_hours: tuple[float, ...] = setting(
        HOURS, (24.0, 2.0), help="how many hours before an appointment its customer is reminded"
    )
    dispatch_waves: tuple[int, ...] = setting(
        NUMBERS, (3, 5, 8), help="how many providers each wave of requests for a ride asks, such as `3,5,8`"
    )
    dispatch_wave_seconds: int = setting(
        number(int, 10, 3600), 120, help="how long a wave waits for answers before the next one"
    )
    proof_days: int = setting(number(int, 1, 3650), 365, help="days to keep photos and signatures of jobs")
    fares: Path | None = setting(PATH, help="a TOML file of fares in place of the shipped table")

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the variables that begin with ``REPAIRCORE_``.

        Raises:
            Invalid: with every bad variable, and what it must be.
        """
        reader = _Reader(environ)
        settings = reader.read()
        if reader.errors:
            raise Invalid(reader.errors)
        return settings

    @property
    def url(self) -> str:
        """The URL of the database in use."""
        return self.database_url or f"sqlite:///{_data_folder() / 'repaircore.db'}"

    @property
    def has_default_public_url(self) -> bool:
        """Whether the public URL of this server is the default."""
        return self.public_url == attrs.fields(Settings).public_url.default

    @property
    def is_embedded(self) -> bool:
        """Whether the database is a SQLite file, which is migrated automatically."""
        return self.url.startswith("sqlite:")

    @property
    def state(self) -> Path:
        """The folder that this machine's workers share (rate windows, gates)."""
        if self.state_folder is not None:
            return self.state_folder
        file = database_address(self.url).file
        return _data_folder() / "state" if file is None else file.with_name(file.name + ".state")

    @property
    def main_windows(self) -> str:
        """Where the rate windows for keys and logins are kept when Redis is not in use: ``machine`` or ``database``."""
        if self.rate_windows is not None:
            return self.rate_windows
        return MACHINE if self.redis_url is None else self.partner_windows

    @property
    def partner_windows(self) -> str:
        """Where the rate windows for partners are kept when Redis is not in use: ``machine`` or ``database``."""
        return self.rate_windows or (MACHINE if self.is_embedded else DATABASE)

    @property
    def vin_catalog_file(self) -> Path:
        """The catalog file built from newer VIN data than the shipped data; it may not exist."""
        return self.state / "vin_catalog.zip"

    @property
    def secret_file(self) -> Path | None:
        """The file that stores the secret key if none is set; None with PostgreSQL, where a key must be set."""
        file = database_address(self.url).file
        return None if file is None else file.with_name(file.name + ".key")

    def shown(self) -> dict[str, object]:
        """Return the current settings by variable, with secrets hidden."""
        shown = {entry.variable: entry.shown(self) for entry in SETTINGS}
        main, partners = self.main_windows, self.partner_windows
        return shown | {
            PREFIX + "DATABASE_URL": shown_database(self.url),
            PREFIX + "SECRET_KEY": shown[PREFIX + "SECRET_KEY"] or f"stored in {self.secret_file}",
            PREFIX + "RATE_WINDOWS": main if main == partners else f"{main}, of partners {partners}",
            PREFIX + "STATE_FOLDER": str(self.state),
        }


SETTINGS: Final = tuple(table(Settings, PREFIX))
"""All settings, in the order of ``Settings.shown``."""


def _data_folder() -> Path:
    from platformdirs import user_data_path  # noqa: PLC0415 - only the default database needs it

    return user_data_path("repaircore")


class _Reader:
    """Reads the variables that are set and collects their errors."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.errors: dict[str, list[str]] = {}
        self._environ = environ

    def read(self) -> Settings:
        values: dict[str, Any] = {}
        groups: dict[str, dict[str, Any]] = {}
        for entry in SETTINGS:
            value = self._value(entry)
            if value is not None:
                *group, name = entry.path
                (groups.setdefault(group[0], {}) if group else values)[name] = value
        made = {name: self._group(name, parts) for name, parts in groups.items()}
        settings = Settings(**values, **made)
        self._require_secret(settings)
        return settings

    def _value(self, entry: Setting) -> Any:
        """Return the value of a variable, or None if it is unset or invalid. Groups check their own values."""
        text = self._environ.get(entry.variable, "").strip()
        if not text:
            return None
        try:
            value = entry.kind.parse(text)
        except ValueError as error:
            self._add_error(entry.variable, str(error))
            return None
        predicate = entry.kind.check(value) if len(entry.path) == 1 else None
        if predicate is None:
            return value
        self._add_error(entry.variable, predicate)
        return None

    def _group(self, name: str, parts: Mapping[str, Any]) -> Any:
        shape = attrs.fields_dict(Settings)[name].metadata[GROUP]
        try:
            return shape(**parts)
        except Invalid as invalid:
            variables = {entry.path: entry.variable for entry in SETTINGS}
            for part, (predicate,) in invalid.fields.items():
                self._add_error(variables[name, part], predicate)
            return shape()

    def _require_secret(self, settings: Settings) -> None:
        if settings.is_embedded or settings.secret_key is not None:
            return
        if PREFIX + "SECRET_KEY" not in self.errors:
            text = "is required with PostgreSQL; use the same value for every worker and machine"
            self._add_error(PREFIX + "SECRET_KEY", text)

    def _add_error(self, variable: str, predicate: str) -> None:
        self.errors.setdefault(variable, []).append(f"{variable} {predicate}.")

"""Settings: the only reader of the environment.

``Settings.from_env`` reports every problem at once; ``Settings.shown`` hides what is secret. What each
one is for stands in docs/reference/settings.md.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from attrs import evolve, field, fields, frozen

from repaircore.addresses import (
    database_address,
    is_mail_server,
    is_server,
    redis_address,
    shown_database,
    shown_server,
)
from repaircore.kernel.errors import Invalid

PREFIX: Final = "REPAIRCORE_"
DEBUG: Final = PREFIX + "DEBUG"
"""Where it is set, unexpected errors are told with where they arose: also those that come before any setting is read."""

ANNOUNCEMENT: Final = PREFIX + "SERVER_ANNOUNCEMENT"
"""The variable in which `repaircore serve` hands the server what to print once it listens."""

T = TypeVar("T", int, float)
S = TypeVar("S")

OFFLINE: Final = "offline"
_KINDS: Final = (OFFLINE, "openai", "anthropic")

OFF: Final = "off"
_ON: Final = "on"
_VISION_KINDS: Final = (OFF, "openai", "anthropic")

_LEVELS: Final = ("debug", "info", "warning", "error")

COMPONENT_TABLE: Final = "component-table"
HOURS_REGRESSION: Final = "hours-regression"
_FORMULAS: Final = (COMPONENT_TABLE, HOURS_REGRESSION)

MACHINE: Final = "machine"
DATABASE: Final = "database"
_PLACES: Final = (MACHINE, DATABASE)

_KEY: Final = "takes letters, digits and punctuation only"
_ADDRESS: Final = "takes an address that begins with http:// or https:// and names a host"

STRIPE: Final = "https://api.stripe.com"

_SHORTEST_SECRET: Final = 32
_SECRET: Final = f"takes {_SHORTEST_SECRET} characters or more: letters, digits and punctuation only"
_NEEDED_WITH_POSTGRESQL: Final = "is required with PostgreSQL: the same for every worker and machine"


def _is_secret(text: str) -> bool:
    return len(text) >= _SHORTEST_SECRET and _is_key(text)


def _is_key(key: str | None) -> bool:
    return key is None or (key.isascii() and key.isprintable() and " " not in key)


@frozen(kw_only=True)
class ModelSettings:
    """A price model, the describer or the diagnostician: ``offline``, or a server that speaks one of two protocols.

    Every rule about them is here: a choice that breaks one cannot be made.

    Args:
        kind: ``offline``, ``openai`` or ``anthropic``.
        url: where a remote model is; without it, at the company that the kind is named for.
        api_key: the credential of a remote model; a local server may need none.
        name: the model's name at the server, needed for a remote one; for an offline one ``component-table``
            or ``hours-regression``, without it the formula of its place. The other offline ones take no notice of it.

    Raises:
        Invalid: with everything that is wrong, under the argument's name; url and key are never quoted.
    """

    kind: str = OFFLINE
    url: str | None = field(default=None, repr=False)  # may carry a password
    api_key: str | None = field(default=None, repr=False)
    name: str | None = None

    def __attrs_post_init__(self) -> None:
        wrong = {
            "kind": None if self.kind in _KINDS else f"takes one of {', '.join(_KINDS)}",
            "url": None if self.url is None or is_server(self.url) else _ADDRESS,
            "api_key": None if _is_key(self.api_key) else _KEY,
            "name": self._wrong_name(),
        }
        if any(wrong.values()):
            raise Invalid({part: [text] for part, text in wrong.items() if text})

    def _wrong_name(self) -> str | None:
        if self.kind != OFFLINE:
            return None if self.name else "is needed for a model that is not offline"
        known = self.name is None or self.name in _FORMULAS
        return None if known else f"takes one of {', '.join(_FORMULAS)} for an offline model"


@frozen(kw_only=True)
class VisionSettings:
    """The vision model that is shown images nobody else reads a VIN in: none, or a server.

    Args:
        kind: ``off``, ``openai`` or ``anthropic``.
        url: where it is; without it, at the company that the kind is named for.
        api_key: its credential; a local server may need none.
        name: the model's name at the server, needed unless it is off.

    Raises:
        Invalid: with everything that is wrong, under the argument's name; url and key are never quoted.
    """

    kind: str = OFF
    url: str | None = field(default=None, repr=False)  # may carry a password
    api_key: str | None = field(default=None, repr=False)
    name: str | None = None

    def __attrs_post_init__(self) -> None:
        wrong = {
            "kind": None if self.kind in _VISION_KINDS else f"takes one of {', '.join(_VISION_KINDS)}",
            "url": None if self.url is None or is_server(self.url) else _ADDRESS,
            "api_key": None if _is_key(self.api_key) else _KEY,
            "name": "is needed for a vision model" if self.is_on and not self.name else None,
        }
        if any(wrong.values()):
            raise Invalid({part: [text] for part, text in wrong.items() if text})

    @property
    def is_on(self) -> bool:
        """Return whether there is one."""
        return self.kind != OFF


@frozen(kw_only=True)
class CarProviderSettings:
    """The provider of connected cars: none, or all that it takes to have drivers agree and to ask it.

    Args:
        authorize_url: where drivers agree.
        token_url: where codes become tokens.
        api_url: where cars are asked, below it.
        revoke_url: where agreements are ended; not every provider has it.
        client_id: who we are to the provider.
        client_secret: how we prove it; a public client has none.
        scopes: what drivers are asked for, with spaces between.
        keys: what kept tokens are encrypted with, the newest first; what is derived from the
            installation's secret opens as well, and seals where there is no other.

    Raises:
        Invalid: with everything that is wrong, under the argument's name; values are never quoted.
    """

    authorize_url: str | None = field(default=None, repr=False)
    token_url: str | None = field(default=None, repr=False)
    api_url: str | None = field(default=None, repr=False)
    revoke_url: str | None = field(default=None, repr=False)
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    scopes: str | None = None
    keys: tuple[str, ...] = field(default=(), repr=False)

    def __attrs_post_init__(self) -> None:
        wrong: dict[str, str] = {}
        for name in ("authorize_url", "token_url", "api_url", "revoke_url"):
            url = getattr(self, name)
            if url is not None and not is_server(url):
                wrong[name] = _ADDRESS
        for name in ("client_id", "client_secret"):
            if not _is_key(getattr(self, name)):
                wrong[name] = _KEY
        if self.scopes is not None and not all(map(_is_key, self.scopes.split())):
            wrong["scopes"] = _KEY
        if not all(map(_is_secret, self.keys)):
            wrong["keys"] = f"has keys with spaces or commas between, each of which {_SECRET}"
        told = {one.name for one in fields(type(self)) if one.name != "keys" and getattr(self, one.name)}
        for name in _CAR_PROVIDER if told else ():
            if name not in told:
                wrong.setdefault(name, "is needed for a connected-car provider")
        if wrong:
            raise Invalid({name: [text] for name, text in wrong.items()})

    @property
    def is_on(self) -> bool:
        """Return whether there is a provider."""
        return self.api_url is not None


_SENDER: Final = re.compile(r"(?:[^<>@,;\"\\]{1,100} <)?[^\s<>@,;]{1,64}@[^\s<>@,;]{1,190}>?")


@frozen(kw_only=True)
class MailSettings:
    """How mails are sent: not at all, or by a server.

    Args:
        url: ``smtp://user:password@host:587`` (STARTTLS) or ``smtps://…`` (TLS from the beginning).
        sender: whom mails are from: an address, or ``Name <address>``.

    Raises:
        Invalid: with everything that is wrong, under the argument's name; the url is never quoted.
    """

    url: str | None = field(default=None, repr=False)
    sender: str | None = None

    def __attrs_post_init__(self) -> None:
        wrong: dict[str, str] = {}
        if self.url is not None and not (_is_key(self.url) and is_mail_server(self.url)):
            wrong["url"] = "takes an address that begins with smtp:// or smtps:// and names a host"
        if self.sender is not None and not (self.sender.isprintable() and _is_sender(self.sender)):
            wrong["sender"] = "takes an e-mail address, or Name <address>"
        if self.url is not None and self.sender is None:
            wrong["sender"] = "is needed for a mail server"
        if wrong:
            raise Invalid({name: [text] for name, text in wrong.items()})

    @property
    def is_on(self) -> bool:
        """Return whether mails are sent."""
        return self.url is not None


def _is_sender(text: str) -> bool:
    return bool(_SENDER.fullmatch(text)) and ("<" in text) == (">" in text)


_CAR_PROVIDER: Final = ("authorize_url", "token_url", "api_url", "client_id")


@frozen(kw_only=True)
class Settings:
    """Everything that an installation can choose; the defaults need nothing else on the machine.

    ``database_url`` None is SQLite in the user's data folder. Limits are whole numbers a minute;
    ``prediction_seconds`` is the budget of one prediction, or one description, whatever the models do.
    """

    database_url: str | None = field(default=None, repr=False)
    model_a: ModelSettings = ModelSettings()
    model_b: ModelSettings = ModelSettings()
    describer: ModelSettings = ModelSettings()
    diagnostician: ModelSettings = ModelSettings()
    vision: VisionSettings = VisionSettings()
    vin_decoder_url: str | None = field(default=None, repr=False)
    plates_url: str | None = field(default=None, repr=False)
    plates_api_key: str | None = field(default=None, repr=False)
    car_provider: CarProviderSettings = CarProviderSettings()
    mail: MailSettings = MailSettings()
    secret_key: str | None = field(default=None, repr=False)
    partner_signing_keys: tuple[str, ...] = field(default=(), repr=False)
    stripe_secret_key: str | None = field(default=None, repr=False)
    stripe_url: str = field(default=STRIPE, repr=False)
    public_url: str = "http://127.0.0.1:8000"
    recalls_url: str | None = field(default=None, repr=False)
    prediction_seconds: float = 8.0
    requests_per_minute: int = 600
    predictions_per_minute: int = 60
    login_failures_per_minute: int = 5
    registrations_per_hour: int = 30
    chat_starts_per_day: int = 20
    partner_requests_per_minute_test: int = 100
    partner_requests_per_minute_live: int = 1000
    partner_requests_per_minute_unknown: int = 100
    rate_windows: str | None = None
    redis_url: str | None = field(default=None, repr=False)
    cors_origins: tuple[str, ...] = ()
    trusted_proxies: int = 0
    console: bool = True
    log_format: str = "json"
    log_level: str = "warning"
    access_log: bool = False
    metrics: bool = False
    metrics_token: str | None = field(default=None, repr=False)
    drain_seconds: float = 0.0
    state_folder: Path | None = None
    fares: Path | None = None

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the variables that begin with ``REPAIRCORE_``.

        Raises:
            Invalid: every variable that cannot be read is named, with what it takes.
        """
        read, usual = _Reader(environ), cls()
        settings = cls(
            database_url=read.text("DATABASE_URL"),
            model_a=read.model("MODEL_A"),
            model_b=read.model("MODEL_B"),
            describer=read.model("DESCRIBER"),
            diagnostician=read.model("DIAGNOSTICIAN"),
            vision=read.vision("VISION"),
            vin_decoder_url=read.url("VIN_DECODER_URL"),
            plates_url=read.url("PLATES_URL"),
            plates_api_key=read.key("PLATES_API_KEY"),
            car_provider=read.car_provider("CONNECTEDCAR"),
            stripe_secret_key=read.key("STRIPE_SECRET_KEY"),
            stripe_url=read.url("STRIPE_URL") or usual.stripe_url,
            mail=read.mail(),
            secret_key=read.secret("SECRET_KEY"),
            partner_signing_keys=read.secrets("PARTNER_SIGNING_KEYS"),
            public_url=read.url("PUBLIC_URL") or usual.public_url,
            recalls_url=read.url("RECALLS_URL"),
            prediction_seconds=read.number("PREDICTION_SECONDS", usual.prediction_seconds, float, 0.1, 60),
            requests_per_minute=read.number(
                "REQUESTS_PER_MINUTE", usual.requests_per_minute, int, 1, 1_000_000
            ),
            predictions_per_minute=read.number(
                "PREDICTIONS_PER_MINUTE", usual.predictions_per_minute, int, 1, 1_000_000
            ),
            login_failures_per_minute=read.number(
                "LOGIN_FAILURES_PER_MINUTE", usual.login_failures_per_minute, int, 1, 1000
            ),
            registrations_per_hour=read.number(
                "REGISTRATIONS_PER_HOUR", usual.registrations_per_hour, int, 1, 100_000
            ),
            chat_starts_per_day=read.number(
                "CHAT_STARTS_PER_DAY", usual.chat_starts_per_day, int, 1, 1_000_000
            ),
            partner_requests_per_minute_test=read.number(
                "PARTNER_REQUESTS_PER_MINUTE_TEST", usual.partner_requests_per_minute_test, int, 1, 100_000
            ),
            partner_requests_per_minute_live=read.number(
                "PARTNER_REQUESTS_PER_MINUTE_LIVE", usual.partner_requests_per_minute_live, int, 1, 100_000
            ),
            partner_requests_per_minute_unknown=read.number(
                "PARTNER_REQUESTS_PER_MINUTE_UNKNOWN",
                usual.partner_requests_per_minute_unknown,
                int,
                1,
                100_000,
            ),
            rate_windows=read.one_of("RATE_WINDOWS", _PLACES),
            redis_url=read.redis("REDIS_URL"),
            cors_origins=read.words("CORS_ORIGINS"),
            trusted_proxies=read.number("TRUSTED_PROXIES", usual.trusted_proxies, int, 0, 10),
            console=read.switch("CONSOLE", usual.console),
            log_format=read.choice("LOG_FORMAT", usual.log_format, ("json", "text")),
            log_level=read.choice("LOG_LEVEL", usual.log_level, _LEVELS),
            access_log=read.switch("ACCESS_LOG"),
            metrics=read.switch("METRICS"),
            metrics_token=read.secret("METRICS_TOKEN"),
            drain_seconds=read.number("DRAIN_SECONDS", usual.drain_seconds, float, 0, 300),
            state_folder=read.path("STATE_FOLDER"),
            fares=read.path("FARES"),
        )
        read.complain_about_database(settings.database_url, settings.secret_key)
        if read.faults:
            raise Invalid(read.faults)
        return settings

    def with_database(self, url: str | None) -> "Settings":
        """Return the settings with another database (None changes nothing)."""
        return self if url is None else evolve(self, database_url=url)

    @property
    def url(self) -> str:
        """Return the database that is in force."""
        return self.database_url or f"sqlite:///{_data_folder() / 'repaircore.db'}"

    @property
    def is_embedded(self) -> bool:
        """Return whether the database is a file of ours, which migrates itself."""
        return self.url.startswith("sqlite:")

    @property
    def state(self) -> Path:
        """Return the folder for what the workers of this machine share (rate windows, gates)."""
        if self.state_folder is not None:
            return self.state_folder
        file = database_address(self.url).file
        return _data_folder() / "state" if file is None else file.with_name(file.name + ".state")

    @property
    def main_windows(self) -> str:
        """Say where the rate windows of keys and logins are, or are while Redis is lost: ``machine`` or ``database``."""
        if self.rate_windows is not None:
            return self.rate_windows
        return MACHINE if self.redis_url is None else self.partner_windows

    @property
    def partner_windows(self) -> str:
        """Say where the rate windows of partners are, or are while Redis is lost: ``machine`` or ``database``."""
        return self.rate_windows or (MACHINE if self.is_embedded else DATABASE)

    @property
    def vin_catalog_file(self) -> Path:
        """Return where a catalog built from newer VIN data than the shipped one lies, if there is one."""
        return self.state / "vin_catalog.zip"

    @property
    def secret_file(self) -> Path | None:
        """Return the file that the secret is kept in where none is told; None where one has to be."""
        file = database_address(self.url).file
        return None if file is None else file.with_name(file.name + ".key")

    def _shown_windows(self) -> str:
        main, partners = self.main_windows, self.partner_windows
        return main if main == partners else f"{main}, of partners {partners}"

    def shown(self) -> dict[str, object]:
        """List what is in force, by the variable's name, secrets hidden."""
        return {
            PREFIX + "DATABASE_URL": shown_database(self.url),
            **_shown_model("MODEL_A", self.model_a),
            **_shown_model("MODEL_B", self.model_b),
            **_shown_model("DESCRIBER", self.describer),
            **_shown_model("DIAGNOSTICIAN", self.diagnostician),
            **_shown_model("VISION", self.vision),
            PREFIX + "VIN_DECODER_URL": _shown(self.vin_decoder_url),
            PREFIX + "PLATES_URL": _shown(self.plates_url),
            PREFIX + "PLATES_API_KEY": _hidden(self.plates_api_key),
            **_shown_car_provider("CONNECTEDCAR", self.car_provider),
            PREFIX + "STRIPE_SECRET_KEY": _hidden(self.stripe_secret_key),
            PREFIX + "STRIPE_URL": _shown(self.stripe_url),
            PREFIX + "SMTP_URL": _shown(self.mail.url),
            PREFIX + "MAIL_FROM": self.mail.sender,
            PREFIX + "SECRET_KEY": _hidden(self.secret_key) or f"kept in {self.secret_file}",
            PREFIX + "PARTNER_SIGNING_KEYS": " ".join("********" for _ in self.partner_signing_keys) or None,
            PREFIX + "PUBLIC_URL": _shown(self.public_url),
            PREFIX + "RECALLS_URL": _shown(self.recalls_url),
            PREFIX + "PREDICTION_SECONDS": self.prediction_seconds,
            PREFIX + "REQUESTS_PER_MINUTE": self.requests_per_minute,
            PREFIX + "PREDICTIONS_PER_MINUTE": self.predictions_per_minute,
            PREFIX + "LOGIN_FAILURES_PER_MINUTE": self.login_failures_per_minute,
            PREFIX + "REGISTRATIONS_PER_HOUR": self.registrations_per_hour,
            PREFIX + "CHAT_STARTS_PER_DAY": self.chat_starts_per_day,
            PREFIX + "PARTNER_REQUESTS_PER_MINUTE_TEST": self.partner_requests_per_minute_test,
            PREFIX + "PARTNER_REQUESTS_PER_MINUTE_LIVE": self.partner_requests_per_minute_live,
            PREFIX + "PARTNER_REQUESTS_PER_MINUTE_UNKNOWN": self.partner_requests_per_minute_unknown,
            PREFIX + "RATE_WINDOWS": self._shown_windows(),
            PREFIX + "REDIS_URL": _shown(self.redis_url),
            PREFIX + "CORS_ORIGINS": " ".join(self.cors_origins) or None,
            PREFIX + "TRUSTED_PROXIES": self.trusted_proxies,
            PREFIX + "CONSOLE": _ON if self.console else OFF,
            PREFIX + "LOG_FORMAT": self.log_format,
            PREFIX + "LOG_LEVEL": self.log_level,
            PREFIX + "ACCESS_LOG": _ON if self.access_log else OFF,
            PREFIX + "METRICS": _ON if self.metrics else OFF,
            PREFIX + "METRICS_TOKEN": _hidden(self.metrics_token),
            PREFIX + "DRAIN_SECONDS": self.drain_seconds,
            PREFIX + "STATE_FOLDER": str(self.state),
            PREFIX + "FARES": None if self.fares is None else str(self.fares),
        }


def _shown_model(prefix: str, model: ModelSettings | VisionSettings) -> dict[str, object]:
    return {
        f"{PREFIX}{prefix}_KIND": model.kind,
        f"{PREFIX}{prefix}_URL": _shown(model.url),
        f"{PREFIX}{prefix}_API_KEY": _hidden(model.api_key),
        f"{PREFIX}{prefix}_NAME": model.name,
    }


def _shown_car_provider(prefix: str, provider: CarProviderSettings) -> dict[str, object]:
    return {
        f"{PREFIX}{prefix}_AUTHORIZE_URL": _shown(provider.authorize_url),
        f"{PREFIX}{prefix}_TOKEN_URL": _shown(provider.token_url),
        f"{PREFIX}{prefix}_API_URL": _shown(provider.api_url),
        f"{PREFIX}{prefix}_REVOKE_URL": _shown(provider.revoke_url),
        f"{PREFIX}{prefix}_CLIENT_ID": provider.client_id,
        f"{PREFIX}{prefix}_CLIENT_SECRET": _hidden(provider.client_secret),
        f"{PREFIX}{prefix}_SCOPES": provider.scopes,
        f"{PREFIX}{prefix}_KEYS": " ".join("********" for _ in provider.keys) or None,
    }


def _shown(url: str | None) -> str | None:
    return None if url is None else shown_server(url)


def _hidden(secret: str | None) -> str | None:
    return None if secret is None else "********"


def _data_folder() -> Path:
    from platformdirs import user_data_path  # noqa: PLC0415 - only the default database needs it

    return user_data_path("repaircore")


class _Reader:
    """Reads variables one by one and remembers what was wrong with each."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.faults: dict[str, list[str]] = {}

    def text(self, name: str) -> str | None:
        return self._environ.get(PREFIX + name, "").strip() or None

    def words(self, name: str) -> tuple[str, ...]:
        return tuple((self.text(name) or "").replace(",", " ").split())

    def path(self, name: str) -> Path | None:
        text = self.text(name)
        return None if text is None else Path(text).expanduser()

    def url(self, name: str) -> str | None:
        text = self.text(name)
        if text is not None and not is_server(text):
            self.complain(name, _ADDRESS)
        return text

    def key(self, name: str) -> str | None:
        text = self.text(name)
        if not _is_key(text):
            self.complain(name, _KEY)
        return text

    def secret(self, name: str) -> str | None:
        text = self.text(name)
        if text is not None and not _is_secret(text):
            self.complain(name, _SECRET)
        return text

    def secrets(self, name: str) -> tuple[str, ...]:
        words = self.words(name)
        if not all(map(_is_secret, words)):
            self.complain(name, f"has keys with spaces or commas between, each of which {_SECRET}")
        return words

    def redis(self, name: str) -> str | None:
        text = self.text(name)
        try:
            _ = text is None or redis_address(text)
        except Invalid as invalid:
            for told in invalid.fields["redis_url"]:
                self.complain(name, told)
        return text

    def one_of(self, name: str, choices: tuple[str, ...]) -> str | None:
        return None if self.text(name) is None else self.choice(name, choices[0], choices)

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        text = self.text(name) or default
        if text not in choices:
            self.complain(name, f"takes one of {', '.join(choices)}, not {text!r}")
        return text

    def switch(self, name: str, default: bool = False) -> bool:  # noqa: FBT001, FBT002 - as for a number, what is usual comes second
        return self.choice(name, _ON if default else OFF, (OFF, _ON)) == _ON

    def number(self, name: str, default: T, kind: Callable[[str], T], least: float, most: float) -> T:
        text = self.text(name)
        if text is None:
            return default
        number: T | None
        try:
            number = kind(text)
        except ValueError:
            number = None
        if number is None or not least <= number <= most:
            self.complain(name, f"takes a number from {least:g} to {most:g}, not {text!r}")
            return default
        return number

    def model(self, name: str) -> ModelSettings:
        return self._served(ModelSettings, name, OFFLINE)

    def vision(self, name: str) -> VisionSettings:
        return self._served(VisionSettings, name, OFF)

    def car_provider(self, name: str) -> CarProviderSettings:
        try:
            return CarProviderSettings(
                authorize_url=self.text(f"{name}_AUTHORIZE_URL"),
                token_url=self.text(f"{name}_TOKEN_URL"),
                api_url=self.text(f"{name}_API_URL"),
                revoke_url=self.text(f"{name}_REVOKE_URL"),
                client_id=self.text(f"{name}_CLIENT_ID"),
                client_secret=self.text(f"{name}_CLIENT_SECRET"),
                scopes=self.text(f"{name}_SCOPES"),
                keys=self.words(f"{name}_KEYS"),
            )
        except Invalid as invalid:
            for part, (text,) in invalid.fields.items():
                self.complain(f"{name}_{part.upper()}", text)
            return CarProviderSettings()

    def mail(self) -> MailSettings:
        try:
            return MailSettings(url=self.text("SMTP_URL"), sender=self.text("MAIL_FROM"))
        except Invalid as invalid:
            for part, (text,) in invalid.fields.items():
                self.complain({"url": "SMTP_URL", "sender": "MAIL_FROM"}[part], text)
            return MailSettings()

    def _served(self, shape: Callable[..., S], name: str, kind: str) -> S:
        try:
            return shape(
                kind=self.text(f"{name}_KIND") or kind,
                url=self.text(f"{name}_URL"),
                api_key=self.text(f"{name}_API_KEY"),
                name=self.text(f"{name}_NAME"),
            )
        except Invalid as invalid:
            for part, (text,) in invalid.fields.items():
                self.complain(f"{name}_{part.upper()}", text)
            return shape()

    def complain_about_database(self, url: str | None, secret: str | None) -> None:
        if url is None:
            return
        try:
            if database_address(url).file is None and secret is None:
                self.complain("SECRET_KEY", _NEEDED_WITH_POSTGRESQL)
        except Invalid as invalid:
            for text in invalid.fields["database_url"]:
                self.complain("DATABASE_URL", text)

    def complain(self, name: str, text: str) -> None:
        self.faults.setdefault(PREFIX + name, []).append(f"{PREFIX}{name} {text}.")

"""The checkup of an installation."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from attrs import frozen

from repaircore.addresses import NO_DATABASE
from repaircore.book.identifiers import shipped_edition
from repaircore.checkup.model import CheckResult, CheckupReport, SettingValue, WindowStore
from repaircore.checkup.ports import DatabaseHealth, Machine
from repaircore.checkup.setting_values import describe_settings, unknown_settings
from repaircore.external_settings import OFF, OFFLINE
from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.kernel.types import Clock
from repaircore.kernel.views import iso_utc
from repaircore.kernel.wording import counted
from repaircore.messages.model import Channel
from repaircore.questionnaire.editions import is_outdated
from repaircore.settings import PREFIX, Settings

_log = logging.getLogger(__name__)

_LOW_DISK: Final = 200 * 1024 * 1024
_BOOK_YEAR: Final = datetime(2025, 1, 1, tzinfo=UTC)
_FUTURE: Final = timedelta(minutes=5)
_CLOCK_SKEW: Final = timedelta(minutes=1)
_OVERDUE: Final = timedelta(minutes=10)
"""Deliveries that are overdue by more than this are not just waiting for a free worker."""
_STALE: Final = timedelta(days=1)
"""No roadside job takes this long: someone forgot to complete it."""
_STUCK: Final = timedelta(hours=1)
"""A step that has been pending for longer is being retried in vain."""
_RECENT: Final = timedelta(days=7)
"""How long an undeliverable message is reported."""
_CHANNELS: Final = {Channel.EMAIL: "e-mail", Channel.SMS: "SMS", Channel.WEBHOOK: "webhook"}
_EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "postgres": ("psycopg",),
    "images": ("PIL", "zxingcpp", "rapidocr", "onnxruntime"),
    "plots": ("matplotlib",),
    "redis": ("redis",),
}
_MOST_NAMED: Final = 5
"""How many discrepancies are listed; the rest are counted."""
_CONNECTIONS: Final = (
    "they are nearly used up: raise max_connections, start fewer workers, lower REPAIRCORE_DATABASE_CONNECTIONS, or put a"
    " pooler such as PgBouncer in between"
)
_UPGRADE: Final = "run `repaircore db upgrade`"
_RESTORE: Final = "restore the latest backup that passes `repaircore backup --verify`"


@frozen(kw_only=True)
class Checkup:
    """Checks an installation without changing it. ``prepare`` builds the components that a server needs.

    ``vin_data`` returns the months of the installed VIN data and of the data that the catalog was built from.
    ``unreadable_secrets`` returns how many webhook secrets cannot be decrypted, and how many there are.
    """

    settings: Settings
    environ: Mapping[str, str]
    database: DatabaseHealth
    machine: Machine
    book_edition: Callable[[], str]
    questionnaire_edition: Callable[[], str]
    vin_data: Callable[[], tuple[str, str]]
    prepare: Callable[[], None]
    windows: Callable[[], Sequence[WindowStore]]
    unreadable_secrets: Callable[[], tuple[int, int]]
    clock: Clock

    def examine(self, *, deep: bool = False) -> CheckupReport:
        """Run all checks and return their results; ``deep`` reads every row, which takes a while."""
        return CheckupReport(
            findings=(
                *_safely("settings", self._settings()),
                *_safely("database", self._database(deep=deep)),
                *_safely("clock", self._time()),
                *_safely("disks", self._disks()),
                *_safely("rate windows", self._windows()),
                *_safely("components", self._components()),
            )
        )

    def list_settings(self, caller: Caller = LOCAL) -> Sequence[SettingValue]:
        """List every setting with its value (hidden if secret) and the source of the value.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        return describe_settings(self.settings, self.environ)

    def _settings(self) -> Iterator[CheckResult]:
        shown = self.settings.shown()
        for name in unknown_settings(self.environ):
            yield CheckResult(name, "set", "there is no such setting: correct its name, or unset it")
        for name, kind in shown.items():
            url = name.removesuffix("_KIND") + "_URL"
            if name.endswith("_KIND") and kind in {OFF, OFFLINE} and shown[url] is not None:
                yield CheckResult(url, "set", f"it is not used while {name} is {kind}")

    def _database(self, *, deep: bool) -> Iterator[CheckResult]:
        try:
            yield from self._database_checks(deep=deep)
        except Unavailable as error:
            yield CheckResult("database", "unreachable", error.message)
        except ModuleNotFoundError as error:
            yield CheckResult("database", "unreachable", f"{error}: run pip install 'repaircore[postgres]'")

    def _database_checks(self, *, deep: bool) -> Iterator[CheckResult]:
        database = self.database
        revision, blocker = database.revision(), database.upgrade_blocker()
        if revision is None and self.settings.is_embedded:
            yield CheckResult(
                "database",
                NO_DATABASE,
                blocker,
            )
            return
        is_current = revision == database.head
        yield CheckResult(
            "database revision", f"{revision} of {database.head}", None if is_current else blocker or _UPGRADE
        )
        edition, shipped = database.book_edition() or "none", self.book_edition()
        yield CheckResult(
            "repair book edition",
            f"{edition} of {shipped}",
            None if shipped_edition(edition) == shipped else _UPGRADE,
        )
        stored, shipped = database.questionnaire_edition(), self.questionnaire_edition()
        outdated = _UPGRADE if is_outdated(stored, shipped) else None
        yield CheckResult("questionnaire edition", f"{stored or 'none'} of {shipped}", outdated)
        for setting in database.durability(deep=deep):
            remedy = f": {_RESTORE}" if setting.accepted == ("ok",) else ""
            wrong = None if setting.is_ok else f"should be {' or '.join(setting.accepted)}{remedy}"
            yield CheckResult(setting.name, setting.value, wrong)
        if (connections := database.server_connections()) is not None:
            yield CheckResult(
                "server connections",
                f"{connections.used:,} of {connections.most:,}",
                _CONNECTIONS if connections.are_nearly_used_up else None,
            )
        if is_current and (missing := database.missing_tables()):
            yield CheckResult("tables", f"missing: {', '.join(missing)}", _RESTORE)
        elif is_current:
            yield self._sums(deep=deep)
            yield from self._imports()
            yield self._secret_key()
            yield from self._jobs()
            yield self._rides()
            yield self._providers()
            yield self._payments()
            yield from self._messages()

    def _sums(self, *, deep: bool) -> CheckResult:
        found = self.database.discrepancies(deep=deep)
        if not found:
            return CheckResult(
                "sums", "agree with every row" if deep else "agree with the rows that were counted"
            )
        more = f" (and {len(found) - _MOST_NAMED} more)" if len(found) > _MOST_NAMED else ""
        return CheckResult(
            "sums",
            f"{len(found)} differ",
            f"{_RESTORE}, and report this: {' '.join(found[:_MOST_NAMED])}{more}",
        )

    def _imports(self) -> Iterator[CheckResult]:
        for record in self.database.unfinished_imports():
            yield CheckResult(
                f"import of {record.file}",
                f"{counted(record.result.read, 'row')} of {record.kind} since {record.started_at:%Y-%m-%d %H:%M}",
                "is not finished: unless it is still running, run the same import again to resume it",
            )

    def _secret_key(self) -> CheckResult:
        try:
            unreadable, total = self.unreadable_secrets()
        except (Invalid, Unavailable) as error:
            return CheckResult("secret key", "not usable", error.message)
        if not unreadable:
            return CheckResult(
                "secret key", "decrypts every webhook secret" if total else "nothing to decrypt"
            )
        return CheckResult(
            "secret key",
            f"cannot decrypt {unreadable:,} of {counted(total, 'webhook secret')}",
            "it was replaced or lost, and the events of these webhooks are waiting: restore REPAIRCORE_SECRET_KEY"
            " or its file; if you cannot, rotate the secret of each webhook",
        )

    def _jobs(self) -> Iterator[CheckResult]:
        now = self.clock()
        backlog = self.database.backlog(now=now)
        late = backlog.oldest is not None and now - backlog.oldest > _OVERDUE
        yield CheckResult(
            "webhooks",
            f"{backlog.pending:,} pending, {backlog.due:,} of them due"
            + ("" if backlog.oldest is None else f" since {iso_utc(backlog.oldest)}"),
            "they are not being delivered: keep `repaircore jobs run` running" if late else None,
        )
        running = self.database.running_jobs(now=now)
        yield CheckResult(
            "background jobs",
            f"{counted(running.processes, 'process', 'processes')} running"
            if running.processes
            else "no process running",
            f"the process that ran them has been missing since {iso_utc(max(running.missing))}: restart the server, or start"
            " `repaircore jobs run`"
            if running.have_stopped
            else None,
        )
        for name, failure in self.database.failed_jobs().items():
            yield CheckResult(f"job {name}", "failed", failure)

    def _payments(self) -> CheckResult:
        found = self.database.stuck_payments(since=self.clock() - _STUCK)
        if found.oldest is None:
            return CheckResult("payments", "none stuck")
        return CheckResult(
            "payments",
            f"{found.number:,} in progress for more than an hour, the oldest since {iso_utc(found.oldest)}",
            "the payment gateway is not responding or contradicts our records: see `repaircore payments reconcile`",
        )

    def _messages(self) -> Iterator[CheckResult]:
        for channel, dead in self.database.dead_messages(since=self.clock() - _RECENT).items():
            yield CheckResult(
                f"messages by {_CHANNELS[channel]}",
                f"{dead.number:,} given up on in the past week",
                f"{dead.reason} See `repaircore messages list --state dead --channel {channel}`",
            )

    def _rides(self) -> CheckResult:
        found = self.database.stale_rides(since=self.clock() - _STALE)
        if found.oldest is None:
            return CheckResult("rides", "none stale")
        return CheckResult(
            "rides",
            f"{found.number:,} unchanged for more than a day, the oldest since {iso_utc(found.oldest)}",
            "their drivers get no other rides: see `repaircore rides list --standing 24`"
            " (and with `--kind tow`), then use `rides complete` or `rides call-off`",
        )

    def _providers(self) -> CheckResult:
        on = {Channel.WEBHOOK}
        on |= {Channel.EMAIL} if self.settings.mail.is_on else set()
        on |= {Channel.SMS} if self.settings.sms.is_on else set()
        count, unreachable = self.database.asked_providers(on)
        summary = f"{count:,} {'makes' if count == 1 else 'make'} offers only on request"
        if not unreachable:
            return CheckResult("providers", summary)
        return CheckResult(
            "providers",
            f"{summary}, but {unreachable:,} of them cannot be reached",
            "they have no contact for an enabled channel: turn on e-mail or SMS"
            f" ({PREFIX}SMTP_URL, {PREFIX}SMS_URL), give them a webhook, or have them offer automatically",
        )

    def _time(self) -> Iterator[CheckResult]:
        now = self.clock()
        yield CheckResult("clock", iso_utc(now), self._wrong_time(now))

    def _wrong_time(self, now: datetime) -> str | None:
        try:
            theirs = self.database.clock()
            newest = None if self.database.revision() is None else self.database.newest_write()
        except (Unavailable, ModuleNotFoundError):
            theirs = newest = None
        if now < _BOOK_YEAR:
            return "the clock shows a date before the repair book's: set it"
        if theirs is not None and abs(theirs - now) > _CLOCK_SKEW:
            return f"the database's clock shows {iso_utc(theirs)}: synchronize the two"
        if newest is not None and newest - now > _FUTURE:
            return f"a row was written at {iso_utc(newest)}, in the future: set the clock"
        return None

    def _disks(self) -> Iterator[CheckResult]:
        file = self.database.file
        folders = [self.settings.state, *([file.parent] if file else [])]
        for folder in dict.fromkeys(map(self.machine.nearest_existing, folders)):
            free = self.machine.free_bytes(folder)
            wrong = None if free >= _LOW_DISK else "less than 200 MB is free: free up space"
            yield CheckResult(f"free disk at {folder}", f"{free / 1024**3:.1f} GB", wrong)
            if not self.machine.is_folder(folder):
                yield CheckResult(f"can write to {folder}", "no", "it is a file, not a folder")
            else:
                may = self.machine.may_write(folder)
                yield CheckResult(
                    f"can write to {folder}",
                    "yes" if may else "no",
                    None if may else "this user has no permission to write there",
                )
        if file is not None and self.machine.is_folder(file.parent):
            for private in filter(None, (file, self.settings.secret_file)):
                if self.machine.is_open_to_others(private):
                    yield CheckResult(
                        f"{private}",
                        "open to others",
                        f"other users of this machine can read it: run `chmod 600 {private}`",
                    )
            for leftover in self.database.leftover_files():
                yield CheckResult(
                    f"{leftover}", "left over", "a command was interrupted: if none is running, delete it"
                )

    def _windows(self) -> Iterator[CheckResult]:
        try:
            stores = self.windows()
        except Invalid as error:
            yield CheckResult("rate windows", "none", error.message)
            return
        for store in stores:
            try:
                store.ping()
            except Unavailable as error:
                yield CheckResult(store.name, store.location, f"{error.message} {store.remedy}")
            except ModuleNotFoundError as error:
                yield CheckResult(store.name, store.location, str(error))
            else:
                yield CheckResult(store.name, store.location)

    def _components(self) -> Iterator[CheckResult]:
        chosen = f"A {self.settings.model_a.kind}, B {self.settings.model_b.kind}"
        try:
            self.prepare()
        except Invalid as error:
            yield CheckResult("models", chosen, error.message)
        except (Unavailable, ModuleNotFoundError) as error:
            yield CheckResult("models", chosen, str(error))
        else:
            yield CheckResult("models", chosen)
        shown = self.settings.shown()
        remote = shown[PREFIX + "VIN_DECODER_URL"]
        yield CheckResult("VIN decoder", "shipped data" if remote is None else f"shipped data, then {remote}")
        month, built = self.vin_data()
        newer = "the VIN data is newer: run `repaircore catalog rebuild`" if month > built else None
        yield CheckResult("VIN data", f"from {month}; the catalog is from {built}", newer)
        yield CheckResult("plate provider", str(shown[PREFIX + "PLATES_URL"] or "none"))
        yield CheckResult("vision model", self.settings.vision.kind)
        installed = [name for name, needed in _EXTRAS.items() if all(map(self.machine.has_package, needed))]
        yield CheckResult("extras", ", ".join(installed) or "none")


def _safely(part: str, checks: Iterator[CheckResult]) -> Iterator[CheckResult]:
    """Yield the results of checks; an unexpected exception ends them with a failed result instead of propagating."""
    try:
        yield from checks
    except Exception as error:  # noqa: BLE001 - a checkup is for when something is broken
        _log.exception("The checkup of the %s failed", part)
        text = f"the check failed with {type(error).__name__}: see the server's log, and report it"
        yield CheckResult(part, "not checked", text)

"""Looking an installation over."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from attrs import frozen

from repaircore.book.editions import shipped_edition
from repaircore.checkup.model import CheckResult, CheckupReport, WindowPlace
from repaircore.checkup.ports import DatabaseCondition, Machine
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.kernel.types import Clock
from repaircore.kernel.views import iso_utc
from repaircore.questionnaire.editions import is_outdated
from repaircore.settings import OFF, OFFLINE, PREFIX, Settings

_LEAST_DISK: Final = 200 * 1024 * 1024
_BOOK_YEAR: Final = datetime(2025, 1, 1, tzinfo=UTC)
_SKEW: Final = timedelta(minutes=5)
_APART: Final = timedelta(minutes=1)
_LATE: Final = timedelta(minutes=10)
"""After so long, what is due is not just waiting for a free place."""
_STANDS: Final = timedelta(days=1)
"""No job at the roadside takes so long: its partner has forgotten to end it."""
_NO_SETTINGS: Final = (PREFIX + "DEBUG", PREFIX + "TEST_")
"""How variables begin that are for developers."""
_EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "postgres": ("psycopg",),
    "images": ("PIL", "zxingcpp", "rapidocr", "onnxruntime"),
    "plots": ("matplotlib",),
    "redis": ("redis",),
}
_SHOWN: Final = 5
"""So many discrepancies are named, the rest is counted."""
_UPGRADE: Final = "run `repaircore db upgrade`"
_RESTORE: Final = "restore the latest backup that `repaircore backup --verify` calls whole"


@frozen(kw_only=True)
class Checkup:
    """The use case: everything that can be looked at without changing it. ``prepare`` makes what a server needs.

    ``vin_data`` gives the months of the installed VIN data and of the data that the catalog was built from.
    """

    settings: Settings
    environ: Mapping[str, str]
    database: DatabaseCondition
    machine: Machine
    book_edition: Callable[[], str]
    questionnaire_edition: Callable[[], str]
    vin_data: Callable[[], tuple[str, str]]
    prepare: Callable[[], None]
    windows: Callable[[], Sequence[WindowPlace]]
    clock: Clock

    def examine(self, *, deep: bool = False) -> CheckupReport:
        """Look at everything; ``deep`` reads every row that is kept, which takes its time."""
        return CheckupReport(
            findings=(
                *self._settings(),
                *self._database(deep=deep),
                *self._time(),
                *self._places(),
                *self._windows(),
                *self._parts(),
            )
        )

    def _settings(self) -> Iterator[CheckResult]:
        shown = self.settings.shown()
        for name in sorted(name for name in self.environ if name.startswith(PREFIX)):
            if name not in shown and not name.startswith(_NO_SETTINGS):
                yield CheckResult(name, "set", "there is no such setting: mend its name, or unset it")
        for name, kind in shown.items():
            url = name.removesuffix("_KIND") + "_URL"
            if name.endswith("_KIND") and kind in {OFF, OFFLINE} and shown[url] is not None:
                yield CheckResult(url, "set", f"nothing is asked there as long as {name} is {kind}")

    def _database(self, *, deep: bool) -> Iterator[CheckResult]:
        try:
            yield from self._asked(deep=deep)
        except Unavailable as error:
            yield CheckResult("database", "unreachable", error.message)
        except ModuleNotFoundError as error:
            yield CheckResult("database", "unreachable", f"{error}: install repaircore[postgres]")

    def _asked(self, *, deep: bool) -> Iterator[CheckResult]:
        database = self.database
        standing, obstacle = database.standing(), database.obstacle()
        if standing is None and self.settings.is_embedded:
            yield CheckResult("database", "none yet; the first command makes it", obstacle)
            return
        is_current = standing == database.head
        yield CheckResult(
            "database revision",
            f"{standing} of {database.head}",
            None if is_current else obstacle or _UPGRADE,
        )
        edition, shipped = database.edition() or "none", self.book_edition()
        yield CheckResult(
            "repair book edition",
            f"{edition} of {shipped}",
            None if shipped_edition(edition) == shipped else _UPGRADE,
        )
        asked, asking = database.questionnaire_edition(), self.questionnaire_edition()
        outdated = _UPGRADE if is_outdated(asked, asking) else None
        yield CheckResult("questionnaire edition", f"{asked or 'none'} of {asking}", outdated)
        for durable in database.durability(deep=deep):
            remedy = f": {_RESTORE}" if durable.fine == ("ok",) else ""
            wanted = None if durable.holds else f"should be {' or '.join(durable.fine)}{remedy}"
            yield CheckResult(durable.name, durable.value, wanted)
        if is_current and (missing := database.missing()):
            yield CheckResult("tables", f"without {', '.join(missing)}", _RESTORE)
        elif is_current:
            yield self._sums(deep=deep)
            yield from self._imports()
            yield from self._jobs()
            yield self._rides()

    def _sums(self, *, deep: bool) -> CheckResult:
        found = self.database.discrepancies(deep=deep)
        if not found:
            return CheckResult(
                "sums", "are those of every row" if deep else "agree with the rows as far as counted"
            )
        more = f" (and {len(found) - _SHOWN} more)" if len(found) > _SHOWN else ""
        return CheckResult(
            "sums",
            f"{len(found)} differ",
            f"{' '.join(found[:_SHOWN])}{more}: {_RESTORE}, and report it",
        )

    def _imports(self) -> Iterator[CheckResult]:
        for one in self.database.unfinished_imports():
            yield CheckResult(
                f"import of {one.file}",
                f"{one.result.read:,} rows of {one.kind} since {one.started_at:%Y-%m-%d %H:%M}",
                "is not finished: when nobody is at it, run the same import again, which goes on there",
            )

    def _jobs(self) -> Iterator[CheckResult]:
        now = self.clock()
        backlog = self.database.backlog(now=now)
        late = backlog.oldest is not None and now - backlog.oldest > _LATE
        yield CheckResult(
            "webhooks",
            f"{backlog.pending:,} wait, {backlog.due:,} of them are due"
            + ("" if backlog.oldest is None else f" since {iso_utc(backlog.oldest)}"),
            "nobody delivers them: keep `repaircore jobs run` running" if late else None,
        )
        for name, failure in self.database.failed_jobs().items():
            yield CheckResult(f"job {name}", "failed", failure)

    def _rides(self) -> CheckResult:
        found = self.database.standing_rides(since=self.clock() - _STANDS)
        if found.oldest is None:
            return CheckResult("rides", "none stands still")
        return CheckResult(
            "rides",
            f"{found.number:,} stand still, the oldest since {iso_utc(found.oldest)}",
            "nobody ends them, and who is on them gets no others: see `repaircore rides list --standing 24`"
            " (and with `--kind tow`), then `rides complete` or `rides call-off`",
        )

    def _time(self) -> Iterator[CheckResult]:
        now = self.clock()
        yield CheckResult("clock", iso_utc(now), self._wrong_time(now))

    def _wrong_time(self, now: datetime) -> str | None:
        try:
            theirs = self.database.clock()
            newest = None if self.database.standing() is None else self.database.newest()
        except (Unavailable, ModuleNotFoundError):
            theirs = newest = None
        if now < _BOOK_YEAR:
            return "the clock is behind the years that the repair book tells of: set it"
        if theirs is not None and abs(theirs - now) > _APART:
            return f"the database's says {iso_utc(theirs)}: set one by the other"
        if newest is not None and newest - now > _SKEW:
            return f"something was kept at {iso_utc(newest)}, which is yet to come: set the clock"
        return None

    def _places(self) -> Iterator[CheckResult]:
        file = self.database.file
        kept = [self.settings.state, *([file.parent] if file else [])]
        for folder in dict.fromkeys(map(self.machine.nearest, kept)):
            free = self.machine.free(folder)
            wrong = None if free >= _LEAST_DISK else "less than 200 MB are left: make room"
            yield CheckResult(f"free disk at {folder}", f"{free / 1024**3:.1f} GB", wrong)
            if not self.machine.is_folder(folder):
                yield CheckResult(f"may write in {folder}", "no", "this is a file, where a folder is needed")
            else:
                may = self.machine.may_write(folder)
                yield CheckResult(
                    f"may write in {folder}", "yes" if may else "no", None if may else "this user may not"
                )
        if file is not None and self.machine.is_folder(file.parent):
            for private in filter(None, (file, self.settings.secret_file)):
                if self.machine.is_open_to_others(private):
                    yield CheckResult(
                        f"{private}",
                        "open to others",
                        f"anybody on this machine may read it: chmod 600 {private}",
                    )
            for left in self.database.left_over():
                yield CheckResult(
                    f"{left}", "left over", "a command was broken off: when none is at work, delete it"
                )

    def _windows(self) -> Iterator[CheckResult]:
        try:
            places = self.windows()
        except Invalid as error:
            yield CheckResult("rate windows", "none", error.message)
            return
        for one in places:
            try:
                one.ask()
            except Unavailable as error:
                yield CheckResult(one.name, one.place, f"{error.message} See that it runs and can be reached")
            except ModuleNotFoundError as error:
                yield CheckResult(one.name, one.place, str(error))
            else:
                yield CheckResult(one.name, one.place)

    def _parts(self) -> Iterator[CheckResult]:
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
        yield CheckResult("VIN data", f"of {month}, the catalog of {built}", newer)
        yield CheckResult("plate provider", str(shown[PREFIX + "PLATES_URL"] or "none"))
        yield CheckResult("vision model", self.settings.vision.kind)
        there = [name for name, needed in _EXTRAS.items() if all(map(self.machine.has, needed))]
        yield CheckResult("extras", ", ".join(there) or "none")

"""The directory of providers, which operators fill."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Final, Generic, Protocol, TypeVar

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.kernel.errors import Conflict, Invalid, NotFound
from repaircore.kernel.imports import (
    DEFAULT_OPTIONS,
    FileImport,
    FileImportWork,
    ImportOptions,
    ImportResult,
    Upload,
)
from repaircore.kernel.references import is_reference
from repaircore.kernel.types import Clock, NewId
from repaircore.providers.csv_file import read_providers
from repaircore.providers.csv_rows import row_of
from repaircore.providers.model import P
from repaircore.providers.ports import Providers
from repaircore.providers.records import ProviderEditor
from repaircore.providers.trade import Trade
from repaircore.providers.validation import told_of

_BATCH: Final = 500
_ROWS: Final = 250
"""Of a file, in one unit of work: each has an entry in the audit, and others wait meanwhile."""


class DirectoryWork(FileImportWork, Protocol):
    """The part of a unit of work that a directory needs, beside what it is a directory of."""


WorkT = TypeVar("WorkT", bound=DirectoryWork)


@frozen(kw_only=True)
class Directory(Generic[P, WorkT]):
    """The use cases of one kind of provider. ``kept_in`` is where a unit of work keeps them."""

    trade: Trade[P]
    kept_in: Callable[[WorkT], Providers[P]]
    transaction: Callable[[], AbstractContextManager[WorkT]]
    read: Callable[[], AbstractContextManager[WorkT]]
    new_id: NewId
    clock: Clock

    def add(self, cells: Mapping[str, str], caller: Caller = LOCAL) -> P:
        """Keep a new one, told in words by the columns of a file.

        Raises:
            Conflict: one with this phone is known.
            Forbidden: the caller is not an admin.
            Invalid: every bad field is named.
        """
        keeping = self._keeping(caller)
        trade = self.trade
        told, wrong = told_of(
            cells, abilities=trade.abilities, abilities_column=trade.abilities_column, text=trade.text
        )
        if wrong:
            raise Invalid(wrong)
        with self.transaction() as work:
            added = keeping.add(work, told)
            if added is None:
                raise Conflict(f"A {trade.word} with the phone {told['phone']} is known already.")
            return added

    def remove(self, ref: str, caller: Caller = LOCAL) -> bool:
        """Forget one; who has been sent somewhere stays, gets no more requests, and False is given.

        Raises:
            Conflict: somebody else changed it at the same moment.
            Forbidden: the caller is not an admin.
            NotFound: there is no such one in the caller's environment.
        """
        keeping = self._keeping(caller)
        with self.transaction() as work:
            old = self._kept(work, ref, caller.environment)
            if any(self.kept_in(work).referents(old.id).values()):
                keeping.change(work, old, {"active": False})
                return False
            keeping.remove(work, old)
            return True

    def show(self, ref: str, caller: Caller = LOCAL) -> P:
        """Give one.

        Raises:
            NotFound: there is no such one in the caller's environment.
        """
        with self.read() as work:
            return self._kept(work, ref, caller.environment)

    def import_file(
        self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS, caller: Caller = LOCAL
    ) -> ImportResult:
        """Import a file of providers: add new ones and update those that differ.

        Raises:
            Conflict: the same file is being imported elsewhere.
            Forbidden: the caller is not an admin.
            Invalid: on ``file``: the file has the wrong form.
        """
        return FileImport(
            kind=self.trade.plural,
            read_rows=partial(read_providers, self.trade),
            save_rows=self._keeping(caller).take_over,
            transaction=self.transaction,
            clock=self.clock,
            batch_size=_ROWS,
        ).run(upload, options)

    def all(self, environment: Environment = Environment.LIVE) -> Iterator[P]:
        """Give everyone of an environment, by id; few are held at once, and nothing waits while whoever asked does."""
        last = 0
        while some := self._some(last, environment):
            yield from some
            last = some[-1].id

    def rows(self, environment: Environment = Environment.LIVE) -> Iterator[Sequence[str]]:
        """Yield every provider of an environment as rows of a file that ``import_file`` reads."""
        return (row_of(self.trade, one) for one in self.all(environment))

    def _some(self, last: int, environment: Environment) -> Sequence[P]:
        with self.read() as work:
            return self.kept_in(work).after(last, environment, limit=_BATCH)

    def _kept(self, work: WorkT, ref: str, environment: Environment) -> P:
        found = self.kept_in(work).by_ref(ref, environment) if is_reference(self.trade.kind, ref) else None
        if found is None:
            raise NotFound(f"There is no such {self.trade.word}.")
        return found

    def _keeping(self, caller: Caller) -> ProviderEditor[P, WorkT]:
        require_admin(caller)
        return ProviderEditor(
            trade=self.trade, kept_in=self.kept_in, new_id=self.new_id, clock=self.clock, caller=caller
        )

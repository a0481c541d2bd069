"""The directory of providers, which operators maintain."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Final, Generic, Protocol, TypeVar

from attrs import evolve, frozen

from repaircore.kernel.audit import STOP
from repaircore.kernel.callers import LOCAL, Caller, Environment, ProviderCaller, require_admin
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
from repaircore.providers.csv_file import read_providers, to_row
from repaircore.providers.model import P
from repaircore.providers.ports import Providers
from repaircore.providers.records import ProviderEditor
from repaircore.providers.trade import Trade
from repaircore.providers.validation import parse_provider

_PAGE_SIZE: Final = 500
_BATCH_SIZE: Final = 250
"""Rows of a file per unit of work; each adds an audit entry, and other writers have to wait."""


class DirectoryWork(FileImportWork, Protocol):
    """The part of a unit of work that a directory needs in addition to its providers."""


WorkT = TypeVar("WorkT", bound=DirectoryWork)


@frozen(kw_only=True)
class Directory(Generic[P, WorkT]):
    """Use cases for one kind of provider. ``providers_in`` returns its store in a unit of work."""

    trade: Trade[P]
    providers_in: Callable[[WorkT], Providers[P]]
    transaction: Callable[[], AbstractContextManager[WorkT]]
    read: Callable[[], AbstractContextManager[WorkT]]
    new_id: NewId
    clock: Clock

    def add(self, cells: Mapping[str, str], caller: Caller = LOCAL) -> P:
        """Add a provider, given as the cells of a file by column name.

        Raises:
            Conflict: there is already a provider with this phone number.
            Forbidden: the caller is not an admin.
            Invalid: with every bad field.
        """
        editor = self._editor(caller)
        fields, errors = parse_provider(cells, self.trade)
        if errors:
            raise Invalid(errors)
        with self.transaction() as work:
            added = editor.add(work, fields)
            if added is None:
                raise Conflict(f"There is already a {self.trade.word} with the phone {fields['phone']}.")
            return added

    def remove(self, ref: str, caller: Caller = LOCAL) -> bool:
        """Delete a provider and return True, or deactivate it and return False if other records refer to it.

        Raises:
            Conflict: the provider was changed concurrently.
            Forbidden: the caller is not an admin.
            NotFound: there is no such provider in the caller's environment.
        """
        editor = self._editor(caller)
        with self.transaction() as work:
            old = self._get(work, ref, caller.environment)
            if any(self.providers_in(work).count_references(old.id).values()):
                editor.update(work, old, {"active": False})
                return False
            editor.remove(work, old)
            return True

    def stop(self, caller: ProviderCaller) -> bool:
        """Stop sending requests to a provider who wants no more; return whether they were getting any.

        Raises:
            Conflict: the provider was changed concurrently.
            NotFound: the provider no longer exists.
        """
        # A provider has no account, so the audit log names the installation; the action shows that it was the provider.
        editor = self._editor(evolve(LOCAL, environment=caller.environment))
        with self.transaction() as work:
            old = self._get(work, caller.provider_ref, caller.environment)
            return editor.update(work, old, {"active": False}, action=STOP) != old

    def get(self, ref: str, caller: Caller = LOCAL) -> P:
        """Return the provider with this reference.

        Raises:
            NotFound: there is no such provider in the caller's environment.
        """
        with self.read() as work:
            return self._get(work, ref, caller.environment)

    def import_file(
        self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS, caller: Caller = LOCAL
    ) -> ImportResult:
        """Import a file of providers: add new ones and update those that differ.

        Raises:
            Conflict: the same file is being imported elsewhere, or a provider was changed or removed concurrently.
            Forbidden: the caller is not an admin.
            Invalid: ``file`` has the wrong format.
        """
        return FileImport(
            kind=self.trade.plural,
            read_rows=partial(read_providers, self.trade),
            save_rows=self._editor(caller).save_rows,
            transaction=self.transaction,
            clock=self.clock,
            batch_size=_BATCH_SIZE,
        ).run(upload, options)

    def all(self, environment: Environment = Environment.LIVE) -> Iterator[P]:
        """Yield the providers of an environment by id, reading them in pages, with no transaction open in between."""
        last_id = 0
        while page := self._list_after(last_id, environment):
            yield from page
            last_id = page[-1].id

    def rows(self, environment: Environment = Environment.LIVE) -> Iterator[Sequence[str]]:
        """Yield every provider of an environment as a row of a file that ``import_file`` can read."""
        return (to_row(self.trade, provider) for provider in self.all(environment))

    def _list_after(self, last_id: int, environment: Environment) -> Sequence[P]:
        with self.read() as work:
            return self.providers_in(work).list_after(last_id, environment, limit=_PAGE_SIZE)

    def _get(self, work: WorkT, ref: str, environment: Environment) -> P:
        provider = (
            self.providers_in(work).find(ref, environment) if is_reference(self.trade.kind, ref) else None
        )
        if provider is None:
            raise NotFound(f"There is no {self.trade.word} with this reference.")
        return provider

    def _editor(self, caller: Caller) -> ProviderEditor[P, WorkT]:
        require_admin(caller)
        return ProviderEditor(
            trade=self.trade,
            providers_in=self.providers_in,
            new_id=self.new_id,
            clock=self.clock,
            caller=caller,
        )

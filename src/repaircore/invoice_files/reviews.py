"""Decide on waiting lines, and undo imports."""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Final, TypeAlias

from attrs import evolve, frozen

from repaircore.book.model import Problem
from repaircore.invoice_files.errors import ImportNotFound, NothingWaits
from repaircore.invoice_files.model import WaitingLine, WaitingText, key_of
from repaircore.invoice_files.own_rows import csv_head, csv_line
from repaircore.invoice_files.ports import BeginInvoiceFiles, InvoiceFileWork
from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.errors import Conflict
from repaircore.kernel.imports import ImportOptions, ImportRecord, RejectedRow, Upload
from repaircore.kernel.types import Clock, Lazy
from repaircore.learning.importing import InvoiceImports
from repaircore.learning.service import Transactions, update_track_records
from repaircore.problems.errors import ProblemNotFound

SearchRepairs: TypeAlias = Callable[[str], Sequence[Problem]]
"""List the repairs that some words may mean, best match first."""

_SUGGESTIONS: Final = 3
_SHOWN: Final = 100
_LINES_AT_ONCE: Final = 1_000
_UNDONE_AT_ONCE: Final = 200
_FIRST_LINE: Final = 2


@frozen(kw_only=True)
class Suggested:
    """Waiting lines with the same text, and the repairs that the text may mean."""

    waiting: WaitingText
    problems: tuple[Problem, ...]


@frozen(kw_only=True)
class WaitingList:
    """Waiting lines, grouped by text, the largest groups first, and the total number of waiting lines."""

    texts: tuple[Suggested, ...]
    lines: int


@frozen(kw_only=True)
class Decided:
    """How many lines with a text were imported or already known, and which were rejected and still wait.

    ``problem`` is None if the text means no repair; ``left_out`` then counts its lines.
    """

    text: str
    problem: Problem | None
    added: int = 0
    known: int = 0
    left_out: int = 0
    rejected: tuple[RejectedRow, ...] = ()


@frozen(kw_only=True)
class Undone:
    """An import that was undone, and how many transactions and waiting lines were deleted with it."""

    record: ImportRecord
    transactions: int
    lines: int


@frozen(kw_only=True)
class InvoiceReviews:
    """Use cases for deciding on waiting lines and undoing imports, for admins, in their credential's environment."""

    transaction: BeginInvoiceFiles
    read: BeginInvoiceFiles
    imports: Lazy[InvoiceImports]
    transactions: Lazy[Transactions]
    search: SearchRepairs
    clock: Clock

    def list_waiting(self, caller: Caller = LOCAL, *, limit: int = _SHOWN, start: int = 0) -> WaitingList:
        """List the waiting lines by text, each with up to three suggested repairs, skipping the first ``start`` texts.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            texts = work.invoice_files.list_waiting(caller.environment, limit=limit, start=start)
            lines = work.invoice_files.count_waiting(caller.environment)
            problems = {problem.slug: problem for problem in work.problems.list_all()}
        return WaitingList(texts=tuple(self._suggested(text, problems) for text in texts), lines=lines)

    def count_waiting(self, caller: Caller = LOCAL) -> int:
        """Return how many lines await a decision.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.invoice_files.count_waiting(caller.environment)

    def list_sources(self, caller: Caller = LOCAL) -> Sequence[str]:
        """List the sources whose columns are known, by name.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.invoice_files.list_sources()

    def accept(self, text: str, slug: str, caller: Caller = LOCAL) -> Decided:
        """Decide which repair a text means, now and in later files from its sources, and import its waiting lines.

        ``slug`` may also be the repair's id.

        Raises:
            Conflict: another call is importing the same lines, or a record that a line refers to was deleted meanwhile.
            Forbidden: the caller is not an admin.
            NothingWaits: no waiting line has this text.
            ProblemNotFound: the repair does not exist.
        """
        require_admin(caller)
        with self.read() as work:
            problem = next(
                (
                    candidate
                    for candidate in work.problems.list_all()
                    if candidate.slug == slug or str(candidate.id) == slug
                ),
                None,
            )
        if problem is None:
            raise ProblemNotFound
        decided = Decided(text=text, problem=problem)
        for source in self._decide(text, problem.id, caller):
            decided = self._import(decided, problem, source, key_of(text), caller)
        return decided

    def skip(self, text: str, caller: Caller = LOCAL) -> Decided:
        """Decide that a text means no repair, now and in later files from its sources, and delete its waiting lines.

        Raises:
            Forbidden: the caller is not an admin.
            NothingWaits: no waiting line has this text.
        """
        require_admin(caller)
        left_out = 0
        for source in self._decide(text, None, caller):
            after = 0
            while found := self._lines(source, key_of(text), caller, after=after):
                with self.transaction() as work:
                    work.invoice_files.remove_lines([number for number, _ in found])
                after = found[-1][0]
                left_out += len(found)
        return Decided(text=text, problem=None, left_out=left_out)

    def list_imports(self, caller: Caller = LOCAL, *, limit: int = _SHOWN) -> Sequence[ImportRecord]:
        """List the invoice imports, newest first.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.invoice_files.list_imports(caller.environment, limit=limit)

    def undo(
        self,
        import_id: int,
        caller: Caller = LOCAL,
        *,
        on_progress: Callable[[int, int], None] = lambda *_: None,
    ) -> Undone:
        """Delete an import's transactions, everything that was learned from them, and its waiting lines.

        They are deleted in batches; an interrupted undo continues when it is called again.

        Raises:
            Conflict: another request changed a transaction at the same moment.
            Forbidden: the caller is not an admin.
            ImportNotFound: the import does not exist in the caller's environment.
        """
        require_admin(caller)
        with self.read() as work:
            record = work.invoice_files.find_import(import_id)
        if record is None or record.environment is not caller.environment:
            raise ImportNotFound
        undone = after = 0
        while True:
            with self.transaction() as work:
                ids = work.invoice_files.transactions_of(import_id, after=after, limit=_UNDONE_AT_ONCE)
                self._delete(work, ids, caller)
                if not ids:
                    lines = self._finish(work, record, undone, caller)
                    break
            undone, after = undone + len(ids), ids[-1]
            on_progress(undone, max(undone, record.result.added))
        return Undone(record=record, transactions=undone, lines=lines)

    def _delete(self, work: InvoiceFileWork, ids: Sequence[int], caller: Caller) -> None:
        answered = False
        for number in ids:
            found = work.transactions.by_id(number, environment=caller.environment)
            if found is None:
                continue
            if not self.transactions().delete_within(work, found):
                raise Conflict(
                    "A transaction of the import was changed at the same time. Undo the import again."
                )
            answered |= found.prediction_id is not None
        if answered:
            update_track_records(work, caller.environment)

    def _finish(self, work: InvoiceFileWork, record: ImportRecord, undone: int, caller: Caller) -> int:
        lines = work.invoice_files.remove_import(record.id)
        work.audit.add(
            caller,
            "transactions.undo",
            f"imports/{record.id}",
            before={"file": record.file, "transactions": undone, "lines": lines},
            after=None,
            at=self.clock(),
        )
        return lines

    def _suggested(self, text: WaitingText, problems: Mapping[str, Problem]) -> Suggested:
        found = {slug: problems[slug] for slug in text.suggestions if slug in problems}
        if len(found) < _SUGGESTIONS:
            found |= {
                problem.slug: problem for problem in self.search(text.text) if problem.slug not in found
            }
        return Suggested(waiting=text, problems=tuple(found.values())[:_SUGGESTIONS])

    def _decide(self, text: str, problem_id: int | None, caller: Caller) -> Sequence[str]:
        """Save a decision for each source that has waiting lines with the text; return the sources."""
        key = key_of(text)
        with self.transaction() as work:
            sources = work.invoice_files.sources_waiting(caller.environment, key)
            if not sources:
                raise NothingWaits(text)
            for source in sources:
                work.invoice_files.decide(caller.environment, source, key, problem_id, at=self.clock())
        return sources

    def _lines(
        self, source: str, key: str, caller: Caller, *, after: int
    ) -> Sequence[tuple[int, WaitingLine]]:
        with self.read() as work:
            return work.invoice_files.lines_of(
                caller.environment, source, key, after=after, limit=_LINES_AT_ONCE
            )

    def _import(self, decided: Decided, problem: Problem, source: str, key: str, caller: Caller) -> Decided:
        after = 0
        while found := self._lines(source, key, caller, after=after):
            after = found[-1][0]
            for import_id in dict.fromkeys(line.import_id for _, line in found):
                some = [(number, line) for number, line in found if line.import_id == import_id]
                decided = self._import_lines(decided, problem, import_id, some, caller)
        return decided

    def _import_lines(
        self,
        decided: Decided,
        problem: Problem,
        import_id: int,
        found: Sequence[tuple[int, WaitingLine]],
        caller: Caller,
    ) -> Decided:
        rows = [csv_head(), *(csv_line({**line.row, "problem": problem.slug}) for _, line in found)]
        rejected_rows: list[RejectedRow] = []
        result = self.imports().import_file(
            Upload(
                name=f"lines of import {import_id}",
                content=BytesIO("".join(rows).encode("utf-8", "replace")),
                environment=caller.environment,
            ),
            ImportOptions(keep_good=True, on_rejected=rejected_rows.append),
            caller,
            belongs_to=import_id,
        )
        # The header is line 1, and each row is one line.
        bad = {row.line - _FIRST_LINE for row in rejected_rows}
        with self.transaction() as work:
            work.invoice_files.remove_lines([number for at, (number, _) in enumerate(found) if at not in bad])
        return evolve(
            decided,
            added=decided.added + result.added,
            known=decided.known + result.unchanged,
            rejected=(
                *decided.rejected,
                *(evolve(row, line=found[row.line - _FIRST_LINE][1].line) for row in rejected_rows),
            ),
        )

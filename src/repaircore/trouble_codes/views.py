"""Trouble codes as clients see them over HTTP and at the command line."""

from collections.abc import Iterable
from typing import Self

from repaircore.book.model import Safety, Urgency
from repaircore.book.views import ProblemSummaryView
from repaircore.kernel.views import Percent, view
from repaircore.trouble_codes.meaning import CodeMeaning
from repaircore.trouble_codes.model import LikelyCause, TroubleCode


@view
class CodeCauseView:
    """A repair that a code may call for, and its likelihood in percent."""

    problem: ProblemSummaryView
    likelihood: Percent
    urgency: Urgency
    safe_to_drive: Safety

    @classmethod
    def of(cls, cause: LikelyCause) -> Self:
        """Return the view of a cause."""
        return cls(
            problem=ProblemSummaryView.of(cause.problem),
            likelihood=round(100 * cause.likelihood, 1),
            urgency=cause.problem.urgency,
            safe_to_drive=cause.problem.safe_to_drive,
        )


@view
class MakerMeaningView:
    """What a trouble code means for some makes."""

    makes: list[str]
    title: str
    meaning: str

    @classmethod
    def of(cls, code: TroubleCode) -> Self:
        """Return the view of a manufacturer's code."""
        return cls(makes=[*code.makes], title=code.title, meaning=code.meaning)


@view
class TroubleCodeView:
    """The meaning of a trouble code, and its causes, likeliest first.

    If a code is not ``known``, its letter and digits are still explained: ``area``, ``standard``, ``subsystem``.
    ``makes`` are the makes for which it has this meaning, or empty for every make. ``by_maker`` are its meanings for
    other makes, or for particular makes if no make was given.
    """

    code: str
    known: bool
    title: str
    meaning: str
    area: str
    standard: bool
    subsystem: str | None
    makes: list[str]
    system: str | None
    urgency: Urgency | None
    safe_to_drive: Safety | None
    causes: list[CodeCauseView]
    by_maker: list[MakerMeaningView]

    @classmethod
    def of(cls, meaning: CodeMeaning, causes: Iterable[LikelyCause]) -> Self:
        """Return the view of a code and the repairs that it calls for."""
        entry, structure = meaning.entry, meaning.structure
        return cls(
            code=meaning.code,
            known=entry is not None,
            title=meaning.title,
            meaning=meaning.meaning,
            area=structure.area,
            standard=structure.standard,
            subsystem=structure.subsystem,
            makes=[] if entry is None else [*entry.makes],
            system=None if entry is None else entry.system,
            urgency=None if entry is None else entry.urgency,
            safe_to_drive=None if entry is None else entry.safe_to_drive,
            causes=[CodeCauseView.of(cause) for cause in causes],
            by_maker=[MakerMeaningView.of(code) for code in meaning.by_maker],
        )


@view
class ListedCodeView:
    """A trouble code in a list."""

    code: str
    title: str

    @classmethod
    def of(cls, code: TroubleCode) -> Self:
        """Return the view of a code in a list."""
        return cls(code=code.code, title=code.title)

"""Match the lines of a quote to repairs, by the book's names or by the wording of shops' invoices."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from attrs import evolve, field, frozen

from repaircore.book.counterparts import counterpart
from repaircore.book.equipment import possible_powertrains
from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem
from repaircore.book.oil_changes import CONVENTIONAL, OIL_CHANGES, usual_oil_change
from repaircore.job_matching.model import Match, Outcome
from repaircore.job_matching.repair_match import NOT_IN_BOOK, OIL_UNSAID, RepairMatcher
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.traits import Powertrain
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.shop_words import significant_words
from repaircore.quotes.model import MatchedLine
from repaircore.quotes.text_match import candidates_for, in_full, kind_of_line, match_line, names_exactly

SearchRepairs: TypeAlias = Callable[[str], Sequence[Problem]]
"""Return the repairs that the given words may mean, best first."""

_OIL_CHANGE: Final = frozenset({"oil", "change"})
_SAY_NOTHING: Final = frozenset({"filter", "engine", "service", "rotella", "delo", "delvac", "shell"})
"""Words of an oil change that do not name a kind of oil; the brands among them have several kinds."""
_DIESELS_OWN: Final = frozenset(
    {"fuel-pump", "pcv-valve", "throttle-body", "throttle-body-cleaning", "fuel-cap"}
)
"""Gasoline repairs with the same name on diesels, whose own part is another one: a lift pump, a crankcase filter."""

_FUEL_FILTER: Final = frozenset({"fuel", "filter"})
_DIESEL_FUEL_FILTER: Final = "fuel-filter-diesel"
_DIESEL_FUEL_SYSTEM: Final = ("diesel-injection-pump", "diesel-fuel-injector")
_CONTAMINATION: Final = re.compile(r"\bcontaminat\w*[\s-]+(?:\w+\s+)?kit\b", re.IGNORECASE)
"""The kit that is fitted after a pump has failed: it has the injectors, rails and lines, too."""

_EXPLAINED: Final = 0.93
"""The confidence of the matcher of invoices in a reading that explains each word."""

_U_JOINT: Final = re.compile(r"\bu[- ]?joints?\b|\buniversal joints?\b", re.IGNORECASE)
_AXLE: Final = re.compile(r"\baxles?\b|\bhalf[- ]?shafts?\b", re.IGNORECASE)

_SUGGESTIONS: Final = 4
_MATCHED: Final = frozenset({LineKind.REPAIR, LineKind.DIAGNOSIS})
_INSPECTION_CATEGORY: Final = 7
_PLAIN_DIAGNOSIS: Final = frozenset({"diagnostic-scan", "multi-point-inspection"})


@frozen(kw_only=True)
class LineMatcher:
    """Matches the lines of one quote to the repairs in a book."""

    problems: Sequence[Problem]
    repair_matcher: RepairMatcher
    search: SearchRepairs
    find_problem_id: Callable[[str], int | None]
    _by_slug: Mapping[str, Problem] = field(init=False, repr=False, eq=False)

    @_by_slug.default
    def _of_slugs(self) -> Mapping[str, Problem]:
        return {problem.slug: problem for problem in self.problems}

    def match(self, line: QuoteLine) -> MatchedLine:
        """Return a line with its repair, found by id or by its words, or with suggestions if the words are unclear."""
        kind = kind_of_line(line)
        if line.problem_identifier is not None and kind in _MATCHED:
            number = self.find_problem_id(line.problem_identifier)
            problem = next((candidate for candidate in self.problems if candidate.id == number), None)
            return MatchedLine(line=line, kind=kind, problem=problem)
        if kind not in _MATCHED or not (line.description or line.parts):
            return MatchedLine(line=line, kind=kind)
        words = line.description or ""
        if kind is LineKind.DIAGNOSIS:
            found = match_line(words, line.parts, self.problems)
            return MatchedLine(line=line, kind=kind, problem=found if _is_priced_diagnosis(found) else None)
        on_invoices = self.repair_matcher.match(words, line.parts)
        found = self._named(line, on_invoices)
        if found is not None or not significant_words(words):
            return MatchedLine(line=line, kind=kind, problem=found)
        are_several = on_invoices.outcome is Outcome.SEVERAL
        return MatchedLine(
            line=line,
            kind=kind,
            suggestions=self._all_of(on_invoices.suggestions) if are_several else self._suggestions(words),
            names_several=are_several,
        )

    def match_for(self, line: QuoteLine, vehicle: VehicleProfile) -> MatchedLine:
        """Return a line with its repair; words mean a repair that fits the vehicle, while an id is taken as is.

        An oil change without a kind of oil is the vehicle's usual one. A repair that does not fit is replaced with the
        one that is the same work on this vehicle, if there is one.
        """
        matched = self.match(line)
        if line.problem_identifier is not None or matched.kind is not LineKind.REPAIR:
            return matched
        problem = matched.problem
        is_diesel = possible_powertrains(vehicle) == frozenset({Powertrain.DIESEL})
        if is_diesel and problem is not None and _is_diesels_own(problem, vehicle):
            return evolve(matched, problem=None, is_diesels_own=True)
        if is_diesel and _CONTAMINATION.search(line.description or ""):
            return evolve(
                matched, problem=None, suggestions=self._all_of(_DIESEL_FUEL_SYSTEM), names_several=True
            )
        if problem is None and is_diesel and significant_words(line.description or "") == _FUEL_FILTER:
            problem = self._by_slug.get(_DIESEL_FUEL_FILTER)
        if problem is None and self._is_any_oil_change(line.description or ""):
            slug = usual_oil_change(vehicle)
            problem = None if slug is None else self._by_slug.get(slug)
        if problem is None:
            return matched
        return evolve(
            matched, problem=counterpart(problem, self.problems, vehicle), suggestions=(), names_several=False
        )

    def _is_any_oil_change(self, words: str) -> bool:
        """Return whether words name an oil change, as the book or as invoices do, without the kind of oil."""
        if names_any_oil_change(words):
            return True
        found = self.repair_matcher.match(words)
        is_oil = bool(found.suggestions) and OIL_CHANGES.issuperset(found.suggestions)
        return found.outcome is Outcome.UNSURE and (is_oil or found.reason == OIL_UNSAID)

    def _named(self, line: QuoteLine, on_invoices: Match) -> Problem | None:
        """Return the repair that a line names, or None if it names no repair, or work that is not in the book."""
        words = line.description or ""
        # The U-joints of a solid axle's shafts are neither its half shafts nor the driveshaft's joints.
        if on_invoices.reason == NOT_IN_BOOK or (_U_JOINT.search(words) and _AXLE.search(words)):
            return None
        found = match_line(words, line.parts, self.problems)
        slug = on_invoices.slug if on_invoices.outcome is Outcome.SURE else None
        # The invoice matcher reads a synthetic blend as conventional, so it may not decide that alone.
        if slug is None or slug == CONVENTIONAL:
            return found
        # A loose match with a name gives way to a reading that explains each word: "clean throttle body".
        is_by_parts = bool(line.parts) and match_line(words, (), self.problems) != found
        is_explained = on_invoices.confidence >= _EXPLAINED and not is_by_parts
        is_firm = found is not None and (not is_explained or names_exactly(words, found))
        return found if is_firm else self._by_slug.get(slug)

    def _all_of(self, slugs: Iterable[str]) -> tuple[Problem, ...]:
        return tuple(self._by_slug[slug] for slug in slugs if slug in self._by_slug)

    def _suggestions(self, words: str) -> tuple[Problem, ...]:
        return tuple(candidates_for(words, self.problems, self.search(words))[:_SUGGESTIONS])


def _is_priced_diagnosis(problem: Problem | None) -> bool:
    """Return whether the book has a price for this inspection that is better than the usual hour or so of labor."""
    return (
        problem is not None
        and (problem.parent.id == _INSPECTION_CATEGORY or problem.slug.endswith("-diagnosis"))
        and problem.slug not in _PLAIN_DIAGNOSIS
    )


def _is_diesels_own(problem: Problem, vehicle: VehicleProfile) -> bool:
    """Return whether a diesel, which may lack a gasoline part, has a part of its own with the same name."""
    return problem.slug in _DIESELS_OWN and check_fit(problem, vehicle).outcome is not FitOutcome.FITS


def names_any_oil_change(description: str) -> bool:
    """Return whether ``description`` names an oil change, but no kind of oil."""
    return significant_words(in_full(description)) - _SAY_NOTHING == _OIL_CHANGE

"""The years whose campaigns may cover a vehicle, and whether all of them were imported.

A campaign number begins with the year of its opening (24V901000: 2024). A vehicle may be recalled from the year before its
model year, when it goes on sale, until today; a year that was not imported may contain a recall.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Final

from attrs import frozen

_GRACE: Final = timedelta(days=31)
"""A new year does not count as missing at first, because its first campaigns are published a few weeks later."""

_FIRST_CENTURY: Final = 66
"""The Safety Act dates from 1966, so smaller numbers belong to this century."""


class CampaignCoverage(StrEnum):
    """Whether all campaigns that may cover a vehicle are known."""

    FULL = "full"
    PARTIAL = "partial"


@frozen(kw_only=True)
class CampaignYears:
    """The years whose campaigns may cover a vehicle, in order, and which of them were imported."""

    needed: Sequence[int]
    covered: Sequence[int]

    @property
    def missing(self) -> Sequence[int]:
        """Return the years that are not covered."""
        return [year for year in self.needed if year not in self.covered]

    @property
    def coverage(self) -> CampaignCoverage:
        """Return whether all needed years are covered."""
        return CampaignCoverage.PARTIAL if self.missing else CampaignCoverage.FULL

    @property
    def gap(self) -> str | None:
        """Return a sentence about the missing years, or None if all are covered."""
        if not self.missing:
            return None
        return f"Campaigns of {spans(self.missing)} were not imported; some of them may cover this vehicle."


def campaign_years(model_year: int, covered: Iterable[int], *, today: date) -> CampaignYears:
    """Return the years whose campaigns may cover a model year, and which of them are covered."""
    needed = range(min(model_year - 1, today.year), (today - _GRACE).year + 1)
    known = set(covered)
    return CampaignYears(needed=tuple(needed), covered=tuple(year for year in needed if year in known))


def year_of_campaign(number: str) -> int | None:
    """Return the year in a campaign number, or None if it has none."""
    digits = number[:2]
    if not (digits.isascii() and digits.isdigit()):
        return None
    return int(digits) + (1900 if int(digits) >= _FIRST_CENTURY else 2000)


def years_between(years: Iterable[int]) -> Sequence[int]:
    """Return every year from the first to the last: a file with both also covers those in between."""
    known = sorted(years)
    return range(known[0], known[-1] + 1) if known else ()


def spans(years: Sequence[int]) -> str:
    """Format sorted years as text, such as "2018–2020 and 2024"."""
    starts = [*years[:1], *(year for before, year in pairwise(years) if year != before + 1)]
    ends = [*(year for year, after in pairwise(years) if after != year + 1), *years[-1:]]
    written = [f"{a}–{b}" if a != b else f"{a}" for a, b in zip(starts, ends, strict=True)]
    return " and ".join([", ".join(written[:-1]), written[-1]]) if len(written) > 1 else "".join(written)

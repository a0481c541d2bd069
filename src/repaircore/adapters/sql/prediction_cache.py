"""Cached answers, read by key for every request.

A stored answer never changes, so a process decodes it only once.
"""

from collections import OrderedDict
from datetime import datetime
from typing import Final
from uuid import UUID

from typing_extensions import override

from repaircore.adapters.fast_path.driver import Driver, Row
from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.book import identifiers
from repaircore.json_text import NotJsonError, decoder_of
from repaircore.predictions.model import CachedAnswer, Figures, Question
from repaircore.predictions.ports import PredictionCache

NO_BAND: Final = -1
"""The mileage band that is stored if the mileage is unknown."""

NO_TIER: Final = ""
"""The parts tier that is stored if no grade of parts was chosen."""

_CACHE_SIZE: Final = 4096
_FIND: Final = (
    "SELECT r.id, r.computed_at, r.expires_at, p.session_id,"
    " (SELECT value FROM settings WHERE name = 'price_adjustment')"
    " FROM remembered r LEFT JOIN predictions p ON p.remembered_id = r.id AND p.owner_id = ?"
    " WHERE r.environment = ?"
    # Where a record of this whole VIN exists, only its answers count.
    " AND r.vehicle_key = coalesce((SELECT v.vin FROM vehicles v WHERE v.vin = ? AND v.vin11 IS NULL), ?)"
    " AND r.problem_id = ? AND r.zip_code = ?"
    " AND r.mileage_band = ? AND r.parts_tier = ? AND r.expires_at > ?"
)
_FIGURES: Final = "SELECT figures FROM remembered WHERE id = ?"
_BY_ID: Final = "SELECT id FROM problems WHERE id = ? AND parent_id IS NOT NULL"
_BY_SLUG: Final = "SELECT id FROM problems WHERE slug = ? AND parent_id IS NOT NULL"


class _CacheRow:
    """An answer cached in this process: decoded once, and adjusted once for each new price adjustment."""

    def __init__(self, row: Row, figures: Figures) -> None:
        self.id = UUID(row[0])
        self.figures = figures
        self.computed_at = moment(row[1])
        self.expires_at = moment(row[2])
        self._adjusted: tuple[str | None, Figures] = (None, figures)

    def adjusted(self, percent: str | None) -> Figures:
        """Return the figures with the stored price adjustment, a percentage as text, or None if there is none."""
        adjusted_by, figures = self._adjusted
        if adjusted_by != percent:
            figures = self.figures.adjusted(float(percent or 0))
            self._adjusted = (percent, figures)
        return figures


class SqlPredictionCache(PredictionCache):
    """The cached answers, read by key."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._rows: OrderedDict[str, _CacheRow] = OrderedDict()
        # A repair has the same id and slug in all editions of the book, so that a hit never becomes stale.
        self._problems: dict[str, int] = {}

    @override
    def find_problem_id(self, identifier: str) -> int | None:
        problem_id = self._problems.get(identifier)
        if problem_id is None:
            problem_id = self._read_problem_id(identifier)
            if problem_id is not None:
                self._problems[identifier] = problem_id
        return problem_id

    @override
    def find(self, question: Question, *, owner_id: int, now: datetime) -> CachedAnswer | None:
        band = NO_BAND if question.mileage_band is None else question.mileage_band
        row = self._driver.fetch_one(
            _FIND,
            (
                owner_id,
                question.environment.value,
                question.vin or "",  # matches nothing: no VIN is empty
                question.vehicle_key,
                question.problem_id,
                question.zip_code,
                band,
                question.parts_tier or NO_TIER,
                micros(now),
            ),
        )
        if row is None:
            return None
        cached = self._rows.get(row[0]) or self._read(row)
        if cached is None:
            return None
        return CachedAnswer(
            id=cached.id,
            figures=cached.figures,
            computed_at=cached.computed_at,
            expires_at=cached.expires_at,
            session_id=None if row[3] is None else UUID(row[3]),
            adjusted=cached.adjusted(row[4]),
        )

    def _read(self, row: Row) -> _CacheRow | None:
        stored = self._driver.fetch_one(_FIGURES, (row[0],))
        if stored is None:  # replaced since its row was read
            return None
        figures = read_figures(stored[0])
        if figures is None:
            return None
        cached = self._rows[row[0]] = _CacheRow(row, figures)
        while len(self._rows) > _CACHE_SIZE:
            self._rows.popitem(last=False)
        return cached

    def _read_problem_id(self, identifier: str) -> int | None:
        number, slug = identifiers.parse_problem_id(identifier), identifiers.parse_slug(identifier)
        row = None if number is None else self._driver.fetch_one(_BY_ID, (number,))
        if row is None and slug is not None:
            row = self._driver.fetch_one(_BY_SLUG, (slug,))
        return None if row is None else row[0]


def read_figures(text: str) -> Figures | None:
    """Return stored figures, or None if an earlier version wrote them in a different format.

    The next answer to the same question replaces them.
    """
    try:
        return decoder_of(Figures)(text)
    except NotJsonError:
        return None

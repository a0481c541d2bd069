"""Remembered predictions as every request asks for them, read by their key.

An answer never changes once it is kept, so a process decodes it once.
"""

from collections import OrderedDict
from datetime import datetime
from typing import Final
from uuid import UUID

from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.driver import Driver, Row
from repaircore.book import identifiers
from repaircore.json_text import NotJsonError, decoder_of
from repaircore.predictions.model import CachedAnswer, Figures, Question
from repaircore.predictions.ports import PredictionCache

NO_BAND: Final = -1
"""What is kept for a mileage that was not told."""

NO_TIER: Final = ""
"""What is stored for a grade of parts that was not chosen."""

_KEPT_AT_MOST: Final = 4096
_RECALL: Final = (
    "SELECT r.id, r.computed_at, r.expires_at, p.session_id,"
    " (SELECT value FROM settings WHERE name = 'price_adjustment')"
    " FROM remembered r LEFT JOIN predictions p ON p.remembered_id = r.id AND p.owner_id = ?"
    " WHERE r.environment = ?"
    # A record of this whole VIN alone answers for it.
    " AND r.vehicle_key = coalesce((SELECT v.vin FROM vehicles v WHERE v.vin = ? AND v.vin11 IS NULL), ?)"
    " AND r.problem_id = ? AND r.zip_code = ?"
    " AND r.mileage_band = ? AND r.parts_tier = ? AND r.expires_at > ?"
)
_FIGURES: Final = "SELECT figures FROM remembered WHERE id = ?"
_BY_ID: Final = "SELECT id FROM problems WHERE id = ? AND parent_id IS NOT NULL"
_BY_SLUG: Final = "SELECT id FROM problems WHERE slug = ? AND parent_id IS NOT NULL"


class _CacheRow:
    """An answer as a process keeps it: read once, and moved by each new price adjustment once."""

    def __init__(self, row: Row, figures: Figures) -> None:
        self.id = UUID(row[0])
        self.figures = figures
        self.computed_at = moment(row[1])
        self.expires_at = moment(row[2])
        self._adjusted: tuple[str | None, Figures] = (None, figures)

    def adjusted(self, percent: str | None) -> Figures:
        """Give the figures under the price adjustment that is kept as this text."""
        known, figures = self._adjusted
        if known != percent:
            figures = self.figures.adjusted(float(percent or 0))
            self._adjusted = (percent, figures)
        return figures


class SqlPredictionCache(PredictionCache):
    """What is remembered, read by its key."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._kept: OrderedDict[str, _CacheRow] = OrderedDict()
        # A repair keeps its id and slug over all editions of the book, so what was found once stays found.
        self._problems: dict[str, int] = {}

    @override
    def problem_id(self, identifier: str) -> int | None:
        known = self._problems.get(identifier)
        if known is None:
            known = self._find_problem(identifier)
            if known is not None:
                self._problems[identifier] = known
        return known

    @override
    def recall(self, question: Question, *, owner_id: int, now: datetime) -> CachedAnswer | None:
        band = NO_BAND if question.mileage_band is None else question.mileage_band
        row = self._driver.one(
            _RECALL,
            (
                owner_id,
                question.environment.value,
                question.vin or "",  # no VIN is empty
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
        kept = self._kept.get(row[0]) or self._read(row)
        if kept is None:
            return None
        return CachedAnswer(
            id=kept.id,
            figures=kept.figures,
            computed_at=kept.computed_at,
            expires_at=kept.expires_at,
            session_id=None if row[3] is None else UUID(row[3]),
            adjusted=kept.adjusted(row[4]),
        )

    def _read(self, row: Row) -> _CacheRow | None:
        found = self._driver.one(_FIGURES, (row[0],))
        if found is None:  # replaced since its row was read
            return None
        figures = readable(found[0])
        if figures is None:
            return None
        kept = self._kept[row[0]] = _CacheRow(row, figures)
        while len(self._kept) > _KEPT_AT_MOST:
            self._kept.popitem(last=False)
        return kept

    def _find_problem(self, identifier: str) -> int | None:
        number, slug = identifiers.parse_problem_id(identifier), identifiers.parse_slug(identifier)
        row = None if number is None else self._driver.one(_BY_ID, (number,))
        if row is None and slug is not None:
            row = self._driver.one(_BY_SLUG, (slug,))
        return None if row is None else row[0]


def readable(text: str) -> Figures | None:
    """Read kept figures; what cannot be read counts as forgotten, and is replaced by the next answer."""
    try:
        return decoder_of(Figures)(text)
    except NotJsonError:
        return None

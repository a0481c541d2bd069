"""Cached answers, read by key for every request.

A stored answer never changes, so a process decodes it only once.
"""

from collections import OrderedDict
from datetime import datetime
from typing import Final
from uuid import UUID

from typing_extensions import override

from repaircore.adapters.fast_path.driver import Driver
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
    "SELECT r.id, p.session_id,"
    " (SELECT value FROM settings WHERE name = 'price_adjustment')"
    " FROM remembered r LEFT JOIN predictions p ON p.remembered_id = r.id AND p.owner_id = ?"
    " WHERE r.environment = ?"
    # Where a record of this whole VIN exists, only its answers count.
    " AND r.vehicle_key = coalesce((SELECT v.vin FROM vehicles v WHERE v.vin = ? AND v.vin11 IS NULL), ?)"
    " AND r.problem_id = ? AND r.zip_code = ?"
    " AND r.mileage_band = ? AND r.parts_tier = ? AND r.expires_at > ?"
)
_FIGURES: Final = "SELECT figures, computed_at, expires_at FROM remembered WHERE id = ?"
_BY_ID: Final = "SELECT id FROM problems WHERE id = ? AND parent_id IS NOT NULL"
_BY_SLUG: Final = "SELECT id FROM problems WHERE slug = ? AND parent_id IS NOT NULL"


class _CacheRow:
    """An answer cached in this process: decoded once, and adjusted once for each new price adjustment."""

    def __init__(self, answer_id: str, figures: Figures, computed_at: int, expires_at: int) -> None:
        self._id = UUID(answer_id)
        self._figures = figures
        self._computed_at = moment(computed_at)
        self._expires_at = moment(expires_at)
        self._adjusted: tuple[str | None, Figures] = (None, figures)
        self._latest: tuple[str | None, str | None, CachedAnswer] | None = None

    def answer(self, session_id: str | None, percent: str | None) -> CachedAnswer:
        """Return the answer for a session with the stored price adjustment, a percentage as text; None is neither.

        Callers repeat their requests: if both are the same as the last time, so is the object.
        """
        latest = self._latest
        if latest is not None and latest[0] == session_id and latest[1] == percent:
            return latest[2]
        answer = CachedAnswer(
            id=self._id,
            figures=self._figures,
            computed_at=self._computed_at,
            expires_at=self._expires_at,
            session_id=None if session_id is None else UUID(session_id),
            adjusted=self._adjusted_by(percent),
        )
        self._latest = (session_id, percent, answer)
        return answer

    def _adjusted_by(self, percent: str | None) -> Figures:
        adjusted_by, figures = self._adjusted
        if adjusted_by != percent:
            figures = self._figures.adjusted(float(percent or 0))
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
        cached = self._rows.get(row[0]) or self._read(row[0])
        return None if cached is None else cached.answer(row[1], row[2])

    def _read(self, answer_id: str) -> _CacheRow | None:
        stored = self._driver.fetch_one(_FIGURES, (answer_id,))
        if stored is None:  # replaced since its row was read
            return None
        figures = read_figures(stored[0])
        if figures is None:
            return None
        cached = self._rows[answer_id] = _CacheRow(answer_id, figures, stored[1], stored[2])
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

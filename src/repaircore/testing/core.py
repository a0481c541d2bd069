"""A complete installation with a clock for tests and fast password hashing."""

from repaircore.core import Core
from repaircore.kernel.types import Clock
from repaircore.predictions.ports import ModelPanel
from repaircore.settings import Settings
from repaircore.testing.passwords import PlainPasswords


def a_core(settings: Settings, *, clock: Clock, panel: ModelPanel | None = None) -> Core:
    """Build a core from settings, with one clock throughout; ``panel`` replaces the price models.

    An embedded database is upgraded, so it has the current schema and the repair book.
    """
    core = Core(settings, clock=clock).replacing(password_hasher=PlainPasswords())
    if panel is not None:
        core = core.replacing(price_models=panel)
    if settings.is_embedded:
        core.upgrade()
    return core

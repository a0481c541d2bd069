"""Wiring: the only module that knows concrete classes.

What a remembered prediction does not need is imported when it is first used: at the command line the
imports are most of the time that an answer takes (docs/decisions/hot-reads.md).
"""

import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from attrs import frozen

from repaircore.accounts.service import Accounts
from repaircore.adapters.ai.factory import build_panel
from repaircore.adapters.crypto.passwords import Argon2Passwords
from repaircore.adapters.lookups.chain import DecoderChain
from repaircore.adapters.lookups.structure import StructureDecoder
from repaircore.adapters.lookups.vpic_local import VpicData, VpicVinDecoder
from repaircore.adapters.lookups.vpic_names import VpicModelNames
from repaircore.adapters.lookups.zip_codes import ShippedZipCodes
from repaircore.adapters.shipped.book import book, edition
from repaircore.adapters.shipped.prices import read_price_index
from repaircore.adapters.shipped.rates import read_labor_rates
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.adapters.sql.claims import SqlClaims
from repaircore.adapters.sql.credentials import SqlCredentials
from repaircore.adapters.sql.memory import SqlMemory
from repaircore.adapters.sql.storage import HEAD, Storage
from repaircore.adapters.windows.shared_files import SharedFileWindows
from repaircore.estimates.computing import Computing
from repaircore.estimates.learning import Transactions
from repaircore.estimates.ports import ModelPanel
from repaircore.estimates.service import Estimates
from repaircore.facilities.service import Regions
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit
from repaircore.limits.service import Limits
from repaircore.problems.service import ProblemBook
from repaircore.settings import Settings
from repaircore.vehicles.ports import VinDecoder
from repaircore.vehicles.service import Vehicles

__all__ = ["Core", "build", "new_id", "now"]

_SHARE_OF_MODELS: Final = 7 / 8


@frozen(kw_only=True)
class Core:
    """An installation: one field for each slice's use cases.

    ``attrs.evolve(core, accounts=…)`` replaces one, for a test.
    """

    settings: Settings
    storage: Storage
    windows: SharedFileWindows
    accounts: Accounts
    limits: Limits
    vehicles: Vehicles
    problems: ProblemBook
    regions: Regions
    estimates: Estimates
    transactions: Transactions

    def upgrade(self) -> None:
        """Bring the database to this version: its schema, and the repair book in it."""
        if self.storage.standing() != HEAD:
            self.storage.upgrade()
        current = edition()
        if self.storage.edition() != current:
            shipped = book()
            self.storage.read_in(current, shipped.categories, shipped.problems)

    def ready(self) -> Sequence[str]:
        """List what stands in the way of serving, a sentence each; empty when nothing does."""
        try:
            standing = self.storage.standing()
        except Unavailable:
            return ["The database does not answer."]
        if standing != HEAD:
            return [
                f"The database is at revision {standing or 'none'}, not at {HEAD}: run `repaircore db upgrade`."
            ]
        return []

    def close(self) -> None:
        """Let go of connections and files."""
        self.storage.close()
        self.windows.close()


def build(settings: Settings | None = None) -> Core:
    """Wire an installation. ``settings`` None reads the environment.

    An embedded database (SQLite) is created and migrated here, when that is needed; PostgreSQL is
    left as it is (``Core.upgrade``, ``repaircore db upgrade``). Nothing else connects before it is used.

    Raises:
        Invalid: a setting cannot be read; every bad one is named.
        Unavailable: the embedded database does not answer.
    """
    chosen = Settings.from_env(os.environ) if settings is None else settings
    core = _wired(chosen)
    if chosen.is_embedded:
        core.upgrade()
    return core


def _wired(settings: Settings) -> Core:
    storage = Storage(settings.url)
    windows = SharedFileWindows(settings.state / "windows")
    limits = Limits(
        windows=windows,
        requests=Limit(settings.requests_per_minute),
        predictions=Limit(settings.predictions_per_minute),
        logins=Limit(settings.login_failures_per_minute),
    )
    vpic = VpicData()
    vehicles = Vehicles(
        begin=storage.begin,
        look=storage.look,
        decoder=_decoders(settings, vpic),
        names=VpicModelNames(vpic, now),
        new_id=new_id,
        clock=now,
    )
    rates, prices, factors = read_labor_rates(), read_price_index(), shipped_factor_table()
    regions = Regions(
        begin=storage.begin, look=storage.look, zip_codes=ShippedZipCodes(), rates=rates, clock=now
    )
    return Core(
        settings=settings,
        storage=storage,
        windows=windows,
        accounts=Accounts(
            begin=storage.begin,
            look=storage.look,
            credentials=SqlCredentials(storage.driver),
            hasher=Argon2Passwords(settings.state / "passwords.lock"),
            gate=limits,
            random=os.urandom,
            clock=now,
        ),
        limits=limits,
        vehicles=vehicles,
        problems=ProblemBook(look=storage.look),
        regions=regions,
        estimates=Estimates(
            begin=storage.begin,
            look=storage.look,
            memory=SqlMemory(storage.driver),
            claims=SqlClaims(storage.driver),
            vehicles=vehicles,
            computing=Computing(
                look=storage.look,
                regions=regions,
                panel=_panel(settings),
                factors_of=factors.of,
                prices=prices,
                clock=now,
            ),
            seconds=settings.prediction_seconds,
            new_id=new_id,
            clock=now,
            wait=time.sleep,
        ),
        transactions=Transactions(
            begin=storage.begin,
            look=storage.look,
            factors_of=factors.of,
            prices=prices,
            national_rate=rates.national,
            clock=now,
        ),
    )


def now() -> datetime:
    """Tell the time, in UTC."""
    return datetime.now(UTC)


def new_id() -> UUID:
    """Make a UUIDv7."""
    from uuid_utils.compat import uuid7  # noqa: PLC0415 - a remembered prediction needs no new id

    return uuid7()


def _decoders(settings: Settings, data: VpicData) -> VinDecoder:
    decoders: list[VinDecoder] = [VpicVinDecoder(data, now)]
    if settings.vin_decoder_url is not None:
        from repaircore.adapters.lookups.vpic_remote import VpicRemoteDecoder  # noqa: PLC0415 - brings httpx

        decoders.append(VpicRemoteDecoder.at(settings.vin_decoder_url, clock=now))
    return DecoderChain([*decoders, StructureDecoder(now)])


def _panel(settings: Settings) -> ModelPanel:
    # What the models leave of the budget is for the database and for deciding.
    seconds = settings.prediction_seconds * _SHARE_OF_MODELS
    return build_panel(settings.model_a, settings.model_b, budget_seconds=seconds)

"""A gateway of masked numbers, for tests."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from attrs import define, field
from typing_extensions import override

from repaircore.adapters.sql.schema.webhooks import events
from repaircore.core import Core
from repaircore.kernel.masked_phones import NumberMasking, PhonePair

NUMBER = "+13105550100"


@define
class Gateway(NumberMasking):
    """Returns scripted numbers, and raises scripted exceptions."""

    answers: Sequence[Any]
    hides_phones: bool = False
    storage: Any = None
    pairs: list[PhonePair] = field(factory=list)

    @override
    def mask(self, pair: PhonePair) -> str | None:
        with self.storage.transaction():  # on SQLite this waits in vain while a unit of work is open
            self.pairs.append(pair)
        answer = self.answers[len(self.pairs) - 1]
        if isinstance(answer, Exception):
            raise answer
        number: str | None = answer
        return number


def events_of(core: Core) -> str:
    """Return all stored events, as text."""
    with core.storage.database.transaction(write=False) as connection:
        return "\n".join(connection.execute(sa.select(events.c.payload)).scalars())

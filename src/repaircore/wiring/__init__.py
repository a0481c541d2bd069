"""Wiring: the composition of an installation, one module per area.

Together with ``repaircore.core``, these are the only modules that know concrete classes. An area is imported when one
of its services is first used, because imports take most of a command's time.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repaircore.wiring import (
        accounts as accounts,
    )
    from repaircore.wiring import (
        book as book,
    )
    from repaircore.wiring import (
        database as database,
    )
    from repaircore.wiring import (
        diagnosis as diagnosis,
    )
    from repaircore.wiring import (
        dispatch as dispatch,
    )
    from repaircore.wiring import (
        documents as documents,
    )
    from repaircore.wiring import (
        fleet as fleet,
    )
    from repaircore.wiring import (
        garage as garage,
    )
    from repaircore.wiring import (
        guides as guides,
    )
    from repaircore.wiring import (
        learning as learning,
    )
    from repaircore.wiring import (
        messages as messages,
    )
    from repaircore.wiring import (
        operations as operations,
    )
    from repaircore.wiring import (
        partner as partner,
    )
    from repaircore.wiring import (
        predictions as predictions,
    )
    from repaircore.wiring import (
        pricing as pricing,
    )
    from repaircore.wiring import (
        proofs as proofs,
    )
    from repaircore.wiring import (
        rate_limits as rate_limits,
    )
    from repaircore.wiring import (
        retention as retention,
    )
    from repaircore.wiring import (
        roadside as roadside,
    )
    from repaircore.wiring import (
        setup as setup,
    )
    from repaircore.wiring import (
        tasks as tasks,
    )
    from repaircore.wiring import (
        vehicles as vehicles,
    )
    from repaircore.wiring import (
        visits as visits,
    )
    from repaircore.wiring import (
        webhooks as webhooks,
    )


def __getattr__(area: str) -> ModuleType:
    """Import an area when it is first used."""
    try:
        return import_module(f"{__name__}.{area}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{area}":
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {area!r}") from None

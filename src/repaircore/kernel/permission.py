"""What takes more than a credential: demanded by the use cases, whichever door leads to them."""

from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import Forbidden

__all__ = ["demand_admin", "demand_operator"]


def demand_admin(caller: Caller) -> None:
    """Demand an admin.

    Raises:
        Forbidden: the caller is none.
    """
    if not caller.is_admin:
        raise Forbidden


def demand_operator(caller: Caller) -> None:
    """Demand an admin who acts live: what both environments share is changed with no test key.

    Raises:
        Forbidden: the caller is no admin, or shows a key of the test environment.
    """
    demand_admin(caller)
    if caller.environment is Environment.TEST:
        raise Forbidden

"""How a model fails, in words that an end user may read."""

from repaircore.kernel.errors import Unavailable

__all__ = ["Late", "ModelFailed"]


class ModelFailed(Unavailable):
    """A model gave no figure that counts.

    ``again_after`` is the number of seconds after which the same question may be worth another try;
    None when it is not.
    """

    def __init__(self, reason: str, *, again_after: float | None = None) -> None:
        super().__init__(reason)
        self.again_after = again_after


class Late(ModelFailed):
    """The time was up before the answer was there."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:.3g} s")

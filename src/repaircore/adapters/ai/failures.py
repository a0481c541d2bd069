"""How a model fails that did answer, in words that an end user may read."""

from repaircore.kernel.errors import Unavailable


class ModelFailed(Unavailable):
    """A model gave no figure that counts."""

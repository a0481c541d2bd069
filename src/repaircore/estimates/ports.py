"""What predictions need from outside."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from repaircore.estimates.model import Opinion, PriceQuestion

__all__ = ["ModelPanel", "PriceModel"]


class PriceModel(Protocol):
    """An outside (or embedded) model that puts a price on a repair."""

    @property
    @abstractmethod
    def source(self) -> str:
        """Name the kind of model: ``offline``, ``openai``, ``anthropic``."""

    @abstractmethod
    def price(self, question: PriceQuestion, *, seconds: float) -> int:
        """Give the average total price in cents, within ``seconds`` from now in all.

        The figure is finite, positive and within ``PLAUSIBLE`` of the book's range; whatever else the
        model says is a failure.

        Raises:
            Unavailable: with a short reason fit to be shown (``timed out``, ``not a number``); nothing
                else is ever raised, and never later than ``seconds`` plus a small grace.
        """


class ModelPanel(Protocol):
    """Both models, asked at the same time."""

    @abstractmethod
    def ask(self, question: PriceQuestion, *, offline: bool) -> Sequence[Opinion]:
        """Ask model A and model B in parallel and give their opinions, always two, A first.

        Never raises and never takes longer than the time budget it was built with: a model that fails
        or is late has an opinion without a figure, with its reason. ``offline`` asks the two offline
        models instead of the configured ones (test environment).
        """

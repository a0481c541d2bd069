"""Read a model's JSON strictly into the shape that was asked for."""

from typing import Any, TypeVar

import msgspec
from attrs import frozen

from repaircore.adapters.ai.answer import accepted
from repaircore.adapters.ai.failures import ModelFailed
from repaircore.kernel.money import Cents
from repaircore.problems.model import Problem

__all__ = ["priced", "understood"]

T = TypeVar("T")


def understood(text: str, shape: type[T]) -> T:
    """Read a reply.

    Args:
        text: the body, any text at all.
        shape: an attrs class; fields beyond its own are skipped, wrong types are failures.

    Raises:
        ModelFailed: the text is no JSON, nested too deeply or of another shape.
    """
    try:
        return _decoded(text, shape)
    except (ValueError, RecursionError):
        raise ModelFailed("the answer was not understood") from None


def priced(text: str, problem: Problem) -> Cents:
    """Read the structured answer itself, ``{"average_total_usd": 540}``, and check the figure.

    Raises:
        ModelFailed: it is not a number, or not a plausible one.
    """
    try:
        answer = _decoded(text, _Answer)
    except (ValueError, RecursionError):
        raise ModelFailed("not a number") from None
    return accepted(answer.average_total_usd * 100, problem)


@frozen
class _Answer:
    average_total_usd: float


def _decoded(text: str, shape: type[T]) -> T:
    decoded: Any = msgspec.json.decode(text, type=shape)
    return decoded  # type: ignore[no-any-return]

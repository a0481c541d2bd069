"""Read a model's JSON strictly into the shape that was asked for."""

from typing import TypeVar

from attrs import frozen

from repaircore.adapters.ai.answer import accepted
from repaircore.adapters.ai.failures import ModelFailed
from repaircore.adapters.ai.plain_text import plain
from repaircore.book.model import Problem
from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.structuring import structure

T = TypeVar("T")


def understood(body: bytes | str, shape: type[T]) -> T:
    """Read a reply.

    Args:
        body: any bytes or text at all.
        shape: an attrs class; fields beyond its own are skipped, wrong types are failures.

    Raises:
        ModelFailed: the body is no JSON, nested too deeply or of another shape.
    """
    try:
        return _decoded(body, shape)
    except (ValueError, RecursionError):
        raise ModelFailed("the answer was not understood") from None


def priced(answer: bytes | str, problem: Problem) -> Cents:
    """Read the structured answer itself, ``{"average_total_usd": 540}``, and check the figure.

    Raises:
        ModelFailed: it is not a number, or not a plausible one.
    """
    try:
        figure = _decoded(answer, _Answer).average_total_usd
    except (ValueError, RecursionError):
        raise ModelFailed("not a number") from None
    return accepted(figure * 100, problem)


def described(answer: bytes | str) -> str:
    """Read the structured answer, ``{"description": "…"}``, and check the text.

    Raises:
        ModelFailed: it is not a text, or not one that counts.
    """
    try:
        text = _decoded(answer, _Text).description
    except (ValueError, RecursionError):
        raise ModelFailed("not a text") from None
    return plain(text)


@frozen
class _Answer:
    average_total_usd: float


@frozen
class _Text:
    description: str


def _decoded(document: bytes | str, shape: type[T]) -> T:
    value = decode(document)
    if not isinstance(value, dict):
        raise NotJsonError("is not an object")
    try:
        return structure(shape, value)
    except Invalid:
        raise NotJsonError("has another shape") from None

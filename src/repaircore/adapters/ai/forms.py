"""Forms that a language model fills in, and strict parsing of the result."""

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import frozen

from repaircore.adapters.ai.answer import ModelFailed, plausible_price
from repaircore.adapters.ai.plain_text import plain
from repaircore.book.model import Problem
from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.structuring import structure

T = TypeVar("T")


@frozen(kw_only=True)
class Form:
    """A structured reply to request from a model.

    Args:
        name: the identifier of the structure.
        purpose: a sentence that says what it is for.
        instructions: the instructions to the model; the facts are sent separately.
        schema: the JSON Schema of a reply.
        most_tokens: a generous limit on the reply in tokens, for protocols that require one.
    """

    name: str
    purpose: str
    instructions: str
    schema: Mapping[str, Any]
    most_tokens: int


def parse_reply(body: bytes | str, shape: type[T]) -> T:
    """Parse a reply into an attrs class.

    Args:
        body: the reply, which need not be valid.
        shape: the attrs class; extra fields are ignored, wrong types are errors.

    Raises:
        ModelFailed: the body is not JSON, is nested too deeply or has the wrong shape.
    """
    return _parse(body, shape, "the response was not understood")


def parse_price(answer: bytes | str, problem: Problem) -> Cents:
    """Return the price in a filled-in form, ``{"average_total_usd": 540}``.

    Raises:
        ModelFailed: the form contains no price, or an implausible one.
    """
    return plausible_price(_parse(answer, _Price, "not a number").average_total_usd * 100, problem)


def parse_description(answer: bytes | str) -> str:
    """Return the text in a filled-in form, ``{"description": "…"}``.

    Raises:
        ModelFailed: the form contains no description, or an unusable one.
    """
    return plain(_parse(answer, _Description, "not a string").description)


@frozen
class _Price:
    average_total_usd: float


@frozen
class _Description:
    description: str


def _parse(document: bytes | str, shape: type[T], failure: str) -> T:
    try:
        value = decode(document)
        if isinstance(value, dict):
            return structure(shape, value)
    except (NotJsonError, Invalid, RecursionError):
        pass
    raise ModelFailed(failure)

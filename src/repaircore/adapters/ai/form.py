"""What a language model is asked to fill in."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen


@frozen(kw_only=True)
class Form:
    """An answer's structure, and what belongs in it.

    Args:
        name: what the structure is called, a name as in programs.
        purpose: what it is for, a sentence.
        instructions: what the model is told to do; the facts come apart from it.
        schema: the shape of an answer, as JSON Schema.
        most_tokens: a generous limit on the answer, for protocols that want one.
    """

    name: str
    purpose: str
    instructions: str
    schema: Mapping[str, Any]
    most_tokens: int

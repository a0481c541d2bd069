"""Answers to questions about symptoms: yes, no, unsure, or free text."""

import re
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.problems.words import words


class Verdict(StrEnum):
    """A one-word answer that a question may offer."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


@frozen
class ParsedAnswer:
    """The verdict of an answer, or None if it has none, and the text that remains to be read."""

    verdict: Verdict | None
    rest: str

    @property
    def presence(self) -> bool | None:
        """Return whether the symptom is present, or None if the answer does not say."""
        return {Verdict.YES: True, Verdict.NO: False}.get(self.verdict) if self.verdict else None


_WORDINGS: Final = {
    Verdict.YES: "y|yes|yeah|yea|yep|yup|ya|sure|correct|right|true|exactly|definitely|absolutely|certainly"
    "|of course|it does|it is|yes it does|yes it is|i do|yes i do|indeed|affirmative|i think so|i believe so"
    "|sometimes|occasionally|often|always|usually|mostly|a little|a bit|slightly|somewhat|from time to time"
    "|now and then|once in a while",
    Verdict.NO: "n|no|nope|nah|never|negative|false|not at all|not really|none|it does not|it doesnt|it is not"
    "|it isnt|no it does not|no it doesnt|no it is not|no it isnt|i do not|i dont|no i dont|i dont think so"
    "|i do not think so|probably not|hardly|no longer|not any more",
    Verdict.UNSURE: "unsure|not sure|im not sure|i am not sure|maybe|perhaps|possibly|unknown|idk|dont know"
    "|i dont know|do not know|i do not know|dunno|no idea|i have no idea|cant say|cant tell|i cant tell|cannot say"
    "|cannot tell|hard to say|hard to tell|not certain|skip",
}
_VERDICTS: Final = {said: verdict for verdict, all_said in _WORDINGS.items() for said in all_said.split("|")}

# "No, but it squeals" and "yes when it is cold" begin with an answer; "no noise" and "not starting" do not.
_CONTINUATIONS: Final = "but|and|though|although|because|when|whenever|if|only|after|while|during|at|it|its|the|i|there|they|that|this|my|we"
# ``*+`` does not backtrack over skipped blanks, which took seconds for two thousand of them.
_LEAD: Final = re.compile(
    rf"\s*+(?P<lead>[^,.;:!\u2013\u2014-]{{1,24}}?)\s*(?:[,.;:!\u2013\u2014-]+\s*|\s(?=(?:{_CONTINUATIONS})\b))(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)


def parse_answer(text: str, options: tuple[str, ...] = ()) -> ParsedAnswer:
    """Return the verdict of an answer, and the text that remains to be read.

    ``options`` are the answers that the question offered; without any, every verdict counts. A verdict that was not
    offered counts as unsure. All text remains, except for an option, or a common wording of one, at the beginning.
    """
    whole = _verdict(text, options)
    if whole is not None:
        return ParsedAnswer(_within_options(whole, options), "")
    parts = _LEAD.fullmatch(text)
    lead = None if parts is None else _verdict(parts["lead"], options)
    if parts is None or lead is None:
        return ParsedAnswer(None, text)
    return ParsedAnswer(_within_options(lead, options), parts["rest"])


def _within_options(verdict: Verdict, options: tuple[str, ...]) -> Verdict:
    return verdict if not options or verdict.value in options else Verdict.UNSURE


def _verdict(text: str, options: tuple[str, ...]) -> Verdict | None:
    said = " ".join(words(text))
    offered = {" ".join(words(option)): option.casefold() for option in options}
    try:
        return Verdict(offered[said])
    except (KeyError, ValueError):
        return _VERDICTS.get(said)

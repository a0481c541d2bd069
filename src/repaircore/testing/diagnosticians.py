"""Scripted language and vision models for chats."""

from collections.abc import Mapping, Sequence

from typing_extensions import override

from repaircore.chat.ports import LightReader
from repaircore.diagnosis.interpretation import Claim, CodeClaim, Interpretation
from repaircore.diagnosis.ports import Interpreter
from repaircore.kernel.errors import Unavailable


class ScriptedInterpreter(Interpreter):
    """Returns the same claims whatever it reads, and the same wording for every question.

    Each of ``claims`` is a symptom, whether it is present, and a quote; ``{}`` in ``question`` stands for the symptom.
    With ``failure``, reading fails every time; with an exception as ``question``, so does wording.
    """

    def __init__(
        self,
        *claims: tuple[str, bool, str],
        codes: Sequence[tuple[str, str]] = (),
        question: str | Unavailable = "Do you notice this: {}?",
        failure: Unavailable | None = None,
    ) -> None:
        self._claims = tuple(Claim(symptom=name, present=there, quote=quote) for name, there, quote in claims)
        self._codes = tuple(CodeClaim(code=code, quote=quote) for code, quote in codes)
        self._question = question
        self._failure = failure
        self.texts: list[str] = []
        self.worded: list[str] = []

    @override
    def read(self, text: str, *, symptoms: Mapping[str, str], seconds: float) -> Interpretation:
        self.texts.append(text)
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        return Interpretation(claims=self._claims, codes=self._codes)

    @override
    def word(self, symptom: str, *, seconds: float) -> str:
        self.worded.append(symptom)
        if isinstance(self._question, Unavailable):
            raise self._question.with_traceback(None)
        return self._question.format(symptom)


class ScriptedLights(LightReader):
    """Sees the same lights in every photo, or fails every time."""

    def __init__(self, *lights: str, failure: Unavailable | None = None) -> None:
        self._lights, self._failure = lights, failure
        self.photos: list[bytes] = []

    @override
    def read(self, photo: bytes, *, lights: Mapping[str, str]) -> Sequence[str]:
        self.photos.append(photo)
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        return self._lights

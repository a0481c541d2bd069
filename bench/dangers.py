"""How well dangers are distinguished from what only sounds like one, by cross-validation, for several thresholds of the danger model.

Run ``python -m bench.dangers`` from the root of the repository. The labeled texts are split into five parts by a hash; each part
is judged by a model of the others. The phrases of the lexicon were written with some of the complaints, but without the
texts of ``data/dangers``. The line without a model is the phrases alone.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from attrs import frozen

from bench.diagnostics import knowledge
from bench.strangers import share
from bench.table import tell
from repaircore.adapters.shipped.complaints import complaints
from repaircore.adapters.shipped.dangers import danger_texts, danger_wording, part_of, written_texts
from repaircore.danger_model.model import AGREES, ALONE, present_dangers
from repaircore.danger_model.training import LabeledText, train_dangers
from repaircore.danger_model.wording import sentences
from repaircore.diagnosis.reading import DangerPhrases, danger_phrases

_PARTS: Final = 5
_AGREES: Final = (-math.inf, AGREES)
_ALONE: Final = (0.5, ALONE, 2.0, math.inf)


@frozen
class Judged:
    """A text, the dangers that its phrases mean, and the scores of a model that has not seen it."""

    text: LabeledText
    phrases: DangerPhrases
    scores: Mapping[str, float]

    def found(self, agrees: float, alone: float) -> frozenset[str]:
        """Return the dangers that are found with these thresholds."""
        found = present_dangers(
            self.phrases.asserted,
            self.phrases.dismissed,
            self.scores,
            agrees=agrees,
            alone=alone,
            length=len(sentences(self.text.text)),
            lookalike=self.phrases.lookalike,
        )
        return frozenset(found)


def judge() -> Iterator[Judged]:
    """Yield each labeled text, judged by a model that was trained without its part."""
    texts = danger_texts()
    known = knowledge()
    for part in range(_PARTS):
        model = train_dangers([text for text in texts if part_of(text, _PARTS) != part], danger_wording())
        for text in texts:
            if text.weight == 1 and part_of(text, _PARTS) == part:
                yield Judged(text, danger_phrases(text.text, known), model.scores(text.text))


def _line(judged: Sequence[Judged], agrees: float, alone: float) -> str:
    pairs = [(each.text.dangers, each.found(agrees, alone)) for each in judged]
    real = sum(len(dangers) for dangers, _ in pairs)
    met = sum(len(dangers & found) for dangers, found in pairs)
    harmless = [bool(found) for dangers, found in pairs if not dangers]
    return f"found {share(met, real)}   harmless ones warned of {share(sum(harmless), len(harmless))}"


def main() -> None:
    """Print the table."""
    judged = list(judge())
    written = {text.text for text in written_texts()}
    ordinary = sum(1 for each in complaints() if each.dangers is None)
    tell(f"(and {ordinary} complaints that are not labeled, nearly all of them without a word of danger)")
    for name, some in (
        ("written for the danger model", [each for each in judged if each.text.text in written]),
        (
            "complaints of the corpus with a word of danger",
            [each for each in judged if each.text.text not in written],
        ),
    ):
        tell(f"{name}: {len(some)}")
        for agrees, alone in product(_AGREES, _ALONE):
            tell(f"  agrees from {agrees:4}, alone from {alone:3}: {_line(some, agrees, alone)}")


if __name__ == "__main__":
    main()

"""Rank repairs for a search that is a complaint: "brake noise" names no repair, but some are likely."""

from typing import Final

from attrs import frozen
from typing_extensions import override

from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.reading import read
from repaircore.kernel.traits import Traits
from repaircore.kernel.types import Lazy
from repaircore.problems.fusion import RankedList
from repaircore.problems.ports import Ranker

_WEIGHT: Final = 1.5
"""The weight of a diagnosis, which says more than the words shared with the book; values from 1 to 3 work."""

_PLAIN_WEIGHT: Final = 30.0
"""The weight for a complaint that names only a symptom with usual causes: the book's wording says little then."""

_NAME: Final = 1.0
"""The score of a repair's own name."""

_NAMED: Final = 0.85
_NAMED_THOUGH_SYMPTOM: Final = 0.97
"""The lowest scores at which a search names a repair rather than a symptom, without and with a symptom in its words."""

_OF_CERTAINTY: Final = 0.8
"""Scales probabilities to scores: a likely repair scores less than one that was named."""


@frozen(kw_only=True)
class ComplaintRanker(Ranker):
    """Ranks repairs by the diagnosis of search text that names none."""

    knowledge: Lazy[Knowledge]

    @override
    def rank(self, text: str, *, best: float = 0.0) -> RankedList | None:
        """Return the likely repairs, likeliest first, or None if ``text`` names a repair or cannot be diagnosed."""
        if best >= _NAME:
            return None
        knowledge = self.knowledge()
        complaint = read(text, knowledge)
        if best >= _NAMED_THOUGH_SYMPTOM and not complaint.has_usual_causes:
            return None
        has_symptom = any(finding.present for finding in complaint.findings)
        if complaint.unread or complaint.codes or (best >= _NAMED and not has_symptom):
            return None
        likely = diagnose(knowledge, complaint.clues(Traits())).likely
        if not any(each.reasons for each in likely):
            return None
        return RankedList(
            repairs=tuple((each.problem.slug, _OF_CERTAINTY * each.probability) for each in likely),
            weight=_PLAIN_WEIGHT if complaint.has_usual_causes else _WEIGHT,
        )

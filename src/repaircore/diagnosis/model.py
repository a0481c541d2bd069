"""Evidence and clues, and the diagnosis that follows from them."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final

from attrs import Factory, evolve, frozen

from repaircore.book.equipment import possible_transmissions
from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem
from repaircore.complaints.mentions import Mentions
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.traits import Powertrain, Traits
from repaircore.vehicle_facts.model import VehicleSpecs

_MOST_LIKELY: Final = 5
_LEAST_LIKELY: Final = 0.01
"""The probability from which a repair is listed."""

IN_VAIN: Final = 5.0
"""The bits that a repair loses when it was already done and did not help."""

_WITHOUT_IT: Final = 5.0
"""The bits that a repair loses when the trouble comes only with a symptom that is not its own: a tire that is out of balance
does not wait for the brakes."""

_OF_PLAIN_WORDS: Final = 0.15
"""The weight of the hints by words where the usual causes are known."""
_USUAL_BITS: Final = (6.0, 4.5, 3.0, 3.0)
"""The bits that the usual causes gain, in their order."""


@frozen
class Finding:
    """A symptom of the book, by its slug, that is present or absent."""

    symptom: str
    present: bool


@frozen
class Hint:
    """A repair, by its slug, that the words of a text point to, and how strongly, in bits."""

    repair: str
    bits: float


def in_usual_order(hinted: Iterable[Hint], usual: Sequence[str]) -> tuple[Hint, ...]:
    """Return the hints of a complaint that is nothing but a symptom, given the slugs of its usual causes.

    Which text of the book has the few words of such a complaint says little about what is wrong.
    """
    bits = {hint.repair: _OF_PLAIN_WORDS * hint.bits for hint in hinted}
    for slug, more in zip(usual, _USUAL_BITS, strict=False):
        bits[slug] = bits.get(slug, 0.0) + more
    return _strongest_first(bits)


def weakened(hinted: Iterable[Hint], good: AbstractSet[str]) -> tuple[Hint, ...]:
    """Return hints that speak against the repairs of parts that are good."""
    bits = {hint.repair: hint.bits for hint in hinted}
    return _strongest_first(bits | {slug: bits.get(slug, 0.0) - IN_VAIN for slug in good})


def only_with_symptoms(hinted: Iterable[Hint], own: AbstractSet[str]) -> tuple[Hint, ...]:
    """Return hints, weakened for all repairs that do not show the symptom that the trouble comes only with."""
    return _strongest_first(
        {hint.repair: hint.bits - (0 if hint.repair in own else _WITHOUT_IT) for hint in hinted}
    )


def _strongest_first(bits: Mapping[str, float]) -> tuple[Hint, ...]:
    ranked = sorted(bits.items(), key=lambda each: (-each[1], each[0]))
    return tuple(Hint(slug, round(value, 4)) for slug, value in ranked)


@frozen(kw_only=True)
class Clues:
    """The input of a diagnosis. Order does not matter, and duplicates count once.

    ``make`` decides the meaning of manufacturers' trouble codes; None is unknown. ``from_text`` are the symptoms that were only
    read in a text: its words are hints as well, so these symptoms count ``trust`` times as much as answers. ``topics``
    are those of a short complaint (`topics.TOPICS`). ``excluded`` are the slugs of repairs that do not fit the vehicle. ``year`` is
    the model year that was mentioned, ``model`` the model.
    """

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    mileage: int | None = None
    traits: Traits = Factory(Traits)
    make: str | None = None
    from_text: frozenset[str] = frozenset()
    trust: float = 1.0
    topics: tuple[str, ...] = ()
    excluded: frozenset[str] = frozenset()
    year: int | None = None
    model: str | None = None

    def about(self, vehicle: VehicleSpecs | None, problems: Iterable[Problem]) -> "Clues":
        """Return the clues on a vehicle; those of ``problems`` that do not fit it are excluded.

        What is known of the vehicle takes precedence over what was mentioned. For an unknown one, the mentioned year counts: a
        1967 Mustang has no fuel injector. So does the model, where it decides the transmission.
        """
        if vehicle is None:
            return self if self.year is None else self._of_year(self.year, problems)
        profile = vehicle.profile
        return evolve(
            self,
            traits=with_powertrain(vehicle.traits, self.traits.powertrain),
            make=vehicle.make,
            excluded=frozenset(
                problem.slug
                for problem in problems
                if check_fit(problem, profile).outcome is FitOutcome.DOES_NOT_FIT
            ),
        )

    def _of_year(self, year: int, problems: Iterable[Problem]) -> "Clues":
        """Return the clues without the repairs of parts that no car of a year had."""
        return evolve(
            self,
            excluded=frozenset(
                problem.slug
                for problem in problems
                if (problem.fits.years.first is not None and year < problem.fits.years.first)
                or not self._may_have_transmission(problem, year)
            ),
        )

    def _may_have_transmission(self, problem: Problem, year: int) -> bool:
        if self.make is None or self.model is None or not problem.fits.transmissions:
            return True
        known = possible_transmissions(VehicleProfile(make=self.make, model=self.model, year=year))
        return known is None or not known.isdisjoint(problem.fits.transmissions)

    def with_answers(self, findings: Iterable[Finding]) -> "Clues":
        """Return the clues with symptoms that were answered outright, which take precedence over what was read."""
        answered = {finding.symptom: finding for finding in findings}
        if not answered:
            return self
        read = (finding for finding in self.findings if finding.symptom not in answered)
        return evolve(
            self,
            findings=(*read, *answered.values()),
            from_text=self.from_text - answered.keys(),
        )


@frozen(kw_only=True)
class Evidence:
    """The evidence of a chat so far.

    ``questioned`` are symptoms that are not asked about again. ``dangers`` stay until the chat ends. ``answered`` are symptoms
    that were answered outright or seen in a photo; the others were read in texts. ``powertrain``, ``mileage``, ``make`` and
    ``year`` were mentioned, ``concerns`` forbid calling an unrelated repair safe, ``topics`` are those of a short complaint.
    ``outside`` is a kind of vehicle that the book does not cover.
    """

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    questioned: tuple[str, ...] = ()
    dangers: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    powertrain: Powertrain | None = None
    mileage: int | None = None
    concerns: tuple[str, ...] = ()
    trust: float = 1.0
    make: str | None = None
    topics: tuple[str, ...] = ()
    year: int | None = None
    outside: str | None = None

    def clues(self) -> Clues:
        """Return the input of a diagnosis of an unknown vehicle; see ``Clues.about``."""
        return Clues(
            findings=self.findings,
            codes=self.codes,
            hints=self.hints,
            mileage=self.mileage,
            traits=Traits(powertrain=self.powertrain),
            from_text=frozenset(finding.symptom for finding in self.findings) - frozenset(self.answered),
            trust=self.trust,
            make=self.make,
            topics=self.topics,
            year=self.year,
        )

    def with_mentions(
        self, mentions: Mentions, *, concerns: Iterable[str] = (), topics: Iterable[str] = ()
    ) -> "Evidence":
        """Return the evidence with facts that were mentioned; later ones replace earlier ones."""
        return evolve(
            self,
            concerns=tuple(dict.fromkeys((*self.concerns, *concerns))),
            powertrain=self.powertrain if mentions.powertrain is None else mentions.powertrain,
            mileage=self.mileage if mentions.mileage is None else mentions.mileage,
            make=self.make if mentions.make is None else mentions.make,
            topics=tuple(dict.fromkeys((*self.topics, *topics))),
            year=self.year if mentions.year is None else mentions.year,
            outside=self.outside if mentions.outside is None else mentions.outside,
        )

    def with_answered(self, symptoms: Iterable[str]) -> "Evidence":
        """Return the evidence with symptoms that were answered outright, or seen."""
        return evolve(self, answered=tuple(dict.fromkeys((*self.answered, *symptoms))))

    def with_findings(
        self,
        findings: Iterable[Finding] = (),
        codes: Iterable[str] = (),
        hints: Iterable[Hint] = (),
        dangers: Iterable[str] = (),
    ) -> "Evidence":
        """Return the evidence with new findings; the later of two on a symptom wins, and the stronger of two hints."""
        found = {finding.symptom: finding for finding in chain(self.findings, findings)}
        hinted: dict[str, Hint] = {}
        for hint in chain(self.hints, hints):
            known = hinted.get(hint.repair)
            if known is None or hint.bits > known.bits:
                hinted[hint.repair] = hint
        return evolve(
            self,
            findings=tuple(found.values()),
            codes=tuple(dict.fromkeys(chain(self.codes, codes))),
            hints=tuple(hinted.values()),
            dangers=tuple(dict.fromkeys(chain(self.dangers, dangers))),
        )

    def with_questioned(self, symptom: str) -> "Evidence":
        """Return the evidence with a symptom that is not asked about again."""
        if symptom in self.questioned:
            return self
        return evolve(self, questioned=(*self.questioned, symptom))


def with_powertrain(traits: Traits, powertrain: Powertrain | None) -> Traits:
    """Return the traits with a mentioned powertrain, unless one is known."""
    return traits if traits.powertrain is not None else evolve(traits, powertrain=powertrain)


@frozen
class Reason:
    """A sentence on what speaks for or against a repair, and how strongly.

    ``weight`` is the change of the log-odds in bits: +1 doubles the odds, -1 halves them. A caution is what to know before
    paying for the repair; it comes first and weighs nothing.
    """

    text: str
    weight: float
    is_caution: bool = False


@frozen
class Candidate:
    """A repair with its probability, 0 to 1, and its reasons, sorted by weight.

    The probabilities of all repairs add up to 1. ``stated`` is the calibrated confidence: how often a repair of that
    probability was among those that a mechanic would check first. There may be several of these.
    """

    problem: Problem
    probability: float
    reasons: tuple[Reason, ...]
    stated: float | None = None

    def unexplained(self, clues: Clues) -> tuple[str, ...]:
        """Return the slugs of present symptoms that the repair does not explain."""
        shown = {symptom.slug for symptom in self.problem.symptoms}
        present = (finding.symptom for finding in clues.findings if finding.present)
        return tuple(dict.fromkeys(symptom for symptom in present if symptom not in shown))

    @property
    def confidence(self) -> float:
        """Return the calibrated confidence in percent, with one decimal; the probability where there is no calibration."""
        return round(100 * (self.probability if self.stated is None else self.stated), 1)


@frozen
class Diagnosis:
    """The repairs that explain the clues, the likeliest first.

    Args:
        candidates: all repairs that fit the vehicle; their probabilities add up to 1.
        enough: whether the first ones stand out far enough to act on; else they are a first guess.
        entropy: the remaining uncertainty, in bits.
    """

    candidates: tuple[Candidate, ...]
    enough: bool
    entropy: float

    @property
    def likely(self) -> tuple[Candidate, ...]:
        """Return the few repairs that are worth listing."""
        best = self.candidates[:_MOST_LIKELY]
        return tuple(candidate for candidate in best if candidate.probability >= _LEAST_LIKELY)


@frozen
class SymptomQuestion:
    """A question that is worth asking. ``id`` is the symptom's slug; ``bits`` is the expected information of the answer.

    ``why`` is a sentence on the repairs that the answer distinguishes.
    """

    id: str
    text: str
    options: tuple[str, ...]
    bits: float
    why: str = ""


@frozen(kw_only=True)
class OpenQuestion:
    """A question about a symptom, whose slug is its ``id``, as it was worded for the user."""

    id: str
    text: str
    options: tuple[str, ...]
    why: str = ""

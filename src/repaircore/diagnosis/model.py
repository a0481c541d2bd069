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
"""The lowest probability at which a repair is listed."""

IN_VAIN: Final = 5.0
"""The bits that a repair loses if it was already done and did not help, or its part is good."""

_WITHOUT_IT: Final = 5.0
"""The bits that a repair loses if the trouble only occurs with a symptom that the repair does not show: a tire that is
out of balance does not wait for the brakes."""

_OF_PLAIN_WORDS: Final = 0.15
"""The weight of the words if the usual causes are known."""
_USUAL_BITS: Final = (6.0, 4.5, 3.0, 3.0)
"""The bits that the usual causes gain, in order."""


@frozen
class Finding:
    """The slug of a symptom in the book, and whether it is present."""

    symptom: str
    present: bool


@frozen
class Hint:
    """The slug of a repair that the words of a complaint point to, and how strongly, in bits."""

    repair: str
    bits: float


def in_usual_order(hinted: Iterable[Hint], usual: Sequence[str]) -> tuple[Hint, ...]:
    """Return the hints of a complaint that names only a symptom, given the slugs of its usual causes in order.

    Matches of so few words in the book say little about what is wrong.
    """
    bits = {hint.repair: _OF_PLAIN_WORDS * hint.bits for hint in hinted}
    for slug, more in zip(usual, _USUAL_BITS, strict=False):
        bits[slug] = bits.get(slug, 0.0) + more
    return _strongest_first(bits)


def weakened(hinted: Iterable[Hint], good: AbstractSet[str]) -> tuple[Hint, ...]:
    """Return the hints, reduced for the repairs in ``good``, whose parts are good."""
    bits = {hint.repair: hint.bits for hint in hinted}
    return _strongest_first(bits | {slug: bits.get(slug, 0.0) - IN_VAIN for slug in good})


def only_with_symptoms(hinted: Iterable[Hint], own: AbstractSet[str]) -> tuple[Hint, ...]:
    """Return the hints, reduced for all repairs except those in ``own``.

    ``own`` has the repairs that show the symptom without which the trouble does not occur.
    """
    return _strongest_first(
        {hint.repair: hint.bits - (0 if hint.repair in own else _WITHOUT_IT) for hint in hinted}
    )


def _strongest_first(bits: Mapping[str, float]) -> tuple[Hint, ...]:
    ranked = sorted(bits.items(), key=lambda each: (-each[1], each[0]))
    return tuple(Hint(slug, round(value, 4)) for slug, value in ranked)


@frozen(kw_only=True)
class Clues:
    """The input to a diagnosis. Order does not matter, and duplicates count once.

    ``make`` determines the meaning of manufacturers' trouble codes; None means unknown. ``from_text`` has the symptoms
    that were only read from text: its words are hints as well, so these symptoms count ``trust`` times as much as
    answers. ``topics`` are the topics of a short complaint (``TOPICS``). ``excluded`` has the slugs of repairs that
    do not fit the vehicle. ``year`` and ``model`` are the model year and the model that were mentioned.
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
        """Return the clues with what is known about a vehicle; the ``problems`` that do not fit it are excluded.

        What is known about the vehicle takes precedence over what was mentioned. If nothing is known, the mentioned
        year counts: a 1967 Mustang has no fuel injector. So do the make and model, if they determine the transmission.
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
        """Return the clues, excluding repairs to parts that no such car had in a given year."""
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
        """Return the clues with findings from explicit answers, which take precedence over what was read."""
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
    """The evidence that a chat or a consultation has gathered so far.

    ``questioned`` has the symptoms that are not asked about again. ``dangers`` stay until the chat ends. ``answered``
    has the symptoms that answers or photos have settled; the others were read from text. ``powertrain``,
    ``mileage``, ``make``, ``model`` and ``year`` are what was mentioned. ``concerns`` prevent an unrelated repair from
    being called safe to drive with. ``topics`` has a short complaint's topics. ``outside`` is the kind of vehicle if
    the book does not cover it.
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
    model: str | None = None

    def clues(self) -> Clues:
        """Return the input to a diagnosis of an unknown vehicle; see ``Clues.about`` for a known one."""
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
            model=self.model,
        )

    def with_mentions(
        self, mentions: Mentions, *, concerns: Iterable[str] = (), topics: Iterable[str] = ()
    ) -> "Evidence":
        """Return the evidence with facts that were mentioned; later facts replace earlier ones.

        A model belongs to the make that was mentioned with it, so another make replaces it too.
        """
        is_other_make = mentions.make not in {None, self.make}
        return evolve(
            self,
            concerns=tuple(dict.fromkeys((*self.concerns, *concerns))),
            powertrain=self.powertrain if mentions.powertrain is None else mentions.powertrain,
            mileage=self.mileage if mentions.mileage is None else mentions.mileage,
            make=self.make if mentions.make is None else mentions.make,
            model=mentions.model if is_other_make or mentions.model is not None else self.model,
            topics=tuple(dict.fromkeys((*self.topics, *topics))),
            year=self.year if mentions.year is None else mentions.year,
            outside=self.outside if mentions.outside is None else mentions.outside,
        )

    def with_answered(self, symptoms: Iterable[str]) -> "Evidence":
        """Return the evidence with symptoms that answers or photos have settled."""
        return evolve(self, answered=tuple(dict.fromkeys((*self.answered, *symptoms))))

    def with_findings(
        self,
        findings: Iterable[Finding] = (),
        codes: Iterable[str] = (),
        hints: Iterable[Hint] = (),
        dangers: Iterable[str] = (),
    ) -> "Evidence":
        """Return the evidence with new findings; later findings on a symptom and stronger hints for a repair win."""
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
    """Return the traits with a mentioned powertrain, unless it is already known."""
    return traits if traits.powertrain is not None else evolve(traits, powertrain=powertrain)


@frozen
class Reason:
    """A sentence about what speaks for or against a repair, and how strongly.

    ``weight`` is the change of the log-odds in bits: +1 doubles the odds, -1 halves them. A caution is what to know
    before paying for the repair; it is listed first, and its weight is 0.
    """

    text: str
    weight: float
    is_caution: bool = False


@frozen
class Candidate:
    """A repair with its probability, 0 to 1, and its reasons, weightiest first.

    The probabilities of all repairs add up to 1. ``stated`` is the calibrated confidence, or None without calibration:
    how often a repair of that probability was among the ones, possibly several, that a mechanic would check first.
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
        """Return the calibrated confidence, or the probability without calibration, in percent with one decimal."""
        return round(100 * (self.probability if self.stated is None else self.stated), 1)


@frozen
class Diagnosis:
    """The repairs that explain the clues, likeliest first.

    Args:
        candidates: all repairs that fit the vehicle; their probabilities add up to 1.
        enough: whether the first ones stand out enough to act on; otherwise, they are a first guess.
        entropy: the remaining uncertainty, in bits.
    """

    candidates: tuple[Candidate, ...]
    enough: bool
    entropy: float

    @property
    def likely(self) -> tuple[Candidate, ...]:
        """Return the few repairs that are likely enough to be listed."""
        best = self.candidates[:_MOST_LIKELY]
        return tuple(candidate for candidate in best if candidate.probability >= _LEAST_LIKELY)


@frozen
class SymptomQuestion:
    """A question that is worth asking. ``id`` is the symptom's slug; ``bits`` is the expected information.

    ``why`` is a sentence about the repairs that the answer distinguishes.
    """

    id: str
    text: str
    options: tuple[str, ...]
    bits: float
    why: str = ""


@frozen(kw_only=True)
class OpenQuestion:
    """A question to the user, as it was worded for them; its ``id`` is the slug of a symptom."""

    id: str
    text: str
    options: tuple[str, ...]
    why: str = ""

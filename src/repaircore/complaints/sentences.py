"""Split text into sentences of comparable words."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final, TypeAlias

from attrs import evolve, frozen

from repaircore.book.vocabulary import Vocabulary
from repaircore.complaints.lexicon import Lexicon
from repaircore.complaints.suppositions import Statement, split_statements
from repaircore.problems.typos import Speller
from repaircore.problems.words import stem, words

NOT: Final = "not"
"""The stem that replaces every negation, and every word for something that does not work."""

_SENTENCE: Final = re.compile(r"[.!?;]+(?=\s|$)|[\n\r]+")
_BRAKES_GONE: Final = re.compile(
    r"^\W*(?:(?:help|omg|suddenly|i|we|car|truck|van|it|my car|has|got|with)\W+)*(?:no|zero) (?:brakes|breaks)"
    r"(?: (?:at all|left|any ?more|whatsoever|now|today|tonight|suddenly|all of a sudden|help|please|this (?:morning|afternoon|evening)"
    r"|in my (?:car|truck|van)))*\W*(?:$|,)"
)
"""A sentence of only these words means that the brakes fail, not that they make no noise."""

_LIGHT: Final = r"(?:oil(?: pressure)?|battery|charging|check engine|engine|abs|airbag|brake|coolant|temp(?:erature)?|warning) (?:light|lamp)"
_DEAD: Final = (
    r"(?:not|out|dead|quit|stopped|stop|died|(?:don'?t|do not|doesn'?t|does not|didn'?t|won'?t|will not|aren'?t|ain'?t|never)"
    r" (?:even )?(?:work|working|come|coming|turn|light|lit|on|go on))\b"
)
_FLOOR: Final = r"(?:floor(?: ?(?:board|pan|mat|carpet))?|carpet)s?"
_LOUD: Final = (
    r"(?:exhaust\b[^.!?]{0,40}\bloud\b|\bloud\b[^.!?]{0,30}\bexhaust|sounds? like an? (?:race ?car|dragster|tank)"
    r"|\b(?:car|truck|van|suv|prius|hybrid|it) (?:is|got|was|sounds) (?:\w+ ){0,3}loud (?:all of a sudden|suddenly|when (?:i|it) starts?|at start ?up))"
)
_PARKED: Final = r"\b(?:parked|overnight|parking (?:lot|garage)|park and ride|fine (?:yesterday|last night)|yesterday it was fine|came out (?:to|this)|left it at the airport)\b"
_REWORDINGS: Final = (
    # What a stolen catalytic converter sounds like.
    (
        re.compile(rf"{_LOUD}[^\n]{{0,120}}?{_PARKED}|{_PARKED}[^\n]{{0,120}}?{_LOUD}"),
        r"exhaust loud loudparked. \g<0>",
    ),
    # All brake lights at once: their switch or fuse, not a bulb.
    (
        re.compile(
            r"\b(?:none|neither) of (?:the|my|our) (?:brake|stop) ?lights(?: (?:are|is))?(?: (?:on|work(?:s|ing)?|com(?:e|es|ing) on|lit|light up))?\b"
            r"|\b(?:no|zero) (?:working )?(?:brake|stop) ?lights\b(?! (?:on the |in the |on my )?(?:dash|cluster|trailer|fuse|bulb|switch))"
            rf"|\b(?:(?:all|both)(?: of)?(?: (?:the|my|our))? (?:brake|stop) ?lights?|(?<!of )(?<!of my )(?<!of the )(?<!other )(?<!some )(?:brake|stop) ?lights)"
            rf" (?:(?:are|is|have|has|just|all|both|completely|suddenly|at all|went) )*{_DEAD}"
        ),
        "brakelightsout",
    ),
    (
        re.compile(
            r"\bwipers?(?: (?:motor|arm|blade)s?)? (?:(?:just|suddenly|both|all|have|has|had|are|is|were|was|completely|totally|went) )*"
            r"(?:gave (?:out|up)|stuck|froze|(?:stopped|quit|died|dead|out)\b"
            r"|(?:don'?t|do not|doesn'?t|does not|didn'?t|won'?t|will not|not|aren'?t)(?: even)? (?:work(?:ing)?|mov(?:e|ing)|come on|turn on|go|run|start)\b"
            r"(?! (?:well|great|good|properly|right|on (?:high|low))))"
        ),
        r"\g<0> wipersdead",
    ),
    (
        re.compile(
            rf"(?<!of )(?<!of my )(?<!of the )\b(?:headlights|head lights) (?:(?:are|have|just|both|all|completely|suddenly|went|go|goes) )*{_DEAD}"
        ),
        r"\g<0> headlightsout",
    ),
    (
        re.compile(
            rf"\b{_FLOOR} (?:(?:under|by|near|at|on|below|around|my|the|his|her|passengers?|drivers?|side|seat|feet|foot|tunnel|in|of|car)(?:'s)? )*"
            r"(?:(?:is|are|it) )?(?:is|are|gets?|getting|got|feels?|becomes?|became|turns?) (?:(?:so|very|too|really|real|extremely|super|burning|pretty) )*(?:hot|burning)\b"
            r"(?! (?:air|from (?:the )?heat))"
            rf"|\b(?:hot|burning) {_FLOOR}\b(?! (?:vent|heat))"
        ),
        r"\g<0> hotfloor",
    ),
    (
        re.compile(
            r"\blug ?(?:nut|bolt)?s? (?:\w+ )?(?:won'?t|will not|wouldn'?t|can'?t|don'?t|are|is|got) (?:\w+ )?"
            r"(?:com(?:e|ing) (?:off|loose|out)|budge|loosen|turn|break loose|stuck|seized|frozen|rounded|rusted)\b"
        ),
        "stucknuts",
    ),
    (
        re.compile(
            r"\b(?:no|neither|lost) (?:reverse (?:and|or|nor) (?:drive|forward)|(?:drive|forward)s? (?:and|or|nor) reverse)\b"
        ),
        "not move",
    ),
    (
        re.compile(
            r"\breverse (?:gear )?(?:(?:is|has|just|suddenly|completely|totally) )*(?:gone|out|lost|dead|not working|stopped working|quit(?: working)?"
            r"|(?:doesn'?t|does not|won'?t|will not|don'?t) (?:work|engage|go|move))\b"
            r"|\b(?:no|lost|without|lost my) reverse\b(?! (?:camera|lights?|sensors?|or|nor))"
            r"|\b(?:won'?t|will not|doesn'?t|does not|can'?t|cannot|not|refuses to)(?: (?:go|going|shift|move|moving|engage|drive|get|back))*(?: in(?:to)?| up in)?"
            r" reverse\b(?! (?:camera|lights?|sensors?|or|nor|and))"
        ),
        "noreverse",
    ),
    # "No reverse, drive is fine": a clause of its own, so that it does not make the reverse gear fine.
    (
        re.compile(
            r"(?<=[^,.;!?])\s+(?=(?:drive|forward|(?:all )?(?:the )?(?:other|forward) gears?|everything else|the rest)"
            r" (?:is|are|works?|goes|go|seems?) (?:\w+ )?(?:fine|ok|okay|good|normal|great|perfect(?:ly)?|well)\b)"
        ),
        ", ",
    ),
    (
        re.compile(
            r"\b(?:slow|takes? (?:a )?(?:while|long(?: time)?|forever|(?:a )?few seconds|\w+ seconds)) (?:to|in|before it) "
            r"(?:go(?:es|ing)? in(?:to)?|get(?:s|ting)? in(?:to)?|engag(?:e|es|ing)|shift(?:s|ing)? in(?:to)?)\b"
        ),
        "delay gear",
    ),
    (re.compile(r"\b(in|to|into) n\b"), r"\g<1> neutral"),
    (
        re.compile(
            r"\b(?:starts?|fires?|started|cranks?)(?: (?:up|right up|fine|only|just|it|the car|if|when|i|put|shift|move|lever|shifter|it's|its))* (?:in|to|into) neutral\b"
            r"|\b(?:in|to) neutral,? (?:it |and it |then it )?(?:\w+ )?(?:starts?|fires?|cranks?)\b"
        ),
        "startneutral",
    ),
    (re.compile(r"\breverse,? (?:and |but )?nothing happen(?:s|ed)?\b"), "noreverse"),
    (
        re.compile(r"\bflat (?=roads?\b|surface|ground|highway|street|driveway|pavement|parking|land\b)"),
        "level ",
    ),
    (
        re.compile(
            rf"\b{_LIGHT}s? (?:(?:is|are|was|has been|now|stays|stayed|turned) )*(?:off\b(?! and on)"
            r"|(?:(?:is|was) )?(?:isn'?t|aren'?t|wasn'?t|not|never|hasn'?t) (?:(?:come|came|been|coming|even|yet) )*on\b)"
            r"|\b(?:ac|a/c|air conditioning) (?:(?:is|was) not|isn'?t|wasn'?t|not) (?:even )?on\b"
        ),
        " ",
    ),
    (
        re.compile(r"\b(?:thought|guess|theory|suspicion|fear|worry|bet)\s*(?::|\s-+\s)|\bi though\b"),
        "thought ",
    ),
    (re.compile(r"\bboil(?:s|ed)? down(?= to\b)"), "amounts"),
    (
        re.compile(
            r"\b(fine|ok|okay|normal|good|great|smooth|perfect|well)\b(?: [\w']+){0,3} warm(?:ed|s)? up\b"
        ),
        "fine",
    ),
    (re.compile(r"\bfailing (?=that\b|this\b|which\b)"), "without "),
    (
        re.compile(
            r"\bunder (?=control\b|warranty\b|\$?\d|(?:\w+ )?(?:acceleration|braking|boost|power|pressure|vacuum)\b)"
        ),
        "at ",
    ),
    (
        re.compile(
            r"\b(?:is|are|was) (?:it|this|that|these) (?:\w+ )?(?:normal|ok|okay|fine|good|healthy)\b"
        ),
        "wonder ",
    ),
    (
        re.compile(
            r"\b(?:no (?:idea|clue)|not sure|(?:don'?t|do not|doesn'?t|does not|didn'?t|did not|can'?t|cannot|couldn'?t)"
            r" (?:really |even )?(?:know|say|tell|see|explain|understand|remember|figure out|find out))"
            r" (?=(?:why|what|where|how|which)\b)"
        ),
        "wonder ",
    ),
)
"""Phrases that are reworded: brake lights that are all out, wipers that quit, a hot floor, a light that is off, a thought with a colon, an engine that is fine once it is warm,
"under" before something that is not a part of the vehicle, a question about whether something is normal, and "not" with
a verb such as "know"."""

_QUESTION_ANSWERED_NO: Final = re.compile(
    r"(?P<before>^|[.!?;\n])\s*(?P<question>[^.!?;\n]{3,60})\?+\s*(?:no|nope|nah|none|never|not really)\b"
    r"(?=\s*[,.!;\n]|\s*$|\s+(?:it|they|that|the|i|there|just|only)\b)[,.\s]*"
)
"""A question that its author answers in the negative."""

MARKERS: Final = frozenset(
    {
        "brakelightsout",
        "wipersdead",
        "headlightsout",
        "hotfloor",
        "stucknuts",
        "startneutral",
        "noreverse",
        "loudparked",
        "wonder",
        "amounts",
    }
)
"""Words that only rewording brings into a text."""

_UNIT: Final = re.compile(r"(?<=\d)(?=mph|psi|k\b)")
_TYPO_SIMILARITY: Final = 0.8
"""How similar a word must be to one in the lexicon to count as a typo of it: one edit in five letters."""
_SHORTEST: Final = 4


Phrase: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""Adjacent words, and the words that they are read as."""


@frozen
class Token:
    """A word in a sentence: as written, the stem that it is read as, the number of its clause, and its role there.

    ``supposed`` words are only feared or asked about: "this could lead to brake failure".
    """

    word: str
    stem: str
    clause: int = 0
    negates: bool = False
    excludes: bool = False
    fine: bool = False
    once: bool = False
    supposed: bool = False
    body: bool = False
    pain: bool = False


class SentenceReader:
    """Splits text into sentences of meaningful words, using a lexicon."""

    def __init__(self, lexicon: Lexicon, vocabulary: Vocabulary, known: AbstractSet[str]) -> None:
        """Index a lexicon and a vocabulary of everyday words; the stems in ``known`` are not typos."""
        self._negating, self._fine = _stems(lexicon.negating), _stems(lexicon.fine)
        self._without = _stems(lexicon.without)
        self._body, self._pain = _stems(lexicon.body), _stems(lexicon.pain)
        self._once = _stems(lexicon.once)
        self._clauses = lexicon.clauses
        self._alike = {stem(a): stem(b) for a, b in vocabulary.same.items()}
        self._alike |= {stem(other): stem(word) for word, others in lexicon.alike.items() for other in others}
        self._alike |= dict.fromkeys(self._negating | _stems(lexicon.broken), NOT)
        self._together = _by_beginning(lexicon.together)
        sayings = chain.from_iterable((*lexicon.said.values(), *lexicon.dangers.values()))
        said = " ".join(text.replace("/", " ") for text in sayings)
        heard = {stem(word) for word in words(said)} | self._alike.keys()
        self._filling = _stems(vocabulary.ignored)
        self._ignored = self._filling - heard - self._fine
        plain = _stems(
            vocabulary.ignored
            | lexicon.clauses
            | lexicon.plain
            | lexicon.together.keys()
            | lexicon.body
            | lexicon.pain
        )
        self._known = known | heard | plain | self._fine
        self._speller = Speller(heard)

    def sentences(self, text: str) -> Sequence[tuple[Token, ...]]:
        """Return the sentences in ``text``, without words that carry no meaning."""
        plain = _UNIT.sub(" ", text.casefold().replace("\u2019", "'"))
        for said, meant in _REWORDINGS:
            plain = said.sub(meant, plain)
        plain = _QUESTION_ANSWERED_NO.sub(r"\g<before> no \g<question>. ", plain)
        pieces = [_BRAKES_GONE.sub("brakefail ", piece) for piece in _SENTENCE.split(plain)]
        found = (tuple(self._sentence(each)) for each in split_statements(pieces))
        return [sentence for sentence in found if sentence]

    def is_informative(self, token: Token) -> bool:
        """Return whether a word on its own says something about a repair."""
        return token.stem not in self._filling

    def saying(self, text: str) -> tuple[frozenset[str], ...]:
        """Return the parts of a saying as sets of stems; one stem of each set must occur."""
        if "/" not in text:
            return tuple(frozenset({token.stem}) for token in self._joined(list(self._words(text))))
        return tuple(
            frozenset(
                token.stem for other in each.split("/") for token in self._joined(list(self._words(other)))
            )
            for each in text.split()
        )

    def _sentence(self, statements: Iterable[Statement]) -> Iterator[Token]:
        clause = 0
        for statement in statements:
            clause += statement.begins
            for token in self._joined(list(self._words(statement.text))):
                clause += token.word in self._clauses
                if token.stem not in self._ignored:
                    once = token.stem in self._once
                    yield evolve(token, clause=clause, once=once, supposed=statement.supposed)

    def _words(self, text: str) -> Iterator[Token]:
        for word in words(text):
            reading = stem(word)
            reading = reading if reading in self._known else self._corrected(reading)
            yield Token(
                word,
                reading,
                negates=reading in self._negating,
                excludes=reading in self._without,
                fine=reading in self._fine,
                body=reading in self._body,
                pain=reading in self._pain,
            )

    def _corrected(self, word: str) -> str:
        if len(word) < _SHORTEST:
            return word
        alike = self._speller.corrections(word)
        near = ((likeness, other) for other, likeness in alike.items() if other[0] == word[0])
        likeness, other = max(near, default=(0.0, word))
        return other if likeness >= _TYPO_SIMILARITY else word

    def _joined(self, tokens: Sequence[Token]) -> Iterator[Token]:
        at = 0
        while at < len(tokens):
            length, stems = self._phrase(tokens, at)
            if not stems:
                yield evolve(tokens[at], stem=self._alike.get(tokens[at].stem, tokens[at].stem))
            written = " ".join(token.word for token in tokens[at : at + length])
            for number, each in enumerate(stems):
                yield Token("" if number else written, self._alike.get(each, each), fine=each in self._fine)
            at += length

    def _phrase(self, tokens: Sequence[Token], at: int) -> tuple[int, tuple[str, ...]]:
        for phrase, stems in self._together.get(tokens[at].stem, ()):
            if tuple(token.stem for token in tokens[at : at + len(phrase)]) == phrase:
                return len(phrase), stems
        return 1, ()


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for text in texts for word in words(text))


def _by_beginning(together: Mapping[str, str]) -> Mapping[str, Sequence[Phrase]]:
    """Return the phrases by the stem of their first word, longest first."""
    by_beginning: dict[str, list[Phrase]] = {}
    for text, meant in together.items():
        phrase = tuple(map(stem, words(text)))
        by_beginning.setdefault(phrase[0], []).append((phrase, tuple(map(stem, words(meant)))))
    for phrases in by_beginning.values():
        phrases.sort(key=lambda each: -len(each[0]))
    return by_beginning

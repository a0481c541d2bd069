"""Statements that are not about a present fault: a fear, a question, a memory, hearsay, or another vehicle.

They trigger no warning. A sentence may have several statements, and what one only supposes, the next may assert.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from attrs import evolve, frozen

_SUPPOSED: Final = re.compile(
    r"^\W*(?:would|could|can|will|might|may)\b.*\bmake\b"
    r"|\b(?:could (?!smell|see|hear|feel|not\b|barely|hardly)|eventually|lead(?:s|ing)? to|prevent(?:s|ing)?|avoid(?:s|ing)?|whether"
    r"|in case|what (?:\w+ )?(?:happens|would happen)|(?:is|any|a|of|the) (?:\w+ )?(?:risk|danger|hazard) (?:of|when|if|in|from|to)|risk of|chance of|signs? of|is it possible|possibility|to fix an?"
    r"|(?:afraid|scared|worried|concerned|nervous|paranoid|fear)\b(?! (?:to|because|since|as)\b)"
    r"|(?:can|will|would|could|might|should) (?:an?|the|any|this|that|it|there|my|your)"
    r"|(?:would|will|can|could|may|might) (?:\w+ )?(?:cause|overheat|catch|fail|melt|result|damage|leak|lock|burn|snap|break|fall|blow|burst|explode|separate|seize)"
    r"|(?:won'?t|doesn'?t|does not|will not|didn'?t|did not|never) (?:\w+ )?(?:overheat|catch|fail|melt|lock|burn|leak)"
    r"|(?:before|so|until|keep|stop) (?:it|they|that|the \w+)(?: \w+)? (?:overheats?|fails?|melts?|catch(?:es)?|falls? off|comes? off)"
    r"|(?:from|without|not) (?:overheating|failing|catching|leaking|locking|burning|melting|falling)"
    r"|if (?:it|they|the \w+|your|my \w+)(?: \w+){0,2} (?:overheats?|fails?|catch(?:es)?|leaks?|locks?|gives?|falls?|comes?)|would i"
    r"|(?:check|look|test|inspect|search|watch)(?:ed|ing|s)? (?:\w+ )?for"
    r"|(?:stories|reports|rumou?rs?|complaints|history|issues) (?:of|about|like|with)|(?:have|i|i've) (?:heard|read) (?:that|about|of|on)|read on"
    r"|(?:replaced|changed|swapped|fixed|repaired)\b.{0,40}\bfor (?:an? )?(?:overheating|leaking|leaks?|smoke|smoking|steam)"
    r"|months? (?:ago|back)|in the past|back in (?:the|my|high|(?:19|20)\d\d|january|february|march|april|may|june|july|august)|before i bought"
    r"|in general|known (?:for|to|issue)|previous(?:ly)?|years? ago|last (?:year|summer|winter|spring|fall)|had an? \w+ (?:problem|issue|episode|incident)"
    r"|had (?:overheated|failed|leaked|caught|locked|lost|melted|burned|burnt)|used to (?!be|work|stop)"
    r"|turn(?:ed|s) out to|(?:another|other) (?:car|truck|vehicle|(?:guy|driver)'s)|(?:car|truck|vehicle) (?:in front|ahead|behind|next)"
    r"|(?:guy|man|woman|lady|driver|car|truck|suv|van|somebody|someone|person) (?:in front of|behind|next to|ahead of) (?:me|us)"
    r"|my old \w+ (?:overheated|failed|leaked|caught|locked|lost|melted|burned|burnt|died|blew)(?! (?:today|yesterday|again|on|while))"
    r"|only (?:when|if|while) (?:\w+ ){0,3}at (?:the|a) (?:gas|petrol|filling) station"
    r"|my (?:previous|last|former|other) (?:car|truck|van|suv|bike|one|jeep|ford|chevy|honda|toyota)"
    r"|(?:was|were|got|been|is now|they|shop|dealer|it'?s|i|we|he|and|then) (?:fixed|repaired|sorted|solved|cured|resolved)"
    r"|(?:gone|fine|great|good|ok|okay|nothing|never|not) (?:since|now|again|ever since)|went away|stays away|no longer"
    r"|thought|assum(?:e|ed|ing)|supposed(?:ly)?|suppose|imagine|let'?s say|hypothetical(?:ly)?|theoretically|in theory|potential(?:ly)?"
    r"|for example|such as|instead of|rather than|unless|rul(?:e|ed|ing) out|mak(?:e|ing) sure|ensure|(?:to )?see if|nothing to do with|unrelated"
    r"|(?:stopped|quit|no more|cured the|fixed the|solved the) (?:\w+ )?(?:overheating|leaking|smoking|burning|steaming|leaks?|smell|smoke|fumes)"
    r"|(?:cousin|friend|neighbou?r|buddy|co-?worker|colleague|uncle)'?s\b.{0,30}\b(?:had|fell|caught|failed|burned|burnt|blew|overheated|locked up)"
    r"|the old (?:one|\w+) (?:had )?(?:leaked|failed|overheated|broke|burned|burnt|caught)"
    r"|(?:curious|wonder(?:ed|ing)?|asked|want(?:ed)? to know)\b.{0,20}\b(?:how (?:low|high|hot|much|often|soon)|at (?:what|which))"
    r"|how (?:low|high|hot|often|soon)\b.*\b(?:before|until|till)"
    r"|(?:do|does|did|can|could|would|will|might|may|to) (?:\w+ ){0,4}result in"
    r"|had a feeling|suspected|(?:first|initial) (?:idea|guess)"
    r"|(?:manual|handbook|haynes|chilton|book|sticker) (?:\w+ )?(?:says|said|states|tells|calls|recommends|warns|mentions)"
    r"|according to|youtube|(?:on|in) (?:a|an|the|some|another|this|other|one) (?:\w+ )?(?:forums?|threads?|videos?|reddit)"
    r"|(?:posts?|threads?|reviews?|videos?|people|everyone|everybody|many|some|others|owners|someone|somebody|folks)"
    r" (?:\w+ )?(?:says?|said|claims?|claimed|wrote|reports?|reported|mentions?|mentioned)"
    r"|(?:threads?|posts?|questions?|articles?) (?:on|about)|recall (?:because|for|on|about|due)"
    r"|parts? ?(?:number|no\b|#)|wiring diagram|torque spec\w*"
    r"|where (?:can|do|could|to|should) (?:\w+ )?(?:buy|get|order|purchase|source)|(?:want|looking|like|trying) to (?:buy|order|purchase|source)"
    r"|(?:while|when) (?:i (?:was |am )?|we (?:were )?)?(?:bleeding|bled|remov(?:e|ed|ing)|disconnect(?:ed|ing)?|unbolt(?:ed|ing)?"
    r"|unscrew(?:ed|ing)?|loosen(?:ed|ing)?|drain(?:ed|ing)?|flush(?:ed|ing)?|(?:took|take|taking) (?:off|apart|out))(?! (?:the )?(?:\w+ )?cap\b)"
    r"|while (?:i (?:was |am )?)?(?:replacing|changing|installing|swapping|rebuilding|filling)|bleeder (?:screw|valve|nipple)?"
    r"|(?:engine|motor) (?:is|was|being) (?:already )?(?:out of (?:the|my)|apart)|on (?:the|an|my|a) (?:work ?bench|(?:engine )?stand|bench)"
    r"|anywhere (?:near|close)|the day|in the event|(?:ready|prepared?) for|at (?:what|which) (?:\w+ )?(?:would|do|does|can|should|is)"
    r"|(?:stops?|keeps?|prevents?) (?:\w+ ){1,3}from \w+ing|(?:as|like) (?:it|they) should"
    r"|mine (?:only|never)|once in (?:january|february|march|april|may|june|july|august|september|october|november|december))\b"
)
"""Phrases for what is feared, asked, remembered, already repaired, or about another car; they trigger no warning."""

_REPAIRED: Final = re.compile(
    r"\b(?:(?:i|we|they|shop|dealer|he|then|since|and|so|which) (?:then |have |has |had |since |just )?"
    r"(?:fixed|repaired|tightened|sorted|solved|cured|resolved) (?:it|them|that|this)"
    r"|turn(?:ed|s) out|no harm|gone (?:once|when|after) (?:i|we|you)|(?:gone|fine|great|good|ok|perfect|solid) (?:ever )?since|rock solid"
    r"|(?:never|not|hasn'?t|didn'?t) (?:happened|happen|come back|came back)(?! up)"
    r"|(?:is|are|works?|all) (?:good|fine|ok|okay|well) now|(?:no (?:more )?(?:trouble|problems?|issues?) since|since,? no (?:trouble|problems?|issues?))"
    r"|(?:smell|smoke|leak|light|fumes|noise|squeal|squeak|shake|vibration)s? (?:(?:is|was|has|are|all|now) )*gone|smelled (?:\w+ ){0,4}gone|recall (?:done|letter)"
    r"|had .{0,40}\bin (?:19|20)\d\d)\b",
)
"""Phrases that mean that the trouble is over, along with all that the sentence says before a "but"."""

_BUT: Final = re.compile(r"\b(?:but|still|however|yet|except|again)\b")

_STILL: Final = re.compile(
    r"\b(?=(?:now|today|tonight|yesterday|currently|recently|still|again|keeps|but|however|this (?:morning|week|evening)|and found (?!none|no\b|nothing))\b)"
)
"""Where a sentence returns to the present."""

_AND: Final = re.compile(
    r"\b(?=(?:and|then|so) (?:the|my|a|there|it|its|it's|now|smoke|flames?|gas|fuel|brakes?|steering|i|when)\b"
    r"|(?:what|why) (?:could|would|might|can|does|do) (?:cause |be |that be)?(?:this|that|it|these)\b)"
)
"""Where another statement begins, which is asserted even if the one before it is only supposed."""

_OWN: Final = (
    r"(?!.*\b(?:my|mine|i|i'?m|i'?ve|me|we|us|our|ours|this|these)\b)"
    r"(?!.*\b(?:is|are|keeps?) (?:\w+ )?(?:overheat|leak|smok|burn|steam|com|go|pour|fail|lock|sink|flash|blink)ing\b)"
)
"""Matches if neither the author's vehicle nor anything in progress is mentioned."""

_VEHICLES: Final = r"(?:cars?|vehicles?|trucks?|engines?|motors?|brakes?|motorcycles?|bikes?|hybrids?|evs|people|drivers?|discs?|drums?|wheels?|tires?)"
_GENERAL: Final = re.compile(
    # How does exhaust get into the cabin? Why does an engine overheat?
    rf"^{_OWN}.*\bhow (?:does|do|can|could|would)\b(?! (?:it|that)\b)"
    r"|^(?!.*\b(?:my|mine|i|i'?m|i'?ve|we|our|it|it'?s|is|are|keeps?|this|that)\b)"
    r"(?!.*\b(?:from|under|inside|into|in|of|off) (?:under )?the (?:dash|dashboard|hood|cabin|vents?|car|truck|engine|wheels?|tank)\b)"
    r"(?!.*(?<!cause )(?<!causes )\b(?:overheat|leak|smok|burn|steam|com|go|pour|fail|lock|sink|flash|blink)ing\b).*"
    r"\b(?:how|why|when|what|which|where)\b.{0,40}\b(?:do|does|would|can|could|might|will|cause)\b"
    # Can an engine overheat without a fan?
    rf"|^{_OWN}.*\b(?:how|why|when|what|which|where|do|does|can|could|will|would|is|are|if)\b.*(?<!have )(?<!has )(?<!had )(?<!got )(?<!with )"
    rf"(?<!bought )(?<!drive )(?<!own )(?<!like )\b(?:an?|any|most|some|every|each) (?:\w+ )?{_VEHICLES}\b"
    r"(?! (?:lights?|lamp|mounts?|bay|codes?|noise|smell|temp\w*|oil|coolant|warning))"
    # Old cars overheated. Do drum brakes overheat? What makes brakes fail?
    rf"|^{_OWN}\W*(?:(?:and|but|so|because|since) )?(?:(?:some|most|many|all|old|older|modern|new|newer|electric|race|diesel|hybrid|two|other) )*"
    r"(?:cars|vehicles|engines|trucks|motorcycles|people|drivers|hybrids|evs)\b(?! (?:is|in|on|at|behind|honk))"
    rf"|^{_OWN}\W*(?:why |when |how |what )?(?:do|does|can|could|would|will|makes?|causes?) (?!the )(?:\w+ )?{_VEHICLES}\b(?! (?:lights?|fluid|pedals?))"
)
"""A question about how things work, or a statement about vehicles in general rather than the author's."""

_CLAUSE: Final = re.compile(r"[,:()]+|\s-+\s")
_RELATIVE: Final = re.compile(r"\s*(?:which|who|so that|causing|leading|resulting)\b")
"""Beginnings of a clause that continues the one before: "what happens when a pump stops, which ends in overheating"."""

_REPLACED: Final = (
    r"(?:replaced|installed|repaired|fixed|rebuilt|swapped|changed|exchanged|tightened|put (?:in|on) (?:an?|new|the|another)"
    r"|put (?:new|an?|another) [^.]{0,30}\b(?:in|on))\b"
)
_WAS: Final = re.compile(
    r"\b(?:was|were|had|overheated|failed|leaked|locked|smoked|boiled|steamed|fell|came (?:off|on|out|from|loose)|went|snapped|sheared|burst|blew"
    r"|lost|caught|started|began|flashed|sank|broke)\b"
)
_IS: Final = re.compile(
    r"\b(?:is|are|am|isn'?t|aren'?t|it'?s|there'?s|keeps?|gets?|goes|does|doesn'?t|don'?t|won'?t|can'?t|still|again|now|whenever"
    r"|overheats|leaks|drips|smokes|smells|stinks|burns|boils|steams|locks|sticks|fails|sinks|drops|flashes|blinks|pours|sprays|wobbles"
    r"|(?:when|if) (?:it|the|you)|when i (?!was|bought|got|had|drove|found|came|went|\w+ed)|every time|sometimes|often|always|comes?|have|has|today|tonight)\b"
)
_REPAIRS: Final = re.compile(
    rf"^(?!.*\b(?:not|never|haven'?t|hasn'?t|didn'?t|needs?|should|could|must|will|would|to be|going to|ago|last|before|earlier|already|recently"
    rf"|previously|just|this|yesterday|oil|filters?|cleaner|additive|bulbs?|fuses?|had (?:\w+ ){{0,4}}(?:put|{_REPLACED})"
    r"|in (?:(?:19|20)\d\d|spring|summer|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december))\b)"
    rf"(?:.*\b{_REPLACED}|\W*(?:and |then |after )?(?:a )?new \w+)"
)
_LASTS: Final = re.compile(
    r"\b(?:still|again|persist\w*|continu\w*|keeps?|same|(?:did|does)(?:n'?t| not) (?:help|fix|solve|work|change)|no (?:luck|change|difference|help|avail|better)"
    r"|(?:came|comes?|is|are) back|return(?:s|ed)|remains?|not (?:help|fixed|solved|gone))\b"
)
"""Phrases that mean that a repair did not help."""


@frozen
class Statement:
    """A statement, whether it begins a clause, and whether it is only supposed."""

    text: str
    begins: bool
    supposed: bool = False


def split_statements(sentences: Sequence[str]) -> list[list[Statement]]:
    """Return the statements of each sentence."""
    split = [_statements_in(sentence) for sentence in sentences]
    over = iter(_are_past(list(chain.from_iterable(split))))
    return [
        [evolve(each, supposed=next(over) or each.supposed) for each in statements] for statements in split
    ]


def _are_past(statements: Sequence[Statement]) -> list[bool]:
    """Return, for each statement, whether it is about a past problem that a repair solved.

    The text then moves on: after "It overheated. I replaced the thermostat. The heater is cold", nothing overheats now.
    A repair at the end of the text may not have helped.
    """
    spoken = [number for number, statement in enumerate(statements) if statement.text.strip()]
    repairing = [number for number in spoken[:-1] if _REPAIRS.search(statements[number].text)]
    lasting = max((number for number in spoken if _LASTS.search(statements[number].text)), default=-1)
    last = max(repairing, default=-1)
    return [
        lasting < number < last
        and _WAS.search(statement.text) is not None
        and _IS.search(statement.text) is None
        for number, statement in enumerate(statements)
    ]


def _statements_in(sentence: str) -> list[Statement]:
    general = _GENERAL.search(sentence) is not None
    split = list(_split(sentence))
    stated: list[Statement] = []
    for number, (turns, begins, text) in enumerate(split):
        rest = " ".join(" ".join(each for _, _, each in split[number:]).split())
        repaired = not turns and _REPAIRED.search(_BUT.split(rest, maxsplit=1)[0]) is not None
        follows = bool(stated) and stated[-1].supposed and _RELATIVE.match(text) is not None
        supposed = general or repaired or follows or _SUPPOSED.search(text) is not None
        stated.append(Statement(text, begins, supposed))
    return stated


def _split(text: str) -> Iterator[tuple[bool, bool, str]]:
    """Yield whether each statement of a sentence returns to the present, whether it begins a clause, and its text."""
    for piece in _CLAUSE.split(text):
        turned, begins = False, True
        for number, part in enumerate(_STILL.split(piece)):
            turned = turned or number > 0 or _STILL.match(part) is not None
            for statement in _AND.split(part):
                yield turned, begins, statement
                begins = False

"""How owners tell of symptoms, read from the shipped list."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

from repaircore.complaints.lexicon import Lexicon

_LIST: Final = "symptom_words.toml"


@cache
def lexicon() -> Lexicon:
    """Read how owners tell of symptoms.

    Raises:
        KeyError, ValueError: the list is not as it should be (a contributor's mistake; the tests find it).
    """
    page = tomllib.loads((files("repaircore.data") / _LIST).read_text("utf-8"))
    words = {name: frozenset(text.split()) for name, text in page["words"].items()}
    return Lexicon(
        negating=words["not"],
        without=words["without"],
        once=words["once"],
        broken=words["broken"],
        fine=words["fine"],
        clauses=words["clause"],
        plain=words["plain"],
        together=page["together"],
        alike={word: frozenset(others.split()) for word, others in page["alike"].items()},
        asked={slug: entry["ask"] for slug, entry in page["symptom"].items()},
        said={slug: tuple(entry["said"]) for slug, entry in page["symptom"].items()},
        clears={slug: tuple(entry.get("clears", ())) for slug, entry in page["symptom"].items()},
        rules_out={slug: tuple(entry.get("rules_out", ())) for slug, entry in page["symptom"].items()},
        dangers={name: tuple(said) for name, said in page["danger"].items()},
    )

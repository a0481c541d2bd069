"""The words that owners use for repairs and symptoms."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from repaircore.adapters.shipped.book import symptoms
from repaircore.book.vocabulary import Vocabulary
from repaircore.complaints.lexicon import Lexicon
from repaircore.complaints.spanish import Glossary

_SYNONYMS: Final = "synonyms.toml"
_SPANISH: Final = "synonyms_es.toml"
_SYMPTOM_WORDS: Final = "symptom_words.toml"
_SPANISH_COMPLAINTS: Final = "spanish_complaints.toml"


@cache
def vocabulary() -> Vocabulary:
    """Read the words that owners use.

    Raises:
        KeyError, ValueError: the list is malformed (a contributor's mistake, which the tests find).
    """
    page, spanish = _page(_SYNONYMS), _page(_SPANISH)
    phrases = {**spanish["meanings"], **page["meanings"]}
    return Vocabulary(
        symptoms=symptoms(),
        ignored=frozenset(page["ignored"].split()) | frozenset(spanish["ignored"].split()),
        same=page["same"],
        misspelled={**page["misspelled"], **page["spelled"]},
        meanings={words: tuple(meanings) for words, meanings in phrases.items()},
    )


@cache
def lexicon() -> Lexicon:
    """Read how owners describe symptoms.

    Raises:
        KeyError, ValueError: the list is malformed (a contributor's mistake, which the tests find).
    """
    page = _page(_SYMPTOM_WORDS)
    words = {name: frozenset(text.split()) for name, text in page["words"].items()}
    return Lexicon(
        negating=words["not"],
        without=words["without"],
        once=words["once"],
        broken=words["broken"],
        fine=words["fine"],
        clauses=words["clause"],
        plain=words["plain"],
        spellings=_page(_SYNONYMS)["spelled"],
        together=page["together"],
        alike={word: frozenset(others.split()) for word, others in page["alike"].items()},
        questions={slug: entry["ask"] for slug, entry in page["symptom"].items()},
        said={slug: tuple(entry["said"]) for slug, entry in page["symptom"].items()},
        clears={slug: tuple(entry.get("clears", ())) for slug, entry in page["symptom"].items()},
        rules_out={slug: tuple(entry.get("rules_out", ())) for slug, entry in page["symptom"].items()},
        confirm_first={
            slug: tuple(entry.get("confirm_first", ())) for slug, entry in page["symptom"].items()
        },
        check_first={slug: tuple(entry.get("check_first", ())) for slug, entry in page["symptom"].items()},
        usual={slug: tuple(entry["usual"]) for slug, entry in page["symptom"].items() if "usual" in entry},
        whole=frozenset(slug for slug, entry in page["symptom"].items() if entry.get("whole")),
        covers={slug: tuple(entry.get("covers", ())) for slug, entry in page["symptom"].items()},
        body=words["body"],
        pain=words["pain"],
        dangers={name: tuple(phrases) for name, phrases in page["danger"].items()},
        spanish=_glossary(),
    )


def _glossary() -> Glossary:
    page = _page(_SPANISH_COMPLAINTS)
    return Glossary(
        phrases=page["phrases"],
        grammar=frozenset(page["grammar"].split()),
        english=frozenset(page["english"].split()),
    )


def _page(name: str) -> dict[str, Any]:
    return tomllib.loads((files("repaircore.data") / name).read_text("utf-8"))

"""What owners say, beside what the book says."""

from collections.abc import Mapping

from attrs import frozen


@frozen(kw_only=True)
class Vocabulary:
    """Words of everyday speech, as a search knows them. All of them may be given in any form (see ``words``).

    Args:
        symptoms: what each symptom's slug is called.
        ignored: words that say nothing about a repair.
        same: maps a word to another spelling of it: ``tyre``, ``tire``.
        misspelled: maps a word that people type to the one that they mean, although the book may mean it as
            it stands: ``break``, ``brake``.
        meanings: maps what owners say, a word or several, to what the book calls it; each is one possible
            meaning: ``tranny``, ``("transmission",)``.
    """

    symptoms: Mapping[str, str]
    ignored: frozenset[str]
    same: Mapping[str, str]
    misspelled: Mapping[str, str]
    meanings: Mapping[str, tuple[str, ...]]


NO_VOCABULARY = Vocabulary(symptoms={}, ignored=frozenset(), same={}, misspelled={}, meanings={})
"""Nobody's words: only the book's own are found."""

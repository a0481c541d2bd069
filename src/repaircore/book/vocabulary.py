"""The words of owners, in addition to those of the book."""

from collections.abc import Mapping

from attrs import frozen


@frozen(kw_only=True)
class Vocabulary:
    """Words of everyday speech for a search, in any form (see ``words``).

    Args:
        symptoms: the names of symptoms by slug.
        ignored: words without a meaning for repairs.
        same: maps a word to another spelling of it: ``tyre``, ``tire``.
        misspelled: maps a word that people type to the intended one, although the book may use the former:
            ``break``, ``brake``.
        meanings: maps words of owners, one or several, to those of the book; each is one possible
            meaning: ``tranny``, ``("transmission",)``.
    """

    symptoms: Mapping[str, str]
    ignored: frozenset[str]
    same: Mapping[str, str]
    misspelled: Mapping[str, str]
    meanings: Mapping[str, tuple[str, ...]]


NO_VOCABULARY = Vocabulary(symptoms={}, ignored=frozenset(), same={}, misspelled={}, meanings={})
"""No words of owners: a search finds only the book's own words."""

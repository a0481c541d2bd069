"""The words that owners use, in addition to those of the book."""

from collections.abc import Mapping

from attrs import frozen


@frozen(kw_only=True)
class Vocabulary:
    """Everyday words that a search understands, in any form (see ``words``).

    Args:
        symptoms: the names of symptoms by slug.
        ignored: words that mean nothing for repairs.
        same: maps a word to another spelling of it: ``tyre`` to ``tire``.
        misspelled: maps a word that people type to the one they mean, even if the book also uses the former:
            ``break`` to ``brake``.
        meanings: maps one or more words that owners use to the words of the book that they may mean:
            ``tranny`` to ``("transmission",)``.
    """

    symptoms: Mapping[str, str]
    ignored: frozenset[str]
    same: Mapping[str, str]
    misspelled: Mapping[str, str]
    meanings: Mapping[str, tuple[str, ...]]


NO_VOCABULARY = Vocabulary(symptoms={}, ignored=frozenset(), same={}, misspelled={}, meanings={})
"""An empty vocabulary, with which a search finds only the book's own words."""

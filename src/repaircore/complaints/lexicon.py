"""How owners tell of symptoms."""

from collections.abc import Mapping

from attrs import Factory, frozen


@frozen(kw_only=True)
class Lexicon:
    """Words and sayings. All of them may be given in any form of the word.

    Args:
        negating: words that say no.
        without: those of them that say of what follows that it is not there: ``no leaks``.
        once: words for what is noticed, a noise say: each tells of one symptom only.
        broken: words that say that something does not work; in a saying they are the same as a no.
        fine: words that say that something is well.
        clauses: words that begin another clause.
        plain: words that are no typing errors, although they look like one.
        together: maps words that stand side by side to what they are read as.
        alike: maps a word to those that mean the same.
        asked: maps a symptom's slug to the question that is asked after it.
        said: maps a symptom's slug to its sayings: words that must all be said near one another, in any order;
            ``a/b`` is either.
        rules_out: maps a symptom's slug to those that are not there when it is told of and they are not.
        clears: maps a symptom's slug to the repairs, by theirs, of what must be in order for it to show.
        dangers: maps what the driver must be warned of to its sayings; ``none`` is what only sounds like it.
    """

    negating: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    fine: frozenset[str] = frozenset()
    clauses: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    together: Mapping[str, str] = Factory(dict)
    alike: Mapping[str, frozenset[str]] = Factory(dict)
    asked: Mapping[str, str] = Factory(dict)
    said: Mapping[str, tuple[str, ...]] = Factory(dict)
    rules_out: Mapping[str, tuple[str, ...]] = Factory(dict)
    clears: Mapping[str, tuple[str, ...]] = Factory(dict)
    dangers: Mapping[str, tuple[str, ...]] = Factory(dict)

"""The words and sayings of owners for symptoms."""

from collections.abc import Mapping

from attrs import Factory, frozen

from repaircore.complaints.spanish import NO_SPANISH, Glossary


@frozen(kw_only=True)
class Lexicon:
    """Words and sayings, each in any form of the word.

    Args:
        negating: words that negate.
        without: negating words that deny the presence of what follows: ``no leaks``.
        once: words for an observation, such as a noise: each belongs to one symptom only.
        broken: words for something that does not work; in a saying they are the same as a negation.
        fine: words for something that works well.
        clauses: words that begin another clause.
        plain: words that look like typos but are not.
        spellings: maps a word in an informal spelling to the usual one.
        together: maps adjacent words to their reading.
        alike: maps a word to its synonyms.
        questions: maps a symptom's slug to the question about it.
        said: maps a symptom's slug to its sayings: words that must all occur near one another, in any order;
            ``a/b`` is either.
        rules_out: maps a symptom's slug to those that its mention alone rules out.
        clears: maps a symptom's slug to the slugs of repairs of parts that must work for it to show.
        confirm_first: maps a symptom's slug to the slugs of sensors that are replaced only after its warning proved false.
        check_first: maps a symptom's slug to the slugs of repairs that a mechanic begins with.
        usual: maps a symptom's slug to the slugs of its usual causes, in the order to check them if nothing else is known.
        whole: slugs of symptoms whose words mean something only together, so that single words are not hints.
        covers: maps a symptom's slug to less exact ones, which are not asked about when it is present.
        body: words for parts of the human body.
        pain: words for pain; with one for the body in a clause they are about the driver, not about the vehicle.
        dangers: maps a danger to its sayings; those of ``none`` only sound like a danger.
        spanish: English for Spanish complaints.
    """

    negating: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    fine: frozenset[str] = frozenset()
    clauses: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    spellings: Mapping[str, str] = Factory(dict)
    together: Mapping[str, str] = Factory(dict)
    alike: Mapping[str, frozenset[str]] = Factory(dict)
    questions: Mapping[str, str] = Factory(dict)
    said: Mapping[str, tuple[str, ...]] = Factory(dict)
    rules_out: Mapping[str, tuple[str, ...]] = Factory(dict)
    clears: Mapping[str, tuple[str, ...]] = Factory(dict)
    confirm_first: Mapping[str, tuple[str, ...]] = Factory(dict)
    check_first: Mapping[str, tuple[str, ...]] = Factory(dict)
    usual: Mapping[str, tuple[str, ...]] = Factory(dict)
    whole: frozenset[str] = frozenset()
    covers: Mapping[str, tuple[str, ...]] = Factory(dict)
    body: frozenset[str] = frozenset()
    pain: frozenset[str] = frozenset()
    dangers: Mapping[str, tuple[str, ...]] = Factory(dict)
    spanish: Glossary = NO_SPANISH

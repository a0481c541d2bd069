"""The words and phrases that owners use for symptoms."""

from collections.abc import Mapping

from attrs import Factory, frozen

from repaircore.complaints.spanish import NO_SPANISH, Glossary


@frozen(kw_only=True)
class Lexicon:
    """Words and phrases ("sayings"); every form of a word counts.

    Args:
        negating: words that negate.
        without: negating words that deny the presence of what follows: ``no leaks``.
        once: words for an observation, such as a noise; in a sentence, each counts for one symptom only.
        broken: words for something that does not work; in a saying, they count as a negation.
        fine: words for something that works well.
        clauses: words that begin a new clause.
        plain: words that look like typos but are not.
        spellings: maps informal spellings of words to the usual ones.
        together: maps adjacent words to what they mean together.
        alike: maps a word to its synonyms.
        questions: maps a symptom's slug to the question about it.
        said: maps a symptom's slug to its sayings: words that must all occur near one another, in any order;
            ``a/b`` stands for either word.
        rules_out: maps a symptom's slug to the slugs of symptoms that its mere mention rules out.
        clears: maps a symptom's slug to the slugs of repairs to parts that must work for the symptom to occur.
        confirm_first: maps a warning's slug to the slugs of sensor replacements that are needed only if the
            warning proves false.
        check_first: maps a symptom's slug to the slugs of the repairs that a mechanic considers first.
        usual: maps a symptom's slug to the slugs of its usual causes, in the order to check them if nothing else is
            known.
        whole: slugs of symptoms whose words mean something only together, so single words are not hints.
        covers: maps a symptom's slug to the slugs of less specific ones, not asked about if it is present.
        body: words for parts of the human body.
        pain: words for pain; together with one of ``body``, a clause is about the driver, not about the vehicle.
        dangers: maps a danger's name to its sayings; those under ``none`` only sound like a danger.
        spanish: the glossary for complaints in Spanish.
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

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.problems.words import LONGEST, stem, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Car won't start!", ("car", "wont", "start")),
        ("the A/C, and a/c", ("the", "ac", "and", "ac")),
        ("U-Joint; 30,000-Mile", ("u", "joint", "30", "000", "mile")),
        ("Citroën", ("citroen",)),
        ("won\u2019t", ("wont",)),
        ("  \x00 \n%", ()),
    ],
)
def test_text_is_split_into_bare_words(text: str, found: tuple[str, ...]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    "forms",
    [
        "leak leaks leaking leaky leaked",
        "brake brakes braking",
        "noise noises noisy",
        "squeal squeals squealing squealed",
        "slip slips slipping slipped",
        "replace replacement replacing replaced",
        "battery batteries",
        "calibrate calibration calibrating",
        "bounce bouncy bouncing",
        "tire tires",
        "bearing bearings",
        "spring springs",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "different",
    ["gas gauge", "seat seal", "tire tie", "fuel full", "brake break", "wire wiper", "red ring"],
)
def test_different_words_have_different_stems(different: str) -> None:
    one, other = different.split()

    assert stem(one) != stem(other)


@pytest.mark.parametrize("word", ["gas", "p0455", "5w30", "ac", "4x4"])
def test_short_words_and_codes_are_left_alone(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        # Plurals: three letters before "ies" make it a plural of "y".
        ("buses", "bus"), ("bus", "bus"), ("glass", "glas"), ("axis", "axis"), ("ties", "tie"), ("bodies", "body"),
        ("pumps", "pump"), ("skies", "ski"),
        # An ending is removed if three letters with a vowel remain; four for "ion" and "y".
        ("aged", "aged"), ("rated", "rat"), ("belted", "belt"), ("freed", "freed"), ("shed", "shed"),
        ("fusion", "fusion"), ("erosion", "eros"), ("lion", "lion"), ("station", "stat"), ("onion", "onion"), ("cement", "cement"),
        ("alignment", "align"), ("dirty", "dirt"), ("key", "key"), ("play", "play"), ("shiny", "shin"), ("tiny", "tiny"),
        ("string", "string"), ("seeing", "see"), ("tire", "tir"), ("ooze", "ooz"), ("wee", "wee"), ("dryed", "dry"),
        # A second "e" is removed, too, but not from three letters.
        ("movement", "mov"), ("agreement", "agre"),
        # Consonants are halved after more than three letters, vowels never.
        ("slipping", "slip"), ("pulling", "pul"), ("falls", "fal"), ("eggs", "egg"), ("agree", "agr"), ("igloo", "igloo"),
    ],
)  # fmt: skip
def test_stem_is_the_word_without_plural_and_ending(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


def test_long_words_are_truncated() -> None:
    assert words(f"{'x' * LONGEST} {'y' * (LONGEST + 1)}") == ("x" * LONGEST, "y" * LONGEST)


@given(st.text())
def test_every_word_is_short_and_plain(text: str) -> None:
    for word in words(text):
        assert word.isascii()
        assert 0 < len(word) <= LONGEST
        assert 0 < len(stem(word)) <= len(word)

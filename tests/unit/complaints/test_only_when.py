import pytest

from repaircore.complaints.only_when import without_only_conditions


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("It shakes only when I brake from highway speed", "It shakes "),
        ("it only shakes when braking, never otherwise", "it shakes , never otherwise"),
        ("Only squeals while the AC is on. No codes.", "squeals . No codes."),
        ("vibrates ONLY above 60 mph", "vibrates "),
        ("Shakes only when I brake and drives fine otherwise", "Shakes and drives fine otherwise"),
        ("only shakes when I brake but is fine on the highway", "shakes but is fine on the highway"),
        ("it shakes only when I brake and turn", "it shakes "),
    ],
)
def test_only_condition_is_removed_and_what_happens_stays(text: str, rest: str) -> None:
    assert without_only_conditions(text) == rest


@pytest.mark.parametrize(
    "text",
    [
        "it shakes when I brake",
        "it shakes not only when I brake",
        "the noise only goes away when I brake",
        "it only works if I tap on it",
        "only one window works",
        "It doesn't only shake when I brake",
        "Not  only when I brake",
        "It only gets better when I brake and turn",
        "We only noticed it when the mechanic was under the car",
        "it only, I think, shakes when I brake",
    ],
)
def test_text_without_an_only_condition_stays(text: str) -> None:
    assert without_only_conditions(text) == text

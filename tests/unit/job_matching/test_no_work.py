"""Lines that are not repairs, or repairs that were not done."""

import pytest

from repaircore.job_matching.no_work import is_no_work


@pytest.mark.parametrize(
    ("text", "is_none"),
    [
        ("next oil change due at 91,000", True),
        ("diag 1.0 hr", True),
        ("diagnostic fee", True),
        ("diag", False),
        ("brakes tested ok", True),
        ("replace battery tested ok", False),
        ("brakes noisy, tested ok", False),
        ("declined front struts", True),
        ("Cust. declined", True),
        ("replaced pads, declined rotors", False),
        ("replaced pads but declined rotors", False),
        ("declined to have rotors replaced", True),
        ("rotation n/c", True),
        ("rotated tires, pads n/c", False),
        ("replaced pads n/c", True),
        ("replaced shop supplies", True),
        ("replaced bracket", False),
        ("replaced module. road test ok", False),
        ("road test ok. replaced module", False),
        ("road test ok, replaced module sublet", True),
        ("cleaned floor mats", True),
        ("recommend front struts", True),
        ("c/s clunk from rear", True),
        ("c/s losing coolant - pressure test", False),
        ("c/s losing coolant - flush", False),
        ("c/s losing coolant pressure test", True),
        ("shop supplies", True),
        ("towed in", True),
        ("tow hitch", False),
        ("waiting", True),
        ("bracket", False),
        ("shop suplies", True),
        ("miscellanoeus", True),
        ("mixcellaneous", False),
        ("freigth", True),
        ("freikht", False),
        ("freig", False),
        ("customer’s n/c", True),
    ],
)
def test_line_without_a_repair_is_no_work_if_it_is_a_charge_or_a_remark(text: str, *, is_none: bool) -> None:
    assert is_no_work(text, names_repair=False) is is_none


@pytest.mark.parametrize(
    ("text", "is_none"),
    [
        ("battery fee", True),
        ("front brake pads fee", True),
        ("front brake pads - 4 x a fee", True),
        ("front brake pads labor fee", False),
        ("towed battery", True),
        ("battery waiting", False),
        ("battery", False),
        ("replaced battery fee", False),
        ("replaced battery, core charge", False),
        ("recommend battery", True),
        ("battery declined", True),
    ],
)
def test_line_with_a_repair_is_no_work_only_if_it_is_a_short_charge(text: str, *, is_none: bool) -> None:
    assert is_no_work(text, names_repair=True) is is_none


@pytest.mark.parametrize(
    ("text", "says_anything", "is_none"),
    [
        ("", False, True),
        ("replaced", False, True),
        ("resurfaced both rotors", False, False),
        ("turned the rotors", False, False),
        ("turned the rotors", True, False),
        ("next visit turn both rotors", True, True),
        ("next visit turn both rotors", False, False),
    ],
)
def test_line_that_says_nothing_is_no_work_unless_rotors_are_machined(
    text: str, *, says_anything: bool, is_none: bool
) -> None:
    assert is_no_work(text, names_repair=False, says_anything=says_anything) is is_none

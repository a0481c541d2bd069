import pytest

from repaircore.facilities.zip_code import zip5


@pytest.mark.parametrize("text", ["90210", "90210-1234"])
def test_both_forms_give_the_five_digits(text: str) -> None:
    assert zip5(text) == "90210"


@pytest.mark.parametrize(
    "text",
    ["", "9021", "902101", "90210-1", "90210-12345", "902101234", " 90210", "90210\n", "٩٠٢١٠", "K1A0B1"],
)
def test_any_other_form_is_not_a_zip_code(text: str) -> None:
    assert zip5(text) is None

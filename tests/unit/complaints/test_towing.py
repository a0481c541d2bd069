import pytest

from repaircore.complaints.towing import (
    JUMP_START,
    JUMPED_IN_VAIN,
    NO_START,
    STARTS_AGAIN,
    TOW,
    TOW_IT_CRANKS,
    TOW_IT_STAYS,
    WAIT,
    towing,
)


@pytest.mark.parametrize(
    ("present", "advice"),
    [
        ({NO_START}, JUMP_START),
        ({"engine-cranks-no-start"}, TOW_IT_CRANKS),
        ({NO_START, STARTS_AGAIN}, WAIT),
        ({"engine-cranks-no-start", STARTS_AGAIN}, WAIT),
        ({STARTS_AGAIN}, None),
        ({"transmission-no-move", NO_START, STARTS_AGAIN}, TOW_IT_STAYS),
        (set(), None),
    ],
)
def test_towing_depends_on_whether_it_starts_again(present: set[str], advice: str | None) -> None:
    assert towing(present, stop=False) == advice


def test_failed_jump_start_outweighs_an_earlier_start() -> None:
    assert towing({NO_START, STARTS_AGAIN, JUMPED_IN_VAIN}, stop=False) != WAIT


def test_stop_outweighs_everything() -> None:
    assert towing({NO_START, STARTS_AGAIN}, stop=True) == TOW

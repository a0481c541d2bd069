"""Which parts of recorded examples change."""

from typing import Any

from tests.http.recorded import steady

NOTE: dict[str, Any] = {
    "path": {"note": "01a21f18-47b2-76c5-ab35-18635553dee3"},
    "response": {"reference": "DG-20260102-MP9CD6", "text": "Squeaks.", "reset_at": 1_795_795_607},
}


def test_example_that_differs_only_in_random_parts_is_kept() -> None:
    again = {
        "path": {"note": "01a21dc1-30e3-76a2-8811-1af4d07cfc73"},
        "response": {"reference": "DG-20260102-3DK6RV", "text": "Squeaks.", "reset_at": 1_795_818_087},
    }

    assert steady({"notes.show": NOTE}, {"notes.show": again}) == {"notes.show": NOTE}


def test_changed_example_keeps_its_ids_and_an_orphan_is_removed() -> None:
    again = {
        "path": {"note": "01a21dc1-30e3-76a2-8811-1af4d07cfc73"},
        "response": {"reference": "DG-20260102-3DK6RV", "text": "Rattles.", "is_read": False},
    }

    assert steady({"notes.show": NOTE, "notes.gone": NOTE}, {"notes.show": again}) == {
        "notes.show": {
            "path": NOTE["path"],
            "response": {"reference": "DG-20260102-MP9CD6", "text": "Rattles.", "is_read": False},
        }
    }


def test_changed_long_word_is_updated() -> None:
    before = {"repairs.show": {"slug": "control-arm-front-lower", "ref": "ride_06dw9k0q1wfm7cn02p5vvmfwv4"}}
    after = {"repairs.show": {"slug": "brake-master-cylinder", "ref": "ride_01m8fmtc46en2bgbg4n9m9sg3a"}}

    assert steady(before, after) == {
        "repairs.show": {"slug": "brake-master-cylinder", "ref": "ride_06dw9k0q1wfm7cn02p5vvmfwv4"}
    }

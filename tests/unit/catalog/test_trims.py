import pytest

from repaircore.catalog.trims import single_trims


@pytest.mark.parametrize(
    ("text", "trims"),
    [
        ("L/LE/SE/XLE", ["L", "LE", "SE", "XLE"]),
        ("LX or SE", ["LX", "SE"]),
        ("EX-L, EX-V6", ["EX-L", "EX-V6"]),
        ("DX/DXVP", ["DX", "DXVP"]),
        ("R/T", ["R/T"]),
        ("C/V", ["C/V"]),
        ("EX w/Leather", ["EX w/Leather"]),
        ("LARIAT", ["Lariat"]),
        ("SPORT TOURING", ["Sport Touring"]),
        ("Super Crew - Raptor", ["Raptor"]),
        ("Limited+M/R+NAVI(HK)", ["Limited"]),
        ("SEL AWD/SEL FWD", ["SEL"]),
        ("xDrive35i", ["xDrive35i"]),
        ("4WD", []),
        ("ACV30L/MCV30L", []),
        ("GRN225L", []),
        ("All-Wheel Drive", []),
        ('Cutaway 139" Wheelbase', []),
        ("Non-US, Non-Canada", []),
        ("", []),
        (" / ", []),
        ("x" * 41, []),
    ],
)
def test_single_trims_splits_a_text(text: str, trims: list[str]) -> None:
    assert single_trims([text]) == trims


def test_single_trims_are_unique() -> None:
    assert single_trims(["SE/LE", "se", "XLE"]) == ["LE", "SE", "XLE"]

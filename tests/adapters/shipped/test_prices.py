from datetime import date

import pytest

from repaircore.adapters.shipped.prices import read_price_index


def test_shipped_index_covers_2008_to_2023_and_names_its_source() -> None:
    index = read_price_index()

    assert index.first == date(2008, 1, 1)
    assert index.at(date(2023, 11, 15)) == 393.924 == index.values[-1]
    assert "CUSR0000SETD" in index.source


def test_index_keeps_growing_at_a_plausible_rate() -> None:
    index = read_price_index()

    assert 1.02 < index.level(date(2026, 1, 1), base=date(2025, 1, 1)) < 1.09


@pytest.mark.parametrize(
    "text",
    [
        "date,index\n",
        "day,value\n2020-01-01,5\n",
        "date,index\n2020-01-01,5\n2020-03-01,5\n",
        "date,index\n2020-01-01,0\n",
        "date,index\n2020-01-01,nan\n",
        "date,index\nsoon,5\n",
    ],
)
def test_malformed_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_price_index(text)

import pytest

from repaircore.quote_text.text_lines import read_lines
from repaircore.quote_text.vocabulary import vocabulary_of

VOCABULARY = vocabulary_of(())


@pytest.mark.parametrize(
    ("line", "text", "cells"),
    [
        ("| Front pads | 2 | $100.00 |", " Front pads      2      $100.00 ", ("Front pads", "2", "$100.00")),
        ("Front pads | $100.00", "Front pads | $100.00", ()),
        ("Front pads\t2\t$100.00", "Front pads  2   $100.00", ("Front pads", "2", "$100.00")),
        ("Front pads\t$100.00", "Front pads  $100.00", ()),
        ("Pads, rotors, labor $100.00", "Pads, rotors, labor $100.00", ()),
    ],
)
def test_cells_are_those_between_bars_or_tabs(line: str, text: str, cells: tuple[str, ...]) -> None:
    (found,) = read_lines(line, VOCABULARY)

    assert (found.text, found.cells, found.source) == (text, cells, line)


def test_commas_separate_cells_below_a_header_of_a_csv_file() -> None:
    header, row, other = read_lines('Item,Qty,Amount\nPads,2,"$1,100.00"\nLabor  $20.00', VOCABULARY)

    assert header.cells == ("Item", "Qty", "Amount")
    assert (row.text, row.cells) == ("Pads    2    $1,100.00", ("Pads", "2", "$1,100.00"))
    assert (other.text, other.cells) == ("Labor  $20.00", ())

"""Real invoices from a file: the training part, the tested part, and the comparison on them."""

import gzip
from pathlib import Path

import pytest
from bench.quality.real import cut, jobs_of, read, run_file

HEAD = "year,make,model,problem,date,zip,parts_total,labor_hours,labor_rate,invoice"


def row(day: str, *, parts: str = "60.00", model: str = "Accord") -> str:
    return f"2013,Honda,{model},brake-pads-front,{day},90012,{parts},1.2,140.00,{day}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "invoices.csv"
    days = [f"2024-{month:02}-{day:02}" for month in range(1, 10) for day in (3, 17)]
    rows = [row(day, parts=f"{60 + number}.00") for number, day in enumerate(days)]
    path.write_text("\n".join([HEAD, *reversed(rows)]), encoding="utf-8")
    return path


def test_rows_are_read_in_date_order_gzipped_or_not(file: Path, tmp_path: Path) -> None:
    gzipped = tmp_path / "invoices.csv.gz"
    gzipped.write_bytes(gzip.compress(file.read_bytes()))
    rows = read(file)
    assert rows == read(gzipped)
    assert [one["date"] for one in rows] == sorted(one["date"] for one in rows)


def test_free_jobs_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "free.csv"
    free = "2013,Honda,Accord,brake-pads-front,2024-01-02,90012,0.00,0,140.00,1"
    path.write_text("\n".join([HEAD, free, row("2024-01-03")]), encoding="utf-8")
    assert [one["date"] for one in read(path)] == ["2024-01-03"]


def test_last_sixth_is_tested_or_an_even_sample_of_it(file: Path) -> None:
    rows = read(file)
    past, coming = cut(rows, tested=100)
    assert (len(past), len(coming)) == (15, 3)
    assert past[-1]["date"] < coming[0]["date"]
    assert len(cut(rows, tested=2)[1]) == 2


def test_equal_names_have_the_same_number() -> None:
    names = HEAD.split(",")
    results = [
        dict(zip(names, row("2024-01-02", model=model).split(","), strict=True))
        for model in ("Accord", "Civic", "Accord")
    ]
    jobs = jobs_of(results)
    assert jobs.model[0] == jobs.model[2] != jobs.model[1]
    assert len({*jobs.make.tolist()}) == 1


def test_product_and_medians_are_scored_on_the_last_invoices(file: Path) -> None:
    result = run_file(file, tested=3, boosting=False)
    product, *others = result.scores
    assert product.method == "product"
    assert product.tested == 3
    assert product.median_error < 40
    assert {one.method for one in others} >= {"median per problem", "25 nearest"}

"""The order of day and month is a property of a table: what its columns show, what stays unsure, and updates."""

from datetime import date

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mere
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.values import parse_dates
from mere.values.day_orders import counted_orders, decide_orders
from tests.conftest import write_files

OPEN = ["10/01/2020", "11/02/2020", "12/03/2020", "09/04/2020"]
DAYS = ["13/02/2020", "14/05/2020", "25/08/2020", "01/09/2020"]
MONTHS = ["02/13/2020", "05/14/2020", "08/25/2020", "09/01/2020"]
SAME = ["01/01/2020", "05/05/2020", "08/08/2020", "09/09/2020"]
ISO = ["2020-01-10", "2020-02-11", "2020-03-12", "2020-04-09"]
TABLES = {  # the other columns, the order of the table, whether `end` is unsure
    "alone": ([], "", True),
    "iso": ([ISO], "", True),
    "same": ([SAME], "", True),
    "days": ([DAYS], "day first", False),
    "months": ([ISO, MONTHS], "month first", False),
    "disagree": ([DAYS, MONTHS], "", True),
    "contradicts itself": ([[*DAYS[:2], *MONTHS[:2]]], "", True),
    "text": ([["since 13/02/2020", "14/05/2020", "open", "closed"]], "", True),
}


def _csv(*columns, start=0):
    names = [f"c{place}" for place in range(len(columns) - 1)]
    rows = [[str(start + number), *cells] for number, cells in enumerate(zip(*columns, strict=True))]
    return "".join(",".join(row) + "\n" for row in [["n", *names, "end"], *rows])


def _indexed(folder, files, **settings):
    raw = write_files(folder / "raw", files)
    index([raw], folder / "lake", engine=Inline(), settings=Settings(**settings) if settings else None)
    return folder / "lake"


@pytest.mark.parametrize("mark", ["/", "-"])
@pytest.mark.parametrize("others", TABLES)
def test_the_columns_of_a_table_decide_for_those_that_do_not_show_the_order(tmp_path, others, mark):
    columns, order, unsure = TABLES[others]
    text = _csv(*columns, OPEN)
    with mere.open(_indexed(tmp_path, {"t.csv": text.replace("/", mark)})) as lake:
        numbers = lake.profile("t.csv").to_dict()["numbers"]
        assert (numbers.get("dates", ""), "end" in numbers.get("unsure", {})) == (order, unsure)
        assert any("'end': the day or the month" in note for note in lake.profile("t.csv").issues) == unsure
        rows = lake.rows("t.csv")["end"].to_pylist()
        late = list(lake.distribution("at least 90% of end > 2020-08-01", k=0))
        early = list(lake.distribution("at least 90% of end < 2020-08-01", k=0))
        if unsure:
            assert rows == [cell.replace("/", mark) for cell in OPEN]
            assert [(hit.exact, hit.evidence["label"]) for hit in late + early] == [(False, "possible")] * 2
        else:
            right = early if order == "day first" else late
            assert rows[0] == (date(2020, 1, 10) if order == "day first" else date(2020, 10, 1))
            assert [(hit.exact, hit.evidence["label"]) for hit in late + early] == [(True, "guaranteed")]
            assert right


def test_dates_that_are_the_same_in_both_orders_are_sure(tmp_path):
    with mere.open(_indexed(tmp_path, {"t.csv": _csv(SAME)})) as lake:
        assert lake.profile("t.csv").to_dict()["numbers"] == {}
        assert lake.rows("t.csv")["end"].to_pylist()[1] == date(2020, 5, 5)


def test_a_table_that_is_read_in_parts_is_decided_as_a_whole(tmp_path):
    rows = 4000
    other = [OPEN[number % 4] for number in range(rows - 1)] + ["31/12/2020"]
    text = _csv(other, [OPEN[number % 4] for number in range(rows)])
    with mere.open(_indexed(tmp_path, {"t.csv": text}, split_bytes=20_000)) as lake:
        assert lake.profile("t.csv").to_dict()["numbers"] == {"dates": "day first"}
        assert lake.rows("t.csv", limit=1).to_pylist()[0]["end"] == date(2020, 1, 10)


@pytest.mark.parametrize(
    "later", [{"3": (DAYS, OPEN)}, {"3": (MONTHS, OPEN)}, {"2": None, "3": (OPEN, OPEN)}, {"2": (MONTHS, OPEN)}]
)
def test_an_update_of_a_dataset_equals_a_new_build(tmp_path, later):
    files = {f"parts/year={part}/t.csv": _csv(OPEN, OPEN, start=10 * part) for part in (0, 1)}
    files["parts/year=2/t.csv"] = _csv(DAYS, OPEN, start=20)
    lake = _indexed(tmp_path, files)
    for part, columns in later.items():
        path = tmp_path / "raw" / "parts" / f"year={part}" / "t.csv"
        if columns is None:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(_csv(*columns, start=100))
    index([tmp_path / "raw"], lake, engine=Inline())
    index([tmp_path / "raw"], tmp_path / "new", engine=Inline())
    with mere.open(lake) as updated, mere.open(tmp_path / "new") as built:
        [table] = [each.name for each in updated.tables]
        one, other = (each.profile(table).to_dict() for each in (updated, built))
        assert [one[part] for part in ("numbers", "columns", "issues")] == [
            other[part] for part in ("numbers", "columns", "issues")
        ]
        assert updated.rows(table).equals(built.rows(table))


DATES = st.tuples(st.integers(1, 31), st.integers(1, 31)).filter(lambda parts: min(parts) <= 12)


@given(st.lists(st.lists(DATES, min_size=1, max_size=5), min_size=1, max_size=4), st.integers(0, 4))
def test_orders_are_what_a_loop_over_the_dates_says_wherever_the_table_is_cut(columns, cut):
    def shown(dates):
        day, month = (any(parts[place] > 12 for parts in dates) for place in (0, 1))
        return None if day == month else day

    decided = {shown(dates) for dates in columns} - {None}
    order = decided.pop() if len(decided) == 1 else None
    texts = [[f"{first}/{other}/2020" for first, other in dates] for dates in columns]

    def counted(parts):
        flat = pa.array([text for part in parts for text in part], pa.string())
        owners = pa.array([place for place, part in enumerate(parts) for _ in part], pa.int64()).to_numpy()
        return counted_orders(flat, owners, owners * 0 + 1, len(parts))

    cells = counted([each[:cut] for each in texts]) + counted([each[cut:] for each in texts])
    table = pa.array([0] * len(columns), pa.int64()).to_numpy()
    read = decide_orders(cells, cells.sum(axis=1), table, 1)
    assert read.tables == [{None: "", True: "day first", False: "month first"}[order]]
    for dates, unsure in zip(columns, read.unsure.tolist(), strict=True):
        either = any(a <= 12 and b <= 12 and a != b for a, b in dates)
        both = any(a > 12 for a, _ in dates) and any(b > 12 for _, b in dates)
        assert unsure == (either and shown(dates) is None and (both or order is None))


def test_the_order_can_be_given_for_each_value():
    values = pa.array(["5/1/2020"] * 2)
    assert (parse_dates(values, pa.array([0, 1]).to_numpy(), pa.array([1, 0]).to_numpy() > 0) / 86400).tolist() == [
        (date(2020, 1, 5) - date(1970, 1, 1)).days,
        (date(2020, 5, 1) - date(1970, 1, 1)).days,
    ]

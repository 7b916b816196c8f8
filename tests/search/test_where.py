"""Conditions on tables: predicates and words, composed; from Python and the shell."""

from __future__ import annotations

import json
import random
import re
from functools import reduce
from itertools import product
from operator import and_
from pathlib import Path
from typing import Any

import pytest

import mere
from mere.cli import run
from mere.errors import QueryError, UsageError
from mere.language import And, Not, Predicate, SameColumn, Words, parse
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.segments.snapshot import read_snapshot
from tests.conftest import write_files

AGES = {"young": range(1, 41), "old": range(61, 101), "mixed": [*range(1, 21), *range(61, 81)], "odd": [7] * 5}
FILES = {
    **{f"{name}.csv": "age,name\n" + "".join(f"{a},p{i}\n" for i, a in enumerate(ages)) for name, ages in AGES.items()},
    "words.csv": "city,note\nBern,measles\nGraz,none\n",
    "clinic/cancer study.csv": "age,dose\n" + "".join(f"{age},{age / 10}\n" for age in range(30, 70)),
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("where")
    index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


def tables(hits: Any) -> list[str]:
    return sorted(hit.table for hit in hits)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("at least 30% of age < 40 and at least 30% of age > 60", ["mixed.csv"]),
        ("at least 90% of age < 45", ["odd.csv", "young.csv"]),
        ("at most 10% of age >= 45", ["odd.csv", "young.csv"]),
        ("at least 90% of age < 45 or 'cancer'", ["clinic/cancer study.csv", "odd.csv", "young.csv"]),
        ("'cancer' and not at least 1% of age > 0", []),
        ("not at least 1% of age > 0", ["words.csv"]),
        ("at least 100% of dose between 3 and 6.9", ["clinic/cancer study.csv"]),
        ("at least 50% of a* > 60", ["mixed.csv", "old.csv"]),
        ("at least 50% of /^AGE$/ > 60 and not 'mixed'", ["old.csv"]),
        ("at least 1% of nothing > 0", []),
        ("at least 100% of age = 7", ["odd.csv"]),
        ("at least 50% of age != 7 and at most 10% of the same column < 10 and not 'cancer'", ["old.csv"]),
        ("at least 30% of any column < 40 and at least 30% of the same column > 60", ["mixed.csv"]),
        ("at least 90% of any column < 10 and at least 90% of any column > 10", ["clinic/cancer study.csv"]),
        ("at least 90% of any column < 10 and at least 90% of the same column > 10", []),
        (
            "not (at least 1% of any column < 45 and at least 1% of the same column > 45)",
            ["odd.csv", "old.csv", "words.csv", "young.csv"],
        ),
    ],
)
def test_conditions_find_tables(lake: Any, condition: str, expected: list[str]) -> None:
    sure = [hit for hit in lake.where(condition, 0) if hit.evidence["label"] == "guaranteed"]
    assert tables(sure) == expected
    assert set(expected) <= set(tables(lake.where(condition, 0)))


def truth(name: str, below: float, share: float) -> bool:
    ages = AGES.get(name.removesuffix(".csv"))
    return ages is not None and sum(age < below for age in ages) >= share * len(ages)


def test_what_is_guaranteed_is_true_and_what_is_true_is_possible(lake: Any) -> None:
    for below, share in product(range(0, 110, 7), (0.1, 0.25, 0.33, 0.5, 0.77, 1.0)):
        for negated in (False, True):
            leaf = mere.at_least(share, "age") < below
            hits = lake.where(~leaf if negated else leaf, 0)
            labels = {hit.table: hit.evidence["label"] for hit in hits}
            for name in (f"{group}.csv" for group in AGES):
                holds = truth(name, below, share) != negated
                assert holds or labels.get(name) != "guaranteed"
                assert not holds or name in labels


LEAVES = [
    *(f"{side} {share}% of {column} {test}" for side in ("at least", "at most") for share in (20, 33, 50)
      for column in ("age", "any column") for test in ("< 40", ">= 61", "= 7", "between 10 and 70")),
    "'cancer'", "'age'",
]  # fmt: skip


def random_condition(chance: random.Random, depth: int) -> Any:
    if depth == 0 and chance.random() < 0.3:
        first, *others = chance.sample(LEAVES[:-2], chance.randint(2, 3))
        return parse(" and ".join([first, *(re.sub("(any column|age)", "the same column", other) for other in others)]))
    if depth == 0:
        return parse(chance.choice(LEAVES))
    left, right = random_condition(chance, depth - 1), random_condition(chance, chance.randrange(depth))
    return chance.choice([lambda: left & right, lambda: left | right, lambda: ~left])()


def by_hand(condition: Any, answers: Any) -> dict[str, tuple[float, bool]]:
    """The tables that may meet a condition, with the degree, and whether they surely do."""
    all_tables = [table.name for table in answers.tables]
    if isinstance(condition, Predicate | Words):
        return answers(condition)
    if isinstance(condition, SameColumn):
        return best_by_table(answers.of_one_column(condition))
    if isinstance(condition, Not):
        inner = by_hand(condition.part, answers)
        return {
            table: (1 - inner.get(table, (0.0, False))[0], table not in inner)
            for table in all_tables
            if not inner.get(table, (0, False))[1]
        }
    first, *rest = (by_hand(part, answers) for part in condition.parts)
    for more in rest:
        if isinstance(condition, And):
            first = {t: (min(first[t][0], more[t][0]), first[t][1] and more[t][1]) for t in first.keys() & more.keys()}
        else:
            none = (0.0, False)
            pairs = {t: (first.get(t, none), more.get(t, none)) for t in first.keys() | more.keys()}
            first = {t: (max(a[0], b[0]), a[1] or b[1]) for t, (a, b) in pairs.items()}
    return first


def best_by_table(columns: dict[tuple[str, str], tuple[float, bool]]) -> dict[str, tuple[float, bool]]:
    tables: dict[str, tuple[float, bool]] = {}
    for (table, _), (degree, sure) in columns.items():
        before = tables.get(table, (0.0, False))
        tables[table] = (max(before[0], degree), before[1] or sure)
    return tables


class Answers:
    """The answers of the leaves, each from its own kind."""

    def __init__(self, lake: Any) -> None:
        self.lake, self.tables, self.known = lake, lake.tables, {}

    def of_one_column(self, group: SameColumn) -> dict[tuple[str, str], tuple[float, bool]]:
        """The columns that may meet every predicate of a group: each predicate asked alone, columns intersected."""
        each = [
            {
                (hit.table, hit.columns[0]): (hit.score, hit.exact)
                for hit in self.lake.distribution(one, 0, per="column")
            }
            for one in group.predicates
        ]
        both = set.intersection(*(set(columns) for columns in each))
        return {one: (min(c[one][0] for c in each), all(c[one][1] for c in each)) for one in both}

    def __call__(self, leaf: Any) -> dict[str, tuple[float, bool]]:
        if leaf not in self.known:
            is_words = isinstance(leaf, Words)
            hits = (
                self.lake.keywords(f'"{leaf.text}"', 0) if is_words else self.lake.distribution(leaf, 0, per="column")
            )
            degrees: dict[str, tuple[float, bool]] = {}
            for hit in hits:
                score, sure = degrees.get(hit.table, (0.0, False))
                degrees[hit.table] = (1.0, True) if is_words else (max(score, hit.score), sure or hit.exact)
            self.known[leaf] = degrees
        return self.known[leaf]


@pytest.mark.parametrize(("size", "segments"), [(1, 6), (1 << 30, 1)])
def test_composed_conditions_are_what_their_parts_say_however_the_lake_is_cut(
    lake: Any, tmp_path: Path, size: int, segments: int
) -> None:
    raw = write_files(tmp_path / "raw", {**FILES, "gone.csv": FILES["young.csv"]})
    index([raw], tmp_path / "lake", engine=Inline(), settings=mere.Settings(segment_bytes=size, small_segments=99))
    (raw / "gone.csv").unlink()
    index([raw], tmp_path / "lake", engine=Inline())
    chance = random.Random("conditions")
    with mere.open(tmp_path / "lake") as cut:
        assert cut.info()["segments"] == segments
        dead = [len(entry.dead) for entry in read_snapshot(cut.path, cut.snapshot).segments]
        assert sum(dead) == (1 if segments == 1 else 0)  # the removed table is in the same segment as others
        answers = Answers(lake)
        for _ in range(300):
            condition = random_condition(chance, chance.randint(0, 3))
            truth = by_hand(condition, answers)
            hits = lake.where(condition, 0)
            assert {hit.table: (hit.score, hit.evidence["label"] == "guaranteed") for hit in hits} == truth
            order = {table: (-degree, not sure, table) for table, (degree, sure) in truth.items()}
            assert [hit.table for hit in hits] == sorted(truth, key=order.__getitem__)
            assert cut.where(condition, 0).to_dicts() == hits.to_dicts()
            assert cut.where(condition, 2).to_dicts() == hits.to_dicts()[:2]


def test_a_wide_table_has_evidence_of_its_best_columns_and_names_the_others(tmp_path: Path) -> None:
    wide = "\n".join(",".join(f"{c + 1}{r}" if r else f"c{c}" for c in range(9)) for r in range(5)) + "\n"
    index([write_files(tmp_path / "raw", {"wide.csv": wide})], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        [hit] = lake.where("at least 1% of any column > 0 and at least 1% of c8 > 0")
    reasons = [reason["columns"] for reason in hit.evidence["reasons"]]
    assert [len(columns) for columns in reasons] == [1, 1, 1, 1, 1, 4, 1] and reasons[-1] == ["c8"]
    assert sorted(hit.columns) == [f"c{c}" for c in range(9)]


def test_python_and_text_ask_the_same(lake: Any) -> None:
    text = lake.where("at least 30% of age < 40 and not 'cancer'", 0)
    code = lake.where((mere.at_least(0.3, "age") < 40) & ~mere.words("cancer"), 0)
    assert text.to_dicts() == code.to_dicts() and text.kind == "where"
    assert [hit.score for hit in text] == sorted((hit.score for hit in text), reverse=True)
    assert len(lake.where("at least 30% of age < 40", 1)) == 1


def test_a_hit_has_its_reasons(lake: Any) -> None:
    [hit] = lake.where("at least 30% of age < 40 and at least 30% of age > 60 and not 'cancer'")
    assert hit.columns == ("age",) and hit.evidence["label"] == "guaranteed"
    assert [reason["condition"] for reason in hit.evidence["reasons"]] == [
        "at least 30% of age < 40",
        "at least 30% of age > 60",
    ]
    assert min(reason["fraction"][0] for reason in hit.evidence["reasons"]) >= 0.3


def test_several_predicates_of_the_same_column_have_a_reason_each(lake: Any) -> None:
    text = "at least 30% of any column < 40 and at least 30% of the same column > 60"
    [hit] = lake.where(text)
    assert hit.columns == ("age",) and hit.evidence["label"] == "guaranteed"
    assert [(reason["condition"], reason["columns"]) for reason in hit.evidence["reasons"]] == [
        ("at least 30% of any column < 40", ["age"]),
        ("at least 30% of the same column > 60", ["age"]),
    ]
    group = mere.same_column(mere.at_least(0.3) < 40, mere.at_least(0.3) > 60)
    [column] = lake.distribution(group, per="column")
    assert (column.table, column.columns, column.evidence["label"]) == ("mixed.csv", ("age",), "guaranteed")
    assert [each["fraction"] for each in column.evidence["predicates"]] == [[0.45, 0.5], [0.5, 0.55]]
    assert lake.where(group).to_dicts() == lake.where(text).to_dicts()
    judged = lake.profile("young.csv", where=text).conditions
    assert [(each["condition"], each["label"]) for each in judged] == [
        ("at least 30% of any column < 40", "guaranteed"),
        ("at least 30% of the same column > 60", "ruled out"),
    ]
    assert lake.batch("distribution", [text], Inline())[0].to_dicts() == lake.distribution(text).to_dicts()


EXACT_MODES, APPROXIMATE_MODES = ["exact", "profile-scan", "binsort"], ["low-memory", "full-recall", "full-precision"]


@pytest.fixture(scope="module")
def clustered(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("modes")
    # 1.234 may be a decimal or a thousand: the column may be read in two ways
    unsure = "x;n\n" + "".join(f"{a}.{a:03d};{a}\n" for a in range(1, 40))
    raw = write_files(folder / "raw", {**FILES, "unsure.csv": unsure})
    chosen = mere.Settings(fainder_clusters=2, fainder_bins=4)
    index([raw], folder / "lake", engine=Inline(), settings=chosen)
    with mere.open(folder / "lake") as opened:
        yield opened


@pytest.mark.parametrize("mode", [*EXACT_MODES, *APPROXIMATE_MODES, "normal-dist"])
def test_modes_keep_their_promises_in_conditions(clustered: Any, mode: str) -> None:
    chance = random.Random(f"modes {mode}")
    for _ in range(60):
        leaf = random_condition(chance, 0)
        if isinstance(leaf, Words):
            continue
        exact = {hit.table: hit.evidence["label"] for hit in clustered.where(leaf, 0)}
        answer = clustered.where(leaf, 0, mode=mode)
        labels = {hit.table: hit.evidence["label"] for hit in answer}
        by_column = {hit.table for hit in clustered.distribution(leaf, 0, per="column", mode=mode)}
        assert by_column == set(labels)
        if mode in EXACT_MODES:
            assert labels == exact and answer.notes == clustered.where(leaf).notes
            assert clustered.where(~leaf, 0, mode=mode).to_dicts() == clustered.where(~leaf, 0).to_dicts()
            continue
        assert answer.notes[0].startswith(f"mode '{mode}' is approximate: it ")
        assert set(labels.values()) <= {"guaranteed", "approximate"}
        assert all(exact.get(table) == "guaranteed" for table, label in labels.items() if label == "guaranteed")
        if mode == "full-recall":
            assert set(exact) <= set(labels)
            negated = {hit.table: hit.evidence["label"] for hit in clustered.where(~leaf, 0, mode=mode)}
            truth = {hit.table: hit.evidence["label"] for hit in clustered.where(~leaf, 0)}
            assert set(truth) <= set(negated)
            assert all(truth.get(table) == "guaranteed" for table, label in negated.items() if label == "guaranteed")
        else:
            with pytest.raises(UsageError, match="may miss columns, so that 'not at"):
                clustered.where(~leaf & mere.words("x"), mode=mode)
        if mode == "full-precision":
            assert set(labels.values()) <= {"guaranteed"}


def test_a_wrong_answer_of_an_approximate_mode_shows_that_it_is_wrong(clustered: Any) -> None:
    ruled_out = [
        reason["label"]
        for bound in range(5, 100, 5)
        for hit in clustered.where(mere.at_least(0.9, "age") < bound, 0, mode="low-memory")
        for reason in hit.evidence["reasons"]
    ]
    assert "ruled out" in ruled_out


def test_modes_are_refused_where_they_cannot_answer(lake: Any, capsys: Any) -> None:
    with pytest.raises(QueryError, match="needs the paper's index"):
        lake.where("at least 30% of age < 40", mode="exact")
    with pytest.raises(QueryError, match="no mode 'quick'"):
        lake.where("at least 30% of age < 40", mode="quick")
    assert run(["where", "--like", "normal(0, 1)", "--mode", "binsort", "--lake", lake.path]) == 2
    assert "--mode goes with a CONDITION" in capsys.readouterr().err
    arguments = ["where", "not at least 30% of age < 40", "--mode", "normal-dist", "--lake", lake.path]
    assert run(arguments) == 2
    assert "leave out --mode" in capsys.readouterr().err
    assert run([*arguments[:1], "at least 30% of age < 40", *arguments[2:]]) == 0
    assert "mode 'normal-dist' is approximate" in capsys.readouterr().out
    group = "at least 30% of age < 40 and at least 30% of the same column > 60"
    assert run(["where", group, "--per", "column", "--mode", "binsort", "--lake", lake.path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["table"] == "mixed.csv"


def test_one_predicate_answers_by_column_with_its_histogram(lake: Any) -> None:
    hits = lake.distribution("at least 50% of any column > 60", 0, per="column")
    assert {(hit.table, hit.columns[0]) for hit in hits if hit.exact} >= {("old.csv", "age"), ("mixed.csv", "age")}
    histogram = hits[0].evidence["histogram"]
    assert (
        len(histogram["edges"]) == len(histogram["counts"]) + 1 and sum(histogram["counts"]) == hits[0].evidence["rows"]
    )
    assert tables(lake.distribution("at least 50% of age > 60", table="old.csv")) == ["old.csv"]
    scanned = lake.distribution("at least 50% of any column > 60", 0, per="column", mode="profile-scan")
    assert scanned.to_dicts() == hits.to_dicts()


def test_a_batch_of_predicates_is_answered_as_one_by_one(lake: Any) -> None:
    texts = ["at least 50% of age > 60", "at most 3% of any column < 5"]
    answers = lake.batch("distribution", texts, Inline())
    assert [hits.to_dicts() for hits in answers] == [lake.distribution(text).to_dicts() for text in texts]


def test_the_command_line_prints_text_and_json(lake: Any, capsys: Any) -> None:
    arguments = ["where", "at least 30% of age < 40 and at least 30% of age > 60", "--lake", lake.path]
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert "mixed.csv" in out and "guaranteed" in out and "50%" in out
    assert run([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "where" and document["hits"][0]["table"] == "mixed.csv"
    assert run(["where", "at least 50% of age > 60", "--per", "column", "--lake", lake.path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["evidence"]["label"] == "guaranteed"


def test_a_profile_draws_the_histograms_of_a_condition(lake: Any, capsys: Any) -> None:
    profile = lake.profile("mixed.csv", where="at least 60% of age < 40 and at least 30% of age > 60 and 'x'")
    assert [(reason["condition"], reason["label"]) for reason in profile.conditions] == [
        ("at least 60% of age < 40", "ruled out"),
        ("at least 30% of age > 60", "guaranteed"),
    ]
    page = profile._repr_html_()
    assert page.count("#f0c060") == 2 and "at least 60% of age &lt; 40: ruled out (" in page
    assert "conditions" not in lake.profile("mixed.csv").to_dict()
    shown = ["show", "mixed.csv", "--where", "at least 60% of age < 40", "--lake", lake.path]
    assert run(shown) == 0
    out = capsys.readouterr().out
    assert "40: ruled out (" in out and "━" in out and "─" in out
    assert run([*shown, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["conditions"][0]["region"] == [None, 40.0]
    assert run(["show", "words.csv", "--where", "at least 60% of age < 40", "--lake", lake.path]) == 0
    assert "no column of numbers" in capsys.readouterr().out


def test_a_note_names_a_missing_column_and_similar_names(lake: Any) -> None:
    hits = lake.where("at least 10% of agee < 40")
    assert not hits.hits and hits.notes == ["no column of numbers is called 'agee'; similar names: age"]
    assert lake.distribution("at least 10% of age < 2020-01-01").notes == [
        "no column of dates is called 'age'; similar names: age"
    ]
    assert lake.where("at least 10% of age < 40").notes == []


def test_words_are_those_of_keyword_search(lake: Any) -> None:
    for words in ("cancer", "column:dose", "stud*"):
        assert (
            tables(lake.where(mere.words(words), 0)) == tables(lake.keywords(words, 0)) == ["clinic/cancer study.csv"]
        )
    assert tables(lake.where("'cancer study'", 0)) == ["clinic/cancer study.csv"]
    assert tables(lake.where("'study cancer'", 0)) == []  # several are a phrase


def test_guaranteed_hits_come_first_among_equal_scores(lake: Any) -> None:
    predicate = "at most 10% of any column between 0 and 1"
    hits = lake.distribution(predicate, 0, per="column")
    order = [(-hit.score, hit.evidence["label"] != "guaranteed") for hit in hits]
    assert order == sorted(order)
    by_table = {hit.table: hit.evidence["label"] for hit in lake.distribution(predicate, 0)}
    certain = [hit.table for hit in hits if hit.evidence["label"] == "guaranteed" and hit.score == 1.0]
    assert certain and {by_table[table] for table in certain} == {"guaranteed"}


def test_hits_are_drawn_in_html(lake: Any) -> None:
    page = lake.where("at least 30% of age < 40 and at least 30% of age > 60")._repr_html_()
    assert page.count("<svg") == 2 and page.count("#f0c060") == 2 and "edges" not in page


@pytest.mark.parametrize("value", ["1e400", "-1e400", "9007199254740993"])
def test_very_large_numbers_are_compared_or_refused(lake: Any, value: str) -> None:
    assert len(lake.where(f"at least 10% of age < {value}", 0)) == (0 if value.startswith("-") else 5)
    with pytest.raises(QueryError, match="too large"):
        mere.at_least(0.1, "age") < 10**400  # noqa: B015
    with pytest.raises(QueryError, match="more than 100 digits"):
        lake.where("at least 1e-999999999 of age < 40")


def test_integers_that_share_a_float_are_never_guaranteed(tmp_path: Path) -> None:
    rows = "".join(f"{2**53 + i % 2},{i}\n" for i in range(100))
    index([write_files(tmp_path / "raw", {"big.csv": "b,c\n" + rows})], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        for compared in ("<=", "<", ">", ">="):
            [hit] = lake.distribution(f"at least 100% of b {compared} {2**53}")
            assert hit.evidence["label"] == "possible"
        assert lake.distribution(f"at least 100% of b < {2**53 + 4}")[0].evidence["label"] == "guaranteed"


def test_many_conditions_compose_without_deep_nesting(lake: Any) -> None:
    leaves = [mere.at_least(0.3, "age") < bound for bound in range(40, 2040)]
    assert tables(lake.where(reduce(and_, leaves), 0)) == tables(lake.where(leaves[0], 0))


def test_regular_expressions_take_linear_time(lake: Any) -> None:
    assert lake.where("at least 1% of /(a*)*b/ > 0", 0).hits == []
    with pytest.raises(QueryError, match="not a valid regular expression"):
        lake.where(r"at least 1% of /(?=a)/ > 0")


def test_the_command_line_finds_similar_distributions(lake: Any, capsys: Any) -> None:
    assert run(["where", "--like", "young.csv", "--on", "age", "--lake", lake.path]) == 0
    assert "odd.csv" in capsys.readouterr().out
    arguments = ["where", "--like", "uniform(1, 40)", "--column", "a*", "--per", "column", "--json", "--k", "1"]
    assert run([*arguments, "--lake", lake.path]) == 0
    [hit] = json.loads(capsys.readouterr().out)["hits"]
    assert (hit["table"], hit["columns"]) == ("young.csv", ["age"]) and hit["evidence"]["distance"] < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "takes a CONDITION or --like"),
        (["'a'", "--like", "normal"], "takes a CONDITION or --like"),
        (["'a'", "--on", "x"], "go with --like"),
        (["--like", "gauss"], "expected a curve"),
        (["at least 30% of age"], "a comparison is missing at character 20"),
        (["'a' and 'b'", "--per", "column"], "goes with a single predicate"),
        (["cancer"], "a condition starts with 'at least'"),
    ],
)
def test_errors_name_the_place(lake: Any, capsys: Any, arguments: list[str], message: str) -> None:
    assert run(["where", *arguments, "--lake", lake.path]) == 2
    assert message in capsys.readouterr().err


def test_bins_are_cut_as_the_setting_says(tmp_path: Path, run_index: Any) -> None:
    raw = write_files(tmp_path / "raw", {"a.csv": "x,y\n" + "1,a\n2,b\n" * 4})
    run_index(raw, settings=mere.Settings(histogram_bins="equal-width-4"))
    with mere.open(run_index.lake) as lake:
        assert lake.distribution("at least 50% of x < 2")[0].evidence["histogram"]["edges"] == [1, 1.25, 1.5, 1.75, 2]
        with pytest.raises(QueryError):
            lake.where("")


@pytest.mark.parametrize("like", [list(range(1, 41)), "young"])
def test_columns_are_ranked_by_likeness(lake: Any, like: Any, tmp_path: Path) -> None:
    given = {"like": like} if isinstance(like, list) else {"like": "young.csv", "on": "age"}
    hits = lake.distribution(**given, column="age")
    order = [hit.table for hit in hits]
    assert order == (["young.csv"] if isinstance(like, list) else []) + [
        "odd.csv", "mixed.csv", "clinic/cancer study.csv", "old.csv",
    ]  # fmt: skip
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits[-1].evidence["distance"] == pytest.approx(60, abs=1)
    assert lake.distribution(**given, column="age", k=1)[0].table == order[0]


def test_shapes_of_any_size_are_compared_or_refused_without_a_warning(lake: Any) -> None:
    with pytest.raises(QueryError, match="numbers beyond 1e\\+300"):
        lake.distribution(like=[1e308, -1e308, 5.0])
    hits = lake.distribution(like=[1e-320, 2e-320], k=0)
    assert len(hits) == len(lake.distribution(like=[1, 2], k=0)) and all(0 <= hit.score <= 1 for hit in hits)


def test_a_curve_finds_the_column_that_follows_it(lake: Any) -> None:
    hits = lake.distribution(like="uniform(30, 70)", k=1, per="column")
    assert (hits[0].table, hits[0].columns) == ("clinic/cancer study.csv", ("age",)) and hits[0].score > 0.9


def test_a_distribution_takes_a_predicate_or_like_and_not_both(lake: Any) -> None:
    for given in ({}, {"predicate": "at least 1% of age < 3", "like": [1]}):
        with pytest.raises(UsageError, match="takes a predicate, or like"):
            lake.distribution(**given)

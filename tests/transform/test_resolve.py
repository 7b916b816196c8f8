"""Which pairs the rules make, where a key belongs to several rows or rules disagree."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mere.transform import Conflict
from mere.transform.agreement import Agreement
from mere.transform.choose import pairs_of
from mere.transform.resolve import resolve
from mere.transform.tables import Side

from .rules import candidate, whole, word

SONGS = {
    "title": ["White Christmas", "White Christmas", "Silent Night", "Silent Night", "Blue Moon"],
    "singer": ["Bing Crosby", "Otis Redding", "Anna Day", "Sam Vale", "Ella Dew"],
}


def resolved(left, right, *rules, backwards=False):
    """The pairs and conflicts of rules between columns of the same names."""
    left, right = Side(left), Side(right)
    chosen = [candidate(left, right, program, key, backwards) for program, key in rules]
    return resolve(chosen, Agreement(left, right))


def test_an_ambiguous_key_is_settled_by_the_other_columns():
    source = {"song": ["White Christmas", "Silent Night", "Blue Moon"], "by": ["Redding", "Vale", "Somebody"]}
    found = resolved(source, SONGS, (whole("song"), whole("title")))
    assert found.pairs == {(0, 1): 0, (1, 3): 0, (2, 4): 0}
    assert found.conflicts == [Conflict("left", 0, (0, 1), (1,)), Conflict("left", 1, (2, 3), (3,))]


def test_without_other_columns_all_rows_of_a_key_are_taken():
    found = resolved({"song": ["White Christmas"]}, SONGS, (whole("song"), whole("title")))
    assert found.pairs == {(0, 0): 0, (0, 1): 0}
    assert found.conflicts == [Conflict("left", 0, (0, 1), (0, 1))]


def test_many_rows_of_one_key_are_all_kept_in_either_direction():
    children = {"child": [f"France.{number}" for number in (1, 1, 2, 2)], "note": ["west", "x", "y", "east"]}
    parents = {"parent": ["France.1", "France.2"], "region": ["west", "east"]}
    rule = whole("child"), whole("parent")
    expected = {(0, 0), (1, 0), (2, 1), (3, 1)}
    assert set(resolved(children, parents, rule).pairs) == expected
    swapped = resolved(parents, children, rule, backwards=True)
    assert {(child, parent) for parent, child in swapped.pairs} == expected
    assert swapped.conflicts == []


def test_two_rows_of_one_key_are_told_apart_where_such_are_rare():
    years = [str(year) for year in range(1900, 1920)]
    left = {"from": [*years, "1907"], "who": [*(f"Person{row}" for row in range(20)), "Stranger"]}
    right = {"year": years, "name": [f"Person{row}" for row in range(20)]}
    rule = whole("from"), whole("year")
    found = resolved(left, right, rule)
    assert set(found.pairs) == {(row, row) for row in range(20)}
    assert found.conflicts == [Conflict("right", 7, (7, 20), (7,))]
    swapped = resolved(right, left, rule, backwards=True)
    assert set(swapped.pairs) == set(found.pairs)
    assert swapped.conflicts == [Conflict("left", 7, (7, 20), (7,))]
    unnamed = left | {"who": list("abcdefghijklmnopqrstu")}
    assert set(resolved(unnamed, right, rule).pairs) == {(row, row) for row in range(20)} | {(20, 7)}


def test_a_row_keeps_the_partner_of_the_first_rule():
    left = {"a": ["Ada King", "Alan Ray"], "b": ["Alan", "Grace"]}
    right = {"key": ["Ada King", "Alan Ray", "Grace Moss"]}
    found = resolved(left, right, (whole("a"), whole("key")), (whole("b"), word("key", 0)))
    assert found.pairs == {(0, 0): 0, (1, 1): 0}
    found = resolved(left, right, (whole("b"), word("key", 0)), (whole("a"), whole("key")))
    assert found.pairs == {(0, 1): 0, (1, 2): 0}


def test_later_pairs_must_agree_where_the_first_do():
    names = [f"Song{number} tune" for number in range(9)]
    singers = [f"Singer{number}" for number in range(11)]
    left = {"a": [*names, "other", "last"], "b": ["-"] * 9 + ["Yonder", "Hither"], "by": singers}
    right = {"key": [*names, "Yonder song", "Hither song"], "singer": [*singers[:9], singers[9], "somebody else"]}
    found = resolved(left, right, (whole("a"), whole("key")), (whole("b"), word("key", 0)))
    assert found.pairs == {(row, row): 0 for row in range(9)} | {(9, 9): 1}
    nobody = right | {"singer": ["somebody"] * 11}
    found = resolved(left, nobody, (whole("a"), whole("key")), (whole("b"), word("key", 0)))
    assert found.pairs == {(row, row): 0 for row in range(9)} | {(9, 9): 1, (10, 10): 1}


words = st.sampled_from(["a", "b", "c"])
notes = st.sampled_from(["red ant", "red bee", "blue bee", "ant"])


def tables(names):
    row = st.tuples(words, words, notes)
    return st.lists(row, min_size=1, max_size=6).map(
        lambda rows: dict(zip(names, zip(*rows, strict=True), strict=True))
    )


LEFT, RIGHT = ("a", "b", "c"), ("x", "y", "z")
some_rules = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy")), min_size=1, max_size=3)


@given(tables(LEFT), tables(RIGHT), some_rules)
@settings(max_examples=200)
def test_every_pair_is_of_its_rule_and_rules_share_no_row(left, right, rules):
    left, right = Side(left), Side(right)
    chosen = [candidate(left, right, whole(one), whole(other)) for one, other in rules]
    found = resolve(chosen, Agreement(left, right))
    for pair, number in found.pairs.items():
        assert pair in set(pairs_of(chosen[number]))
        for other, another in found.pairs.items():
            assert number == another or (pair[0] != other[0] and pair[1] != other[1])
    for conflict in found.conflicts:
        place = ("left", "right").index(conflict.side)
        made = {pair[1 - place] for pair in found.pairs if pair[place] == conflict.row}
        assert len(conflict.partners) > 1
        assert set(conflict.taken) <= set(conflict.partners) and set(conflict.taken) == made & set(conflict.partners)


@given(tables(LEFT), tables(RIGHT), some_rules)
@settings(max_examples=200)
def test_it_does_not_matter_which_table_is_the_left_one(left, right, rules):
    left, right = Side(left), Side(right)
    chosen = [candidate(left, right, whole(one), whole(other)) for one, other in rules]
    swapped = [candidate(right, left, whole(one), whole(other), backwards=True) for one, other in rules]
    there, back = resolve(chosen, Agreement(left, right)), resolve(swapped, Agreement(right, left))
    assert {(one, other): number for (other, one), number in back.pairs.items()} == there.pairs
    other_side = {"left": "right", "right": "left"}
    assert [conflict._replace(side=other_side[conflict.side]) for conflict in back.conflicts] == there.conflicts

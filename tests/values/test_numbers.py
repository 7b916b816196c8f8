"""Numbers as people write them: the array version agrees with the definition, and tables come out as they were made."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.values import Evidence, Known, Readings, classify, decide, evidence_of, fold, plain_numbers, read_number
from mere.values.spelled import Kind, _has_few_letters

UNITS = ["€", "$", "eur", "us$", "%", "usd", "kr", "top", "£", "‰", "zł", "円", "rs"]
digits = st.text("0123456789", min_size=1, max_size=4)
marks = st.sampled_from([".", ",", "'", " ", "’", "\u00a0", "\u202f"])
grouped = st.tuples(st.integers(0, 10**10), marks, st.sampled_from(["", ".5", ",25", ".125", ",000"]))
cores = (
    st.tuples(st.lists(digits, min_size=1, max_size=4), marks).map(lambda pair: pair[1].join(pair[0]))
    | grouped.map(lambda made: f"{made[0]:,}".replace(",", made[1]) + made[2])
    | st.tuples(digits, st.sampled_from(["", ".", ","]), digits, st.sampled_from(["e", "e+", "e-"]), digits).map(
        "".join
    )
    | st.sampled_from(
        ["192.168.100.200", "31.12.2020", "12,34,567", "1,23,456.7", "1.234.567-8", "12,-", "0e8", "00e8", "01.07"]
    )
    | st.sampled_from(
        ["1.234,-", "12.--", "1,234.\u2013", "1,23,456/-", "500/-", "4.5 b", "1,2,-", "1.5,-", "5.-3", "5,- ", "5/-3"]
    )
    | st.sampled_from(["-05/-", "-007/-", "-05.-", "-0/-"])
    | st.sampled_from(
        [
            "020 123",
            "09,380",
            "<5",
            "n/a",
            "49301234567",
            "2020-01-31",
            "10:30",
            "1e999",
            "9" * 400,
            ".5",
            ",5",
            "1-007",
            "1+123",
        ]
    )
)
signs, units = st.sampled_from(["", "-", "+", "\u2212", "- ", "\u2013"]), st.sampled_from(UNITS)
spaces = st.sampled_from(["", " "])
cells = cores | st.builds(
    lambda core, sign, unit, space, shape: shape.format(c=core, s=sign, u=unit, b=space),
    cores, signs, units, spaces,
    st.sampled_from(["{s}{c}", "({c})", "{c}-", "{u}{b}{s}{c}", "{s}{u}{b}{c}", "{s}{c}{b}{u}", "({u}{b}{c})",
                     "{u}({c})", "({c}){b}{u}", "{c}-{b}{u}", "{u}{c}{u}", "({c}", "{s}({c})", "{s}{c}-",
                     "{c},-{b}{u}", "{u}{b}{c}.--", "{u}{b}{c}/-", "({c}/-)"]),
)  # fmt: skip


@given(st.lists(cells, min_size=1, max_size=40), st.sampled_from(["point", "comma"]))
@settings(max_examples=400, deadline=None)
def test_an_array_is_read_like_its_values_one_by_one(raw, decimal):
    values, _ = fold(pa.array(raw, pa.string()))
    spelled = classify(values)
    places, forms = plain_numbers(values, spelled, np.full(len(values), decimal == "comma"))
    form = dict(zip(places.tolist(), forms.to_pylist(), strict=True))
    unit = dict(zip(spelled.places.tolist(), spelled.units.tolist(), strict=True))
    marked = dict(zip(spelled.places.tolist(), spelled.marked.tolist(), strict=True))
    for i, value in enumerate(values.to_pylist()):
        kind = Kind(int(spelled.kinds[i]))
        got = (form.get(i, value), kind.name.lower(), spelled.unit_names[unit.get(i, 0)], marked.get(i, False))
        assert (got if spelled.numeric[i] else None) == read_number(value, decimal), value


@pytest.mark.parametrize(
    ("text", "plain", "unit"),
    [
        ("28,9", "28.9", ""), ("6.718,21", "6718.21", ""), ("1 234 567", "1234567", ""), ("1'234.50", "1234.5", ""),
        ("1’234", "1234", ""), ("12,34,567.8", "1234567.8", ""), ("€ 1 200", "1200", "EUR"), ("5 chf", "5", "CHF"),
        ("$-5", "-5", "$"), ("-$5", "-5", "$"), ("12 %", "12", "%"), ("(1,234)", "-1234", ""), ("($5.5)", "-5.5", "$"),
        ("1,234-", "-1234", ""), ("\u22125", "-5", ""), ("1,5e+03", "1500", ""), ("us$ 7", "7", "USD"), ("+7", "7", ""),
        ("chf 100", "100", "CHF"), ("chf100.5", "100.5", "CHF"), ("100chf", "100", "CHF"), ("€12", "12", "EUR"),
        ("1,234円", "1234", "JPY"), ("1.234,-", "1234", ""), ("1.234,--", "1234", ""), ("12.- €", "12", "EUR"),
        ("rs 1,23,456/-", "123456", "Rs"), ("rs500/-", "500", "Rs"), ("-5,-", "-5", ""), ("1'234.\u2013", "1234", ""),
        ("us$5", "5", "USD"), ("eur1,200", "1200", "EUR"),
        ("+12.5", "12.5", ""), ("+1234567", "1234567", ""), ("+1,234,567", "1234567", ""),
    ],
)  # fmt: skip
def test_a_number_is_read_however_it_is_written(text, plain, unit):
    written = read_number(text)
    assert written is not None and (written.plain, written.unit) == (plain, unit)


@pytest.mark.parametrize(
    "text",
    ["31.12.2020", "192.168.100.200", "1.2.3", "1.234.567-8", "10:30", "48.2, 16.37", "48.208,16.373", "007", "+49 170",
     "-05/-", "-007/-", "1-007", "1+123", "12a", "$5€", "top 10", "1,2,3", "1,2,-", "1.5,-", "5/-3", "1.234/-", "5.-3",
     "--5", "(5", "5)", "(-5)", "5 000 00", "0 123", "", "$", "1e999",
     "020 123", "01.07", "00.00", "01.2020", "01.5e3", "+01.5", "+49301234567",
     "+12345678", "chf100", "eur12", "-eur5", "eur(5)", "rs7412"],
)  # fmt: skip
def test_what_is_no_number_is_not_read_as_one(text):
    assert read_number(text) is None


def kinds_of(*texts):
    return [Kind(int(kind)).name for kind in classify(fold(pa.array(texts))[0]).kinds]


def test_words_and_bounds_are_labels_and_identifiers_are_not():
    assert kinds_of("TOT", "<5", "≤ 10", "5*", "> 1,000", "~5%") == ["LABEL"] * 6
    assert kinds_of("4.5 b", "-12.25 ep", "$ -") == ["LABEL"] * 3
    assert kinds_of("12 b", "4.5 x", "4.5b") == ["CODE"] * 3
    assert kinds_of("12a", "2020-01-31", "a1", "1.2.3", "<a5", "5-6", "007") == ["CODE"] * 6 + ["PADDED"]


def readings(columns, known=(), widths=None, share=0.66):
    flat, _ = fold(pa.array([cell for column in columns for cell in column], pa.string()))
    starts = np.cumsum([0, *map(len, columns)])
    evidence = evidence_of(flat, starts, np.ones(len(flat), np.int64), classify(flat))
    widths = widths or [len(columns)]
    return decide(evidence, widths, known or [Known()] * len(widths), share)


def test_one_number_decides_what_the_numbers_of_its_table_mean():
    read = readings([["913.446", "12.500"], ["84,48", "7"], ["1", "2"]])
    assert read.comma.tolist() == [True, True, True] and read.decimals == ["comma"] and read.unsure == ["", "", ""]
    read = readings([["913.446"], ["84.48"], ["1,234"]])
    assert not read.comma.any() and read.decimals == ["point"] and not any(read.unsure)


def test_what_stays_ambiguous_is_unsure_and_read_with_a_point():
    read = readings([["913.446"], ["1,234"], ["5"]])
    assert read.decimals == [""] and read.unsure == ["decimal", "decimal", ""] and not read.comma.any()
    read = readings([["913.446"], ["1.5"], ["2,5"]])
    assert read.decimals == [""] and read.unsure == ["decimal", "", ""] and read.comma.tolist() == [False, False, True]


def test_commas_that_may_be_of_lists_leave_others_unsure():
    read = readings([["913.446"], ["2,5", "3,6"]])
    assert read.unsure == ["decimal", ""] and read.comma.tolist() == [True, True] and read.decimals == ["comma"]
    assert readings([["913.446"], ["2,5", "3,65"]]).unsure == ["", ""]
    assert readings([["913.446"], ["2,5"]], [Known("comma")]).unsure == ["", ""]
    read = readings([["1.5", "913.446"], ["2,5"], ["84,48"]])
    assert not read.comma[0] and not any(read.unsure)


def test_a_table_decides_for_itself_and_not_for_its_neighbours():
    read = readings([["913.446"], ["84,48"], ["913.446"], ["1.5"]], widths=[2, 2])
    assert read.decimals == ["comma", "point"] and read.comma.tolist() == [True, True, False, False]


def test_a_given_decimal_mark_decides_what_may_be_either_and_nothing_else():
    read = readings([["913.446"], ["1.5"]], [Known("comma")])
    assert read.decimals == ["comma"] and read.comma.tolist() == [True, False] and not any(read.unsure)
    assert readings([["913.446"]], [Known(typed=True)]).unsure == [""]


def test_labels_are_misfits_up_to_a_third_and_identifiers_up_to_a_tenth():
    def is_number(*cells, share=0.66):
        return readings([cells], share=share).numbers[0]

    assert is_number("1", "2", "3", "4", "TOT", "<5") and not is_number("1", "2", "3", "TOT", "<5")
    assert not is_number("1", "2", "3", "4", "TOT", "12a") and not is_number("1", "2", "3", "4", "TOT", share=0.9)
    assert not is_number(*["1"] * 9, "007") and not is_number(*["10.30"] * 9, "09.30")
    assert is_number(*["1"] * 19, "12a") and is_number("1", "n/a", "-", "null")  # nulls do not count


def test_brackets_alone_are_footnotes_and_lists_are_no_decimals():
    assert not readings([["(1)", "(2)"]]).numbers[0] and not readings([["(1.5)", "(2.5)"]]).numbers[0]
    assert readings([["(1,234)", "5", "(2)"]]).footnotes.tolist() == [False]
    assert readings([["1"] * 20 + ["(2)"]]).footnotes.tolist() == [True]
    few = readings([["2"] * 20 + ["2,4"], ["913.446"]])
    assert few.lists.tolist() == [True, False] and few.decimals == [""]
    assert readings([["2"] * 20 + ["2,4"], ["84,48"]]).lists.tolist() == [False, False]


@given(st.integers(0, 30), st.integers(0, 30), st.booleans())
@settings(deadline=None)
def test_many_small_numbers_in_brackets_are_negative_and_unsure(plain, brackets, larger):
    cells = [str(n % 7 + 1) for n in range(plain)] + [f"({n % 9 + 1})" for n in range(brackets)]
    read = readings([[*cells, "(300)", "5"] if larger else cells])
    if larger:
        assert not read.footnotes[0] and read.unsure == [""]
        return
    many = 10 * brackets > plain + brackets and brackets <= plain
    assert read.unsure == ["brackets" if many else ""] and read.footnotes.tolist() == [not many]
    assert read.numbers.tolist() == [plain > 0 and (many or 10 * brackets <= plain + brackets)]


@pytest.mark.parametrize("missing", ["$ -", "-", ":", ": c", "€-", "- eur"])
def test_dashes_beside_currencies_are_missing(missing):
    read = readings([["$ 1,234.50", *[missing] * 5]])
    assert read.numbers[0] and read.units == ["$"]


def test_grades_with_plus_and_minus_are_no_negative_numbers():
    assert not readings([["1", "2-", "3+", "4", "5-", "1", "2"] * 3]).numbers[0]
    assert not readings([["10"] * 30 + ["12-", "12+"]]).numbers[0]
    assert not readings([["1", "2", "3-", "2", "1-"]]).numbers[0]
    assert readings([["1"] * 20 + ["2-"]]).footnotes.tolist() == [True]  # a misfit
    assert readings([["1", "2-", "30-", "400"]]).footnotes.tolist() == [False]
    assert readings([["1", "2.5-", "4"], ["1", "2", "65+"]]).numbers.tolist() == [True, True]


def test_numbers_of_two_units_are_no_column_of_numbers():
    assert not readings([["$5", "€5", "$6", "€7"]]).numbers[0]
    assert readings([["$5"] * 19 + ["€5"]]).units == ["$"]
    assert readings([["5%", "12%", "0"]]).unsure == [""] and readings([["5%", "12%", "0.5"]]).unsure == ["percent"]


@given(st.lists(st.lists(cells, max_size=6), min_size=1, max_size=4), st.data())
@settings(max_examples=200, deadline=None)
def test_evidence_of_parts_adds_up(columns, data):
    def evidence(parts):
        flat, _ = fold(pa.array([cell for part in parts for cell in part], pa.string()))
        starts = np.cumsum([0, *map(len, parts)])
        return evidence_of(flat, starts, np.ones(len(flat), np.int64), classify(flat))

    cuts = [data.draw(st.integers(0, len(column))) for column in columns]
    above = evidence([column[:cut] for column, cut in zip(columns, cuts, strict=True)])
    below = evidence([column[cut:] for column, cut in zip(columns, cuts, strict=True)])
    assert above + below == evidence(columns) == below + above
    assert Evidence.from_list(above.to_list()) == above
    read = decide(above, [len(columns)], [Known()])
    assert Readings.from_dict(read.to_dict()) == read


def test_degrees_do_not_decide_the_decimal_mark_of_their_table():
    columns = [["48.1371", "11.5754"], ["913.446", "12.500"], ["84,48", "7"]]
    flat, starts = pa.array([cell for column in columns for cell in column]), np.array([0, 2, 4, 6])
    evidence = evidence_of(flat, starts, np.ones(6, np.int64), classify(flat), names=["stopLat", "umsatz", "preis"])
    read = decide(evidence, [3], [Known()])
    assert read.decimals == ["comma"] and read.comma.tolist() == [False, True, True] and not any(read.unsure)
    rows = [tuple(row) for row in evidence.to_list()]
    assert Evidence.from_list(rows).degrees.tolist() == [True, False, False]


@pytest.mark.parametrize("smiley", [":p", ":d", ":c"])
def test_a_colon_with_a_letter_is_no_missing_value(smiley):
    assert not readings([["1", smiley, smiley]]).numbers[0] and readings([["1", f": {smiley[1]}"]]).numbers[0]


def test_a_number_has_up_to_seven_letters_and_dashes():
    assert kinds_of("-chf 1.-e-5") == ["POINT"] and read_number("-chf 1.-e-5").plain == "-0.00001"


def test_what_has_a_dash_between_digits_is_not_taken_apart():
    assert _has_few_letters(pa.array(["5-6", "2020-01-31", "-5", "5-", "5,-"])).tolist() == [False] * 2 + [True] * 3

"""Dates as people and programs write them, against the calendar of Python's `datetime`."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mere.values import Type, fold, infer, parse_dates
from mere.values.dates import details_of, looks_like_a_date

ENGLISH = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
MONTHS = {
    "german": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "french": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "italian": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "portuguese": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "dutch": "januari februari maart april mei juni juli augustus september oktober november december",
    "polish": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "danish": "januar februar marts april maj juni juli august september oktober november december",
    "swedish": "januari februari mars april maj juni juli augusti september oktober november december",
    "short german": "Jän Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "short french": "janv févr mars avr mai juin juil août sept oct nov déc",
}
WEEKDAYS = """
Monday Tue Wed Thursday Fri Saturday Sun Montag Di Mittwoch Do Freitag Sa Sonntag lundi mar mercredi jeu vendredi samedi
dim lunes martes miércoles jue viernes sábado domingo lunedì martedì mercoledì gio venerdì sabato domenica segunda-feira
terça quarta qui sexta-feira maandag dinsdag wo donderdag vrijdag za zondag poniedziałek wtorek środa czw piątek sobota
niedziela mandag tirsdag onsdag tor fredag lørdag søndag måndag tisdag tors lördag sön
"""
DAYS = [  # one date each: {y} year, {m} month, {d} day, {w} month as a word
    "{y:04}-{m:02}-{d:02}", "{y:04}/{m}/{d}", "{y:04}.{m:02}.{d:02}", "{y:04}. {m:02}. {d:02}.", "{y:04}年{m}月{d}日",
    "{d}.{m}.{y:04}", "{d:02}.{m:02}.{y:04}", "{d}. {m}. {y:04}", "{d} {w} {y:04}", "{d:02}-{w}-{y:04}",
    "{d}/{w}/{y:04}", "{d:02}{w}{y:04}", "{w} {d}, {y:04}", "{w} {d} {y:04}", "{d}. {w} {y:04}", "{d} de {w} de {y:04}",
]  # fmt: skip
TIMES = {  # what follows a date, the seconds that it adds, and whether it has a zone
    "": (0, False), " 14:05": (50700, False), "T14:05:09": (50709, False), " 14:05:09,125": (50709, False),
    "T14:05:09.5Z": (50709, True), " 14:05:09.123456789012345678901": (50709, False),
    " 02.05.09.000000 PM": (50709, False), ":14:05:09": (50709, False),
    " 14:05:09+02:00": (43509, True), ", 2:05 pm": (50700, False),
}  # fmt: skip
WHOLE = ["Tue {w} {d} 14:05:09 {y:04}", "{w} {d} 14:05:09 UTC {y:04}", "{y:04}{m:02}{d:02}T140509"]

years, months, days = st.integers(1000, 2999) | st.just(9999), st.integers(0, 13), st.integers(0, 32)


def seconds_of(year, month, day, added=0.0):
    """The definition: what the calendar says, NaN for a day that does not exist."""
    try:
        return (dt.datetime(year, month, day) - dt.datetime(1970, 1, 1)).total_seconds() + added
    except ValueError:
        return np.nan


@st.composite
def dates(draw):
    """A date as it is written, and the moment that it stands for."""
    year, month, day = draw(st.tuples(years, months, days))
    pattern, time = draw(st.sampled_from(DAYS)), draw(st.sampled_from(sorted(TIMES)))
    added = TIMES[time][0]
    if draw(st.booleans()):
        pattern, time, added = draw(st.sampled_from(WHOLE)), "", 50709
    if year == 9999 and not pattern.startswith("{y:04}-"):
        year = 1999
    word = ENGLISH[month - 1] if 1 <= month <= 12 else "Foo"
    return pattern.format(y=year, m=month, d=day, w=word) + time, seconds_of(year, month, day, added)


def parsed(texts, column=None):
    values = fold(pa.array(texts, pa.string()))[0]
    return values, parse_dates(values, np.arange(len(texts)) if column is None else np.full(len(texts), column))


@given(st.lists(dates(), min_size=1, max_size=30))
@settings(max_examples=300, deadline=None)
def test_an_array_of_dates_is_read_like_each_date_alone(written):
    texts, expected = zip(*written, strict=True)
    values, seconds = parsed(texts)
    np.testing.assert_array_equal(seconds, expected, err_msg=str(texts))
    assert looks_like_a_date(values)[~np.isnan(seconds)].all()


@given(
    st.sampled_from(sorted(MONTHS)), st.integers(1, 12), st.integers(1, 28), st.integers(1900, 2100),
    st.sampled_from(WEEKDAYS.split()),
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_months_are_words_of_several_languages(language, month, day, year, weekday):
    word = MONTHS[language].split()[month - 1]
    texts = [
        f"{day} {word} {year}",
        f"{day}. {word.upper()} {year}",
        f"{day} {word}. {year} 10:30",
        f"{day}-{word}-{year}",
    ]
    values, seconds = parsed([*texts, f"{weekday}, {day}. {word} {year}"])
    assert (seconds - [0, 0, 37800, 0, 0] == seconds_of(year, month, day)).all() and looks_like_a_date(values).all()


@given(st.sampled_from(DAYS), st.sampled_from(sorted(TIMES)), st.integers(1, 12))
def test_time_zone_and_fraction_are_told(pattern, time, month):
    values, _ = parsed(
        [pattern.format(y=2021, m=month, d=13, w=ENGLISH[month - 1]) + time, "2021-07-13", "2021-07", "10:30"]
    )
    details = details_of(values)
    assert details.timed.tolist() == [time != "", False, False, True] and details.no_day.tolist() == [False] * 2 + [
        True,
        False,
    ]
    assert details.zoned.tolist() == [TIMES[time][1], False, False, False] and details.no_date.tolist() == [
        False
    ] * 3 + [True]
    fractions = {
        " 14:05:09,125": "125",
        "T14:05:09.5Z": "5",
        " 14:05:09.123456789012345678901": "123456789012345678901",
        " 02.05.09.000000 PM": "000000",
    }
    assert details.fraction.tolist() == [fractions.get(time, ""), "", "", ""]


def type_of(cells):
    values = fold(pa.array(cells, pa.string()))[0]
    return Type(int(infer(values, np.array([0, len(values)]), np.ones(len(values), np.int64)).types[0]))


@given(
    st.integers(0, 25), st.integers(0, 61), st.none() | st.integers(0, 62), st.sampled_from(["", " am", "pm"]),
    st.sampled_from(["", "Z", "+02:30", "-11:00"]), st.booleans(),
)  # fmt: skip
@example(10, 59, None, "", "", True)
@example(10, 60, None, "", "", True)
@example(23, 59, 60, "", "", True)
@example(23, 59, 61, "", "", False)
@example(24, 0, None, "", "", True)
@example(12, 30, None, "pm", "", True)
@example(12, 30, None, " am", "", False)
@example(13, 30, None, "pm", "", False)
def test_a_clock_has_24_hours_60_minutes_and_may_have_a_leap_second(hour, minute, second, half, zone, dated):
    half = "" if zone else half
    text = f"{hour:02}:{minute:02}" + ("" if second is None else f":{second:02}") + half + (zone if dated else "")
    start = seconds_of(2021, 7, 13) if dated else 0
    expected = start + hour * 3600 + minute * 60 + (second or 0)
    expected += 43200 if half == "pm" and hour < 12 else -43200 if half == " am" and hour == 12 else 0
    expected -= {"+02:30": 9000, "-11:00": -39600}.get(zone, 0) if dated else 0
    valid = hour < 24 and minute < 60 and (second is None or second < 61)
    _, seconds = parsed([f"2021-07-13 {text}" if dated else text])
    np.testing.assert_array_equal(seconds, [expected if valid else np.nan], err_msg=text)


short_dates = st.lists(st.tuples(st.integers(1, 31), st.integers(1, 12), st.integers(0, 99)), min_size=1, max_size=20)


@given(short_dates, st.booleans())
@settings(max_examples=200, deadline=None)
def test_dates_with_dots_and_short_years_are_told_from_versions(parts, padded):
    parts = [(d, m, y) for d, m, y in parts if not np.isnan(seconds_of(2000 + y if y < 69 else 1900 + y, m, d))]
    cells = [f"{d:02}.{m:02}.{y:02}" if padded else f"{d}.{m}.{y:02}" for d, m, y in parts]
    shown = [padded or max(d for d, _, _ in parts) > 12 or (d > 9 and m > 9) for d, m, _ in parts]
    _, seconds = parsed(cells, 0)
    expected = [seconds_of(2000 + y if y < 69 else 1900 + y, m, d) for d, m, y in parts]
    assert [each if known else None for each, known in zip(expected, shown, strict=True)] == [
        None if np.isnan(each) else each for each in seconds
    ]
    if parts:
        assert (type_of(cells) is Type.DATETIME) == (sum(shown) >= 0.9 * len(shown))


@pytest.mark.parametrize(
    "cells",
    [
        ["1.2.10", "1.2.11", "1.3.10"], ["20.10.7", "20.10.8", "19.3.15"], ["10.0.0.1", "10.0.0.2"],
        ["13foo2021", "14bar2021"], ["12 marbles 20"], ["99.99.99", "13.13.13"], ["20210713x140500"],
        ["before 5 jan 2020", "after 6 jan 2020"], ["until jan 5, 2020"], ["to 5 jan 2020"],
        ["about jan 5 10:30:00 2020"],
        ["2021.3.2", "2021.1.10", "2019.3.1"], ["2021.07", "2021.08"], ["09.30", "10.45"],
    ],
)  # fmt: skip
def test_what_is_no_date_is_not_read_as_one(cells):
    assert type_of(cells) is not Type.DATETIME


def test_a_date_far_away_is_a_date():
    assert type_of(["2021-07-13"] * 5 + ["9999-12-31"] * 5) is Type.DATETIME


@pytest.mark.parametrize("cells", [["2021.3.2", "2021.3.13"], ["2021.03.02"], ["2021. 3. 2."], ["2021.3.2 10:30"]])
def test_dates_with_dots_and_the_year_first_are_told_from_versions(cells):
    assert type_of(cells) is Type.DATETIME and not np.isnan(parsed(cells, 0)[1]).any()


@pytest.mark.parametrize("month", range(1, 13))
def test_no_letter_of_a_month_is_an_ordinal(month):
    for names in MONTHS.values():
        word = names.split()[month - 1]
        values, seconds = parsed([f"1{word}2020", f"1{word} 2020", f"1º {word} 2020", f"1st {word} 2020"])
        assert (seconds == seconds_of(2020, month, 1)).all() and looks_like_a_date(values).all()

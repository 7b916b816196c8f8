"""How are dates and times written?  One regular expression per family of formats, for values that are normalised.

No value fits two families.  A month behind its day may be a word of ten languages: any run of letters fits the
expression, and `MONTHS` says which month it is; so does `WEEKDAYS` of the word in front of a date.  Months in front of
their day are English.
"""

from __future__ import annotations

_SECONDS = r"(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]+))?"
_CLOCK = rf"(?P<hour>[0-9]{{1,2}}):(?P<minute>[0-9]{{2}})(?::{_SECONDS})?"
_DOTTED_CLOCK = rf"(?P<hour>[0-9]{{1,2}})[:.](?P<minute>[0-9]{{2}})(?:[:.]{_SECONDS})?"  # `09.30` alone is none
_ZONE = r"(?: ?(?P<zone>z|utc|gmt|[+-][0-9]{2}:?(?:[0-9]{2})?))?"
_TIME = rf"(?:[t ,:]+{_DOTTED_CLOCK}(?: ?(?P<half>am|pm|a\.m\.|p\.m\.))?{_ZONE})?"
_LETTER = r"[a-z\x{80}-\x{10ffff}]"
_SOME_DAY = rf"{_LETTER}{{2,13}}(?:-feira)?"
_WEEKDAY = rf"(?P<weekday>{_SOME_DAY})[.,]* "
_WORD = rf"(?P<word>{_LETTER}{{3,12}})\.?"
_ENGLISH = (
    r"(?P<word>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_ORDINAL = r"(?:st|nd|rd|th|er|[.°o])"
_BEFORE_WORD = "(?:(?:st|nd|rd|th|er|o)[- /]|[.°]?[- /]?)"  # the `o` of `1october2020` is no ordinal
_DAY, _YEAR = r"(?P<day>[0-9]{1,2})", r"(?P<year>[0-9]{4}|[0-9]{2})"
_OF = "(?:de |del |of )?"
_YMD = r"(?P<year>[12][0-9]{3}|9999)(?P<mark>[-/.年] ?)(?P<month>[0-9]{1,2})[-/.月] ?(?P<day>[0-9]{1,2})[.日]?"
_COMPACT = r"(?P<year>[12][0-9]{3})(?P<month>[0-9]{2})(?P<day>[0-9]{2})t(?P<hour>[0-9]{2})(?P<minute>[0-9]{2})"
_DAY_MONTH = rf"{_DAY}{_BEFORE_WORD}{_OF}{_WORD}[-, /]*{_OF}{_YEAR}{_TIME}"
DIGIT_FIRST = {
    "iso": rf"^{_YMD}{_TIME}$",
    "month": r"^(?P<year>(?:1[5-9]|20|21)[0-9]{2})[-/](?P<month>0[1-9]|1[0-2])$",
    "numeric": rf"^(?P<first>[0-9]{{1,2}})(?P<mark>[-/.]) ?(?P<other>[0-9]{{1,2}})[-/.] ?{_YEAR}{_TIME}$",
    "day-month": rf"^{_DAY_MONTH}$",
    "compact": rf"^{_COMPACT}(?:{_SECONDS})?{_ZONE}$",
    "clock": rf"^{_CLOCK}(?: ?(?P<half>am|pm))?$",
}
LETTER_FIRST = {
    "weekday": rf"^{_WEEKDAY}{_DAY_MONTH}$",
    "month-day": rf"^(?:{_WEEKDAY})?{_ENGLISH} {_DAY}{_ORDINAL}?,? (?P<year>[0-9]{{4}}){_TIME}$",
    "ctime": rf"^(?:{_WEEKDAY})?{_ENGLISH} {_DAY} {_CLOCK}(?: (?P<zone>utc|gmt))? (?P<year>[0-9]{{4}})$",
}
LOOKS = (  # what one of them may fit, by its first characters
    r"^[0-9]{1,4}[-/.年] ?[0-9]{1,2}[-/.月] ?[0-9]|^[0-9]{4}[-/][0-9]{2}$|^[0-9]{8}t[0-9]|^[0-9]{1,2}:[0-9]|"
    rf"^[0-9]{{1,2}}{_BEFORE_WORD}{_OF}{_LETTER}{{3}}|^{_SOME_DAY}[.,]* [0-9]{{1,2}}[^0-9]|"
    rf"^({_SOME_DAY}[.,]* )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[^0-9]* [0-9]"
)
NO_DAY = "^(0000-00-00|00[./]00[./]0000)([t ]00:00(:00(\\.0+)?)?)?$"
_NAMES = """
jan january januar janvier janv enero ene gennaio gen janeiro januari stycznia styczeń sty jän jänner
feb february februar février févr fév febrero febbraio fevereiro fev februari lutego luty lut feber
mar march märz mär mrz maerz mars marzo março marco maart mrt marca marzec marts
apr april avril avr abril abr aprile kwietnia kwiecień kwi
may mai mayo maggio mag maio mei maja maj
jun june juni juin junio giugno giu junho czerwca czerwiec cze
jul july juli juillet juil julio luglio lug julho lipca lipiec lip
aug august août aout agosto ago augustus sierpnia sierpień sie augusti
sep september sept septembre septiembre settembre set setembro września wrzesień wrz
oct october okt oktober octobre octubre ottobre ott outubro out października październik paź
nov november novembre noviembre novembro listopada listopad lis
dec december dez dezember décembre déc diciembre dic dicembre dezembro grudnia grudzień gru
"""  # of English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Danish and Swedish; a line per month
MONTHS = {name: month for month, names in enumerate(_NAMES.split("\n")) for name in names.split()}
_WEEKDAY_NAMES = """
monday mon montag mo lundi lun lunes lunedì lunedi segunda segunda-feira seg maandag ma poniedziałek pon pn mandag man
måndag mån må
tuesday tue tues tu dienstag di mardi mar martes ma martedì martedi terça terca terça-feira terca-feira ter dinsdag
wtorek wt wto tirsdag tir ti tisdag tis
wednesday wed weds we mittwoch mi mercredi mer mercr miércoles miercoles mié mie mercoledì mercoledi quarta quarta-feira
qua woensdag woe wo środa śr śro onsdag ons
thursday thu thur thurs th donnerstag do jeudi jeu jueves jue giovedì giovedi gio quinta quinta-feira qui donderdag
czwartek czw cz torsdag tor tors
friday fri fr freitag vendredi ven vend viernes vie venerdì venerdi sexta sexta-feira sex vrijdag vr vrij piątek pt pią
fredag fre
saturday sat sa samstag sonnabend samedi sam sábado sabado sáb sab sabato zaterdag za zat sobota sob sb so lørdag lør lø
lördag lör lö
sunday sun su sonntag dimanche dim domingo dom domenica zondag zo zon niedziela nd nie ndz niedz søndag søn sø
söndag sön sö
"""  # of the same languages, full and short, a day after the other; `on` and `to` are no names, but mean something else
WEEKDAYS = sorted(set(_WEEKDAY_NAMES.split()))

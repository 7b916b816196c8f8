"""Which other words are forms of a word: its plural or singular, `housing` for `house`?

Two words are forms of each other if they have the same stem.  English is stemmed lightly, after the S-stemmer of Harman
("How effective is suffixing?", JASIS 1991) and the first step of Porter ("An algorithm for suffix stripping", Program
1980): the plural, then -ing and -ed, then a last -e; -y after a consonant becomes -i.  Short words keep their -e: tones
are not tons (but gases are gas).  Other languages lose the longest of a few endings, of the plural mostly.  Accents are
removed before (`words`).  Two lists add what stems do not have: irregular plurals of English, and pairs of endings of
singular and plural in other languages.  These pairs are used in every lake: both words have to be in it, and where one
of them is English, the other one rarely is a different word.

    houses, housing, housed   hous        countries        countri      (German) städte    stadt
    boxes                     box         planning         plan         (Italian) prezzi   prezz
                                          rates, rating    rate

    (pairs) regione, regioni; region, regiones; regiao, regioes; animal, animaux; steuer, steuern; child, children

An index keeps words as written.  A question lists the forms that a word could have, and looks them up; so a
language costs the index nothing, quoted words stay literal, and an answer names the word that it found.  English is
always used, and all endings of another language if the tables of the lake are written in it (`languages_of`).

Departs: longer endings (-ation, -er, -al) are left alone; on `benchmarks/keywords.py` they cost more than they found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

_SHORTEST = 3  # letters: of a word that has forms, and of an English stem
_SHORTEST_OTHER = 4  # letters of a stem in other languages, whose endings are common ends of short words
_SHORTEST_WITHOUT_E = 4  # letters: a word of more loses its last e
_VOWELS = frozenset("aeiouy")
_KEPT_DOUBLE = "lsz"  # call, pass and buzz end in two
_SHORT = re.compile("[^aeiouy][aeiouy][^aeiouywx]")
_PLAIN = re.compile("[a-z]{3,}")

ENDINGS = {  # of other languages
    "german": ("ern", "en", "er", "es", "e", "n", "s"),
    "french": ("eaux", "eau", "aux", "al", "es", "e", "s", "x"),
    "spanish": ("es", "e", "s"),
    "italian": ("a", "e", "i", "o"),
    "portuguese": ("oes", "ao", "es", "e", "s"),
    "dutch": ("en", "e", "s"),
}
MARKERS = {  # words that almost every text of the language has, and few texts of another
    "german": ("und", "der", "nach"),
    "french": ("les", "une", "dans"),
    "spanish": ("los", "del", "por"),
    "italian": ("della", "che", "nel"),
    "portuguese": ("uma", "dos", "nao"),
    "dutch": ("het", "een", "van"),
    "english": ("the", "of", "and"),
}
NUMBERS = (  # endings of singular and plural that are used in every lake
    *(
        ("o", "i"),
        ("e", "i"),
        ("a", "e"),
        ("co", "chi"),
        ("go", "ghi"),
        ("ca", "che"),
        ("ga", "ghe"),
        ("io", "i"),
    ),  # it
    *(("z", "ces"), ("on", "ones")),  # Spanish
    *(("al", "aux"), ("eau", "eaux"), ("eu", "eux")),  # French
    *(("ao", "oes"), ("al", "ais"), ("el", "eis"), ("m", "ns")),  # Portuguese
    *(("", "en"), ("e", "en"), ("er", "ern"), ("el", "eln")),  # German and Dutch
)
IRREGULAR = (  # English
    *(("child", "children"), ("person", "persons", "people"), ("man", "men"), ("woman", "women"), ("foot", "feet")),
    *(("tooth", "teeth"), ("goose", "geese"), ("mouse", "mice"), ("life", "lives"), ("wife", "wives")),
    *(("knife", "knives"), ("leaf", "leaves"), ("half", "halves"), ("shelf", "shelves"), ("wolf", "wolves")),
    *(("loaf", "loaves"), ("thief", "thieves"), ("calf", "calves"), ("crisis", "crises"), ("analysis", "analyses")),
    *(("basis", "bases"), ("thesis", "theses"), ("hypothesis", "hypotheses"), ("diagnosis", "diagnoses")),
    *(("axis", "axes"), ("index", "indexes", "indices"), ("matrix", "matrices"), ("vertex", "vertices")),
    *(("criterion", "criteria"), ("phenomenon", "phenomena"), ("datum", "data"), ("bacterium", "bacteria")),
    *(
        ("spectrum", "spectra"),
        ("stratum", "strata"),
        ("fungus", "fungi"),
        ("nucleus", "nuclei"),
        ("alumnus", "alumni"),
    ),
)
_GROUPS = {word: group for group in IRREGULAR for word in group}
SPOKEN = 4  # a language is one of the lake if it has a quarter of the tables that the most frequent language has


def languages_of(segments: Iterable[Mapping[str, int]]) -> tuple[str, ...]:
    """The languages of a lake besides English, given how many tables of each segment have a language's markers.

    >>> languages_of([{"english": 60, "german": 30, "french": 3}, {"english": 40}])
    ('german',)
    """
    tables = Counter[str]()
    for counts in segments:
        tables.update(counts)
    most = max(tables.values(), default=0)
    return tuple(name for name in ENDINGS if most and tables[name] * SPOKEN >= most)


class Forms(NamedTuple):
    """Other words with the same stem, and how all of them start."""

    start: str
    words: tuple[str, ...]


@lru_cache(1 << 12)
def forms(word: str, languages: tuple[str, ...] = ()) -> Forms:
    """The other words with the same stem, in English or one of these languages; most of them do not exist.

    >>> {"house", "houses", "housed"} < set(forms("housing").words), "lander" in forms("land", ("german",)).words
    (True, True)
    """
    if not _PLAIN.fullmatch(word):
        return Forms(word, ())
    spellings = dict.fromkeys([*_english_forms(word), *_numbers(word), *_GROUPS.get(word, ())])
    for language in languages:
        spellings |= dict.fromkeys(_other_forms(word, ENDINGS[language]))
    del spellings[word]
    return Forms(_common_start(min(spellings, default=word), max(spellings, default=word)), tuple(spellings))


def _common_start(first: str, last: str) -> str:
    """How two words start, and with them all that are between them in the order of the alphabet."""
    places = range(min(len(first), len(last)))
    return first[: next((place for place in places if first[place] != last[place]), len(places))]


def _numbers(word: str) -> Iterable[str]:
    """The plurals that the word may have in other languages, and the singulars.

    >>> "regioni" in _numbers("regione"), "ciudad" in _numbers("ciudades"), "steuer" in _numbers("steuern")
    (True, False, True)
    """
    for singular, plural in NUMBERS:
        for own, other in ((singular, plural), (plural, singular)):
            start = word.removesuffix(own)
            common = len(start) + len(_common_start(singular, plural))
            if len(start) + len(own) == len(word) and common >= _SHORTEST_OTHER:
                yield start + other


def _english_forms(word: str) -> Iterable[str]:
    stem = english_stem(word)
    starts = [stem, stem + "e", *([stem[:-1] + "y"] if stem.endswith("i") else [])]
    with_suffix = [*starts, *(start + start[-1] for start in starts), stem.removesuffix("e")]
    singulars = [*starts, *(start + end for start in with_suffix if start[-1] != "e" for end in ("ing", "ed"))]
    plurals = [singular + end for singular in singulars for end in ("s", "es")]
    plurals += [singular[:-1] + "ies" for singular in singulars if singular.endswith("y")]
    return (form for form in [*singulars, *plurals] if len(form) >= _SHORTEST and english_stem(form) == stem)


def english_stem(word: str) -> str:
    """The stem of a word of three letters or more.

    >>> [english_stem(word) for word in ("cities", "planned", "glass", "string", "prices", "rating", "tones")]
    ['citi', 'plan', 'glass', 'string', 'pric', 'rate', 'tone']
    """
    word = _without_suffix(_singular(word))
    if word.endswith("ione"):  # Italian: not region
        return word
    if word.endswith("e") and len(word) > (_SHORTEST if word.endswith("se") else _SHORTEST_WITHOUT_E):
        return word[:-1]
    ends_in_y = len(word) > _SHORTEST and word.endswith("y") and word[-2] not in _VOWELS
    return word[:-1] + "i" if ends_in_y else word


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "zes", "ches", "shes")) else word[:-1]


def _without_suffix(word: str) -> str:
    for suffix in ("ing", "ed"):
        start = word.removesuffix(suffix)
        if start != word and len(start) >= _SHORTEST and start[-1] != "e" and not _VOWELS.isdisjoint(start):
            return _repaired(start)
    return word


def _repaired(start: str) -> str:
    """The word that -ing or -ed was added to: plann is plan, rat is rate."""
    if start[-1] == start[-2] and start[-1] not in _KEPT_DOUBLE:
        return start[:-1]
    return start + "e" if _SHORT.fullmatch(start) else start


def _other_forms(word: str, endings: tuple[str, ...]) -> Iterable[str]:
    stem = other_stem(word, endings)
    return (form for end in ("", *endings) if other_stem(form := stem + end, endings) == stem)


def other_stem(word: str, endings: tuple[str, ...]) -> str:
    """The word without the longest of the endings that leaves four letters."""
    fitting = [end for end in endings if word.endswith(end) and len(word) - len(end) >= _SHORTEST_OTHER]
    return word[: -max(map(len, fitting))] if fitting else word

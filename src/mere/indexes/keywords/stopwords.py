"""Which words of a question say nothing about what is searched for?

A question in plain language is mostly such words ("which team won the most games?"), and some of them are rare enough
in headers to outweigh what was meant.  They are left out, in the languages that open data is mostly published in.
Only plain words are left out, and never all of them: `the who` searches for both, `"the who"` and `table:the` do
what they say.

Some stop words of one language mean something in another, or are names: `die`, `war`, `hat` (German), `who`, `los`.
Such a doubtful word is left out only beside another stop word of its language that is not doubtful.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Language(NamedTuple):
    """Stop words of a language, without accents: those that are left out, and those that may mean something."""

    plain: frozenset[str]
    doubtful: frozenset[str]


def _words(plain: str, doubtful: str) -> Language:
    return Language(frozenset(plain.split()), frozenset(doubtful.split()))


STOP_WORDS = {
    "english": _words(
        "a about after again against all also an and any are as at be because been before being below between both"
        " but by could did do does doing done during each either ever every for from had has have having he her hers"
        " him his how if in into is its itself might more most much must my neither nor not of off on once only onto"
        " or our ours out s she should since than that the their theirs them then there these they this those through"
        " to too toward towards under until upon very was were what when where whether which while whom whose why"
        " with within without would yet you your yours",
        "above am can d down few here i it just less let many me no other over own per same shall so some such t till"
        " up we who will",
    ),
    "german": _words(
        "aber als auch auf aus bei beim das dem der durch ein eine einem einen einer eines fur ich ihr ihre ihren im"
        " ist keine mehr nach nicht nur oder sich sie sind sowie uber um und unter vom von waren welche welcher"
        " welches wenn werden wer wie wird wo wurde wurden zu zum zur zwischen",
        "also am an bis da den des die er es hat haben hatte in man mit so vor war was wir",
    ),
    "french": _words(
        "au aux avec ce ces cette dans de des du elle en entre et etaient etait eux ils je leur leurs mais nous ont ou"
        " pas quand que quel quelle quelles quels qui sans se ses sont sous une vous",
        "a est il la le les me ne on par plus pour sa son sur un y",
    ),
    "spanish": _words(
        "como cual cuales cuando cuanto cuantos de del desde donde ella ellos en entre eran esta este estos fue fueron"
        " han hasta muy para pero por que quien se segun sobre su sus una uno ya",
        "a al con e el era es ha la las lo los mas me mi no o si sin ser son un unos y",
    ),
    "italian": _words(
        "agli ai alla alle anche che cui dal dalla dalle degli dei del della delle dello di dove gli nei nel nella"
        " nelle quale quali quando quanti quanto questa questo sono stato sua sul sulla tra una uno",
        "a al chi come con da e era fu ha hanno i il la le lo ma no non o per piu se si su suo un",
    ),
    "portuguese": _words(
        "ao aos como das de ela ele em entre foi foram mais nao nas nos ou para pela pelo por qual quais quando"
        " quantos que quem sao seu seus sobre sua suas uma",
        "a as com da do dos e era eram esta este eu ha mas me na no o os se ser um",
    ),
    "dutch": _words(
        "aan als bij dat de deze dit een en geen haar het hij hoe hoeveel ik maar met naar niet nog om onder ook op te"
        " tot uit voor waar wat welke werd werden wie wordt zich zijn",
        "dan die door er had in is me men of over per ten van was zo",
    ),
}


def left_out(words: Sequence[str]) -> set[str]:
    """The words among these that are left out.

    >>> sorted(left_out(["who", "won", "the", "world", "cup", "of", "1998"]))
    ['of', 'the', 'who']
    >>> left_out(["who", "health", "report"])
    set()
    """
    given = set(words)
    left = set[str]()
    for plain, doubtful in STOP_WORDS.values():
        if sure := given & plain:
            left |= sure | given & doubtful
    return left

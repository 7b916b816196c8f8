"""Which words start a note below a table, in the larger languages of Europe?"""

from __future__ import annotations

import re

_LABELS = (
    r"sources?|(foot)?notes?|remarks?|data sources?"  # English, French
    r"|(daten)?quellen?|anmerkung(en)?|hinweise?|fu(ß|ss)noten?|bemerkung(en)?|anm\."  # German
    r"|remarques?|avertissement|l[ée]gende|fuentes?|notas?|observaci(ón|ones)|advertencias?|leyenda"  # French, Spanish
    r"|font[ei]|avvertenz[ae]|legenda|observaç(ão|ões)"  # Italian, Portuguese
    r"|bron(nen)?|opmerking(en)?|voetnoot|voetnoten|toelichting"  # Dutch
    r"|käll(a|or)|anmärkning(ar)?|fotnot(er)?|kilder?|anmerkning(er)?|bemærkning(er)?|lähde|lähteet|huom"  # Nordic
    r"|źródł[oa]|uwag[ai]|objaśnieni[ae]|zdroje?|pozn(ámk[ay])?|forrás(ok)?|megjegyzés(ek)?|surs[ae]|not[ăe]"  # East
    r"|πηγ(ή|ές)|σημείωση|σημειώσεις|источники?|примечани[ея]|джерел[оа]|примітк[аи]|kaynak(lar)?|notlar"
)
_DATES = (
    r"last (updated?|modified)|updated|as of|data as of|copyright|generated|retrieved|downloaded|exported|created on"
    r"|erstellt|letzte (aktualisierung|änderung)|aktualisiert|abgerufen|exportiert|stichtag"
    r"|(dernière )?mise à jour|données au|última (actualización|atualização)|actualizado|atualizado|fecha de extracción"
    r"|(ultimo )?aggiornamento|aggiornato|laatst (bijgewerkt|gewijzigd)|peildatum|senast uppdaterad|sist oppdatert"
    r"|sidst opdateret|ostatnia aktualizacja|stan na|poslední aktualizace"
)
LABELLED = re.compile(rf"\W*({_LABELS}|stand|état)\s*:(\s|$)", re.IGNORECASE)
MARKED = re.compile(rf"\W*(({_LABELS}|{_DATES})(?!\w)|(stand|état)\s*(:|(vom |au )?\d))|[*†‡©]", re.IGNORECASE)

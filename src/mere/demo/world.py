"""Real names for the fictional tables: countries, cities, states, people."""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

Item = TypeVar("Item")


class Country(NamedTuple):
    iso2: str
    iso3: str
    numeric: str  # three digits, zeros in front
    currency: str
    continent: str
    name: str
    cities: list[str]  # the capital first


# iso2 iso3 numeric currency continent name: capital, other cities
_COUNTRIES = """
AR ARG 032 ARS SA Argentina: Buenos Aires, Córdoba, Rosario
AT AUT 040 EUR EU Austria: Vienna, Graz, Salzburg
AU AUS 036 AUD OC Australia: Canberra, Sydney, Perth
BE BEL 056 EUR EU Belgium: Brussels, Ghent, Antwerp
BG BGR 100 BGN EU Bulgaria: Sofia, Plovdiv, Varna
BR BRA 076 BRL SA Brazil: Brasília, São Paulo, Recife
CA CAN 124 CAD NA Canada: Ottawa, Toronto, Montréal
CH CHE 756 CHF EU Switzerland: Bern, Zürich, Geneva
CL CHL 152 CLP SA Chile: Santiago, Valparaíso, Concepción
CN CHN 156 CNY AS China: Beijing, Shanghai, Shenzhen
CO COL 170 COP SA Colombia: Bogotá, Medellín, Cali
CZ CZE 203 CZK EU Czechia: Prague, Brno, Ostrava
DE DEU 276 EUR EU Germany: Berlin, Hamburg, Köln
DK DNK 208 DKK EU Denmark: Copenhagen, Aarhus, Odense
EE EST 233 EUR EU Estonia: Tallinn, Tartu, Narva
EG EGY 818 EGP AF Egypt: Cairo, Alexandria, Luxor
ES ESP 724 EUR EU Spain: Madrid, Barcelona, Málaga
FI FIN 246 EUR EU Finland: Helsinki, Tampere, Turku
FR FRA 250 EUR EU France: Paris, Lyon, Nîmes
GB GBR 826 GBP EU United Kingdom: London, Leeds, Glasgow
GH GHA 288 GHS AF Ghana: Accra, Kumasi, Tamale
GR GRC 300 EUR EU Greece: Athens, Patras, Volos
HR HRV 191 EUR EU Croatia: Zagreb, Split, Rijeka
HU HUN 348 HUF EU Hungary: Budapest, Szeged, Pécs
ID IDN 360 IDR AS Indonesia: Jakarta, Surabaya, Bandung
IE IRL 372 EUR EU Ireland: Dublin, Cork, Galway
IL ISR 376 ILS AS Israel: Jerusalem, Haifa, Tel Aviv
IN IND 356 INR AS India: New Delhi, Mumbai, Pune
IS ISL 352 ISK EU Iceland: Reykjavík, Akureyri, Keflavík
IT ITA 380 EUR EU Italy: Rome, Milan, Turin
JO JOR 400 JOD AS Jordan: Amman, Irbid, Aqaba
JP JPN 392 JPY AS Japan: Tokyo, Osaka, Sapporo
KE KEN 404 KES AF Kenya: Nairobi, Mombasa, Kisumu
KR KOR 410 KRW AS South Korea: Seoul, Busan, Incheon
KZ KAZ 398 KZT AS Kazakhstan: Astana, Almaty, Shymkent
LT LTU 440 EUR EU Lithuania: Vilnius, Kaunas, Klaipėda
LV LVA 428 EUR EU Latvia: Riga, Liepāja, Daugavpils
MA MAR 504 MAD AF Morocco: Rabat, Casablanca, Tangier
MX MEX 484 MXN NA Mexico: Mexico City, Guadalajara, Mérida
MY MYS 458 MYR AS Malaysia: Kuala Lumpur, Ipoh, Kuching
NA NAM 516 NAD AF Namibia: Windhoek, Swakopmund, Walvis Bay
NG NGA 566 NGN AF Nigeria: Abuja, Lagos, Kano
NL NLD 528 EUR EU Netherlands: Amsterdam, Rotterdam, Utrecht
NO NOR 578 NOK EU Norway: Oslo, Bergen, Tromsø
NZ NZL 554 NZD OC New Zealand: Wellington, Auckland, Dunedin
PE PER 604 PEN SA Peru: Lima, Cusco, Arequipa
PH PHL 608 PHP AS Philippines: Manila, Cebu City, Davao
PL POL 616 PLN EU Poland: Warsaw, Gdańsk, Wrocław
PT PRT 620 EUR EU Portugal: Lisbon, Porto, Braga
RO ROU 642 RON EU Romania: Bucharest, Cluj-Napoca, Iași
SE SWE 752 SEK EU Sweden: Stockholm, Göteborg, Malmö
SG SGP 702 SGD AS Singapore: Singapore
SI SVN 705 EUR EU Slovenia: Ljubljana, Maribor, Koper
SK SVK 703 EUR EU Slovakia: Bratislava, Košice, Nitra
SN SEN 686 XOF AF Senegal: Dakar, Thiès, Saint-Louis
TH THA 764 THB AS Thailand: Bangkok, Chiang Mai, Phuket
TN TUN 788 TND AF Tunisia: Tunis, Sfax, Sousse
TR TUR 792 TRY AS Turkey: Ankara, Istanbul, Izmir
UA UKR 804 UAH EU Ukraine: Kyiv, Lviv, Odesa
US USA 840 USD NA United States: Washington, Chicago, Seattle
UY URY 858 UYU SA Uruguay: Montevideo, Salto, Paysandú
VN VNM 704 VND AS Vietnam: Hanoi, Da Nang, Huế
ZA ZAF 710 ZAR AF South Africa: Pretoria, Cape Town, Durban
"""


def _country(line: str) -> Country:
    head, cities = line.split(": ")
    iso2, iso3, numeric, currency, continent, name = head.split(" ", 5)
    return Country(iso2, iso3, numeric, currency, continent, name, cities.split(", "))


COUNTRIES = [_country(line) for line in _COUNTRIES.strip().splitlines()]

OTHER_NAMES = {
    "CZ": "Czech Republic",
    "GB": "Great Britain",
    "KR": "Korea, Republic of",
    "NL": "The Netherlands",
    "TR": "Türkiye",
    "US": "USA",
    "VN": "Viet Nam",
}


class State(NamedTuple):
    code: str
    name: str
    city: str


# postal code, name, and a town with a shop
_STATES = """
AL Alabama: Mobile
AK Alaska: Juneau
AZ Arizona: Tucson
AR Arkansas: Little Rock
CA California: Oakland
CO Colorado: Boulder
CT Connecticut: Hartford
DE Delaware: Dover
FL Florida: Tampa
GA Georgia: Savannah
HI Hawaii: Honolulu
ID Idaho: Boise
IL Illinois: Chicago
IN Indiana: Gary
IA Iowa: Des Moines
KS Kansas: Wichita
KY Kentucky: Louisville
LA Louisiana: Lafayette
ME Maine: Portland
MD Maryland: Baltimore
MA Massachusetts: Boston
MI Michigan: Detroit
MN Minnesota: Duluth
MS Mississippi: Biloxi
MO Missouri: Saint Louis
MT Montana: Billings
NE Nebraska: Omaha
NV Nevada: Reno
NH New Hampshire: Nashua
NJ New Jersey: Newark
NM New Mexico: Santa Fe
NY New York: Buffalo
NC North Carolina: Durham
ND North Dakota: Fargo
OH Ohio: Toledo
OK Oklahoma: Tulsa
OR Oregon: Eugene
PA Pennsylvania: Erie
RI Rhode Island: Providence
SC South Carolina: Charleston
SD South Dakota: Rapid City
TN Tennessee: Memphis
TX Texas: El Paso
UT Utah: Provo
VT Vermont: Burlington
VA Virginia: Richmond
WA Washington: Tacoma
WV West Virginia: Wheeling
WI Wisconsin: Green Bay
WY Wyoming: Cheyenne
"""


def _state(line: str) -> State:
    head, city = line.split(": ")
    code, name = head.split(" ", 1)
    return State(code, name, city)


STATES = [_state(line) for line in _STATES.strip().splitlines()]

_FIRST_NAMES = """
Aino Amara Amélie Anders Anouk Aroha Astrid Bao Beatriz Björn Carmen Chidi Chloé Dagny Daniel
Dimitra Diego Elif Emeka Esther Farid Fatima Femi Fiona Gita Giulia Hana Hugo Ines Ingrid Ivan Jana
Jean-Luc João Jun Kofi Lars Leila Lena Liam Lucía Magnus Mariam Mateusz Mei Milan Nadia Nils Noor
Nuno Olga Omar Petra Priya Rafael Rosa Ruth Sanna Sara Sean Sofia Tariq Thandi Tomás Uma Vera
Wanjiru Wei Yusuf Zoë
"""
FIRST_NAMES = _FIRST_NAMES.split()

_LAST_NAMES = """
Abebe Achterberg Adeyemi Alvarez Andersen Baker Bakker Banerjee Baptiste Bauer Becker Berger Bianchi
Bjørnson Boateng Carvalho Castillo Chen Cohen Costa Dahl Delgado Dubois Eriksson Farouk Fernández
Fischer Fontaine Fraser Gallagher García Grigoryan Haddad Hakimi Hansen Hartmann Horvat Hughes
Ivanova Jansen Jensen Jovanović Kamau Kaya Keller Khalil Kim Kovács Kowalski Kumar Lefèvre Lehtinen
Lindqvist López Mancini Marković Mbeki Mensah Meyer Moreau Müller Murphy Nakamura Ndlovu Nguyen
Nielsen Novák Nowak O'Brien Okafor Olsen Papadakis Park Patel Pereira Petrov Quispe Rahman Ramírez
Reyes Ricci Rossi Ruiz Santos Sato Schäfer Schneider Sharma Silva Smith Sørensen Suzuki Svensson
Takács Tamm Tanaka Thompson Toivonen Torres Tran Varga Vasquez Virtanen Visser Wagner Walker Weber
Williams Wilson Wójcik Yamamoto Yılmaz Zhang Zhou
"""
LAST_NAMES = _LAST_NAMES.split()

_UNDECOMPOSED = str.maketrans({"ø": "o", "ı": "i", "ł": "l", "'": "", "-": ""})


def plain(name: str) -> str:
    """A name as in an e-mail address: 'Sørensen' is 'sorensen'."""
    letters = unicodedata.normalize("NFKD", name.casefold().translate(_UNDECOMPOSED))
    return "".join(letter for letter in letters if letter.isascii())


def stream(seed: int, name: str) -> np.random.Generator:
    """Each table has its own random numbers, so that a new table does not change the others."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def pick(rng: np.random.Generator, items: Sequence[Item], count: int) -> list[Item]:
    return [items[i] for i in rng.integers(len(items), size=count)]

"""Made databases with surrogate keys, as a folder of CSV files and a list of their foreign keys.

    python training/made_schemas.py FOLDER KEYS.csv

Published tables seldom have surrogate keys (small integers), databases nearly always do.  Each of these databases is a
folder of tables with one way of naming keys; ids mostly count from 1, so that values alone do not tell which table a
column refers to.  KEYS.csv is written in the form of `dev_join_fk.csv`: evidence, left_path, left_cols, right_path, ...
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

# of each database its tables, each with the tables that it refers to (role:table where a role is named)
DATABASES = {
    "shop": "customer_groups; cities; customers: customer_groups cities; employees: manager:employees; shippers; "
    "categories: parent:categories; suppliers: cities; products: categories suppliers; orders: customers employees "
    "shippers; order_items: orders products; payments: orders",
    "clinic": "wards; doctors: wards; patients; visits: patients doctors; diagnoses; visit_diagnoses: visits "
    "diagnoses; drugs; prescriptions: visits drugs",
    "school": "teachers; courses: teachers; students; rooms; lessons: courses rooms; enrolments: students courses; "
    "exams: courses; results: exams students",
    "library": "authors; publishers; books: authors publishers; branches; copies: books branches; members: branches; "
    "loans: copies members; reservations: books members",
    "airline": "aircraft_types; aircraft: aircraft_types; airports; routes: origin:airports destination:airports; "
    "flights: routes aircraft; passengers; bookings: flights passengers; seats: aircraft",
    "music": "artists; albums: artists; genres; media_types; tracks: albums genres media_types; playlists; "
    "playlist_tracks: playlists tracks; listeners; plays: tracks listeners",
    "crm": "account_types; accounts: account_types owner:users; users; contacts: accounts; campaigns: users; "
    "leads: campaigns users; activities: leads users; deals: accounts users",
    "factory": "plants; machines: plants; materials; parts: materials; assemblies: parts; shifts: plants; "
    "work_orders: machines assemblies shifts; inspections: work_orders; defects: inspections parts",
}
STYLES = ("id", "{one}_id", "{One}ID", "{one}Id", "id")
FOREIGN = ("{one}_id", "{one}_id", "{One}ID", "{one}Id", "{one}")
OTHERS = ("quantity", "rank", "year", "month", "amount", "status", "name", "note", "position", "score")


def main(folder: str, keys: str) -> None:
    rng = np.random.default_rng(16)
    rows = [("evidence", "left_path", "left_cols", "right_path", "right_cols", "arity")]
    for number, (name, text) in enumerate(DATABASES.items()):
        rows += database(Path(folder), name, text, number % len(STYLES), rng)
    with open(keys, "w", newline="") as file:
        csv.writer(file).writerows(rows)


def database(folder: Path, name: str, text: str, style: int, rng: np.random.Generator) -> list[tuple]:
    """Write the tables of one database, and return its foreign keys."""
    references = {}
    for part in text.split(";"):
        table, _, others = part.strip().partition(":")
        references[table] = [tuple(o.split(":")) if ":" in o else ("", o) for o in others.split()]
    ids = {table: _ids(rng) for table in references}
    keys = []
    for table, others in references.items():
        columns = {STYLES[style].format(one=_one(table), One=_title(_one(table))): ids[table]}
        for role, other in others:
            header = FOREIGN[style].format(one=_one(other), One=_title(_one(other)))
            header = f"{role}_{header}" if role else header
            used = rng.choice(ids[other], max(2, int(len(ids[other]) * rng.uniform(0.2, 1.0))), replace=False)
            columns[header] = rng.choice(used, len(ids[table]))
            place = len(columns) - 1
            keys.append((f"made {name}", f"{name}/{table}.csv", place, f"{name}/{other}.csv", 0, 1))
        for header in rng.choice(OTHERS, rng.integers(1, 5), replace=False):
            columns[str(header)] = _other(str(header), len(ids[table]), rng)
        _write(folder / name / f"{table}.csv", columns)
    return [key for key in keys if key[1] != key[3]]  # a table does not find itself


def _ids(rng: np.random.Generator) -> np.ndarray:
    size = int(10 ** rng.uniform(0.7, 3.3))
    return np.arange(size) + int(rng.choice([1, 1, 1, 1, 0, 100, 1000]))


def _one(table: str) -> str:
    for plural, single in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("s", "")):
        if table.endswith(plural):
            return table[: -len(plural)] + single
    return table


def _title(name: str) -> str:
    return "".join(word.title() for word in name.split("_"))


def _other(header: str, size: int, rng: np.random.Generator) -> np.ndarray:
    numbers = {"quantity": 20, "rank": size, "position": size, "month": 12, "score": 100}
    if header in numbers:
        return rng.integers(1, numbers[header] + 1, size)
    if header == "year":
        return rng.integers(1990, 2025, size)
    if header == "amount":
        return np.round(rng.lognormal(3, 1, size), 2)
    words = np.array(["new", "open", "done", "late", "paid", "void"])
    made = words[rng.integers(0, len(words), size)]
    return (
        made
        if header == "status"
        else np.array([f"{a} {b}" for a, b in zip(made, rng.integers(0, 9999, size), strict=True)])
    )


def _write(path: Path, columns: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A small lake of every released version of the format, of values and of reading, with the raw files it was made from.

`python -m tests.pipeline.golden_lakes golden/NAME.zip` writes one with the code that is installed: run it before a
version is released, and add the archive to `golden`.  Raw files keep one time, so that they count as unchanged once
they are unpacked.
"""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import write_files

RAW = {
    "codes.csv": "code,land,born,share\nNA,Namibia,1990-03-21,12 %\nAT,Österreich,26.10.1955,8 %\nCH,Schweiz,,7 %\n",
    "prices.csv": "item;price;paid\nBrot;3,50;ja\nMilch;1.200,00;nein\nStraße;n/a;ja\n",
    "people.csv": "name,age,city\nAda,36,Vienna\nBob,12.0,Bern\n ＣＡＲＬ ,007,vienna\nDörte,1e3,NULL\n",
    "people.md": "# People\n\nWho lives where.\n",
    "orders.json": '[{"order": 1, "country": "AT", "paid": true}, {"order": 2, "country": "CH", "paid": null}]',
    "parts/part-00000.csv": "k,v\na,1\nb,2\n",
    "parts/part-00001.csv": "k,v\nc,3\nd,NA\n",
    "empty.csv": "",
}
FRAME = {"frame": pa.table({"city": ["Vienna", "Bern", "Windhoek"], "height": [542, 540, 1655]})}
TABLES = ["codes.csv", "frame", "orders.json", "parts", "people.csv", "prices.csv"]
_TIME = 1_700_000_000


def write_raw(home: Path) -> Path:
    folder = write_files(home / "raw", RAW)
    set_times(folder)
    return folder


def set_times(folder: Path) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (_TIME, _TIME))


def unpack(archive: Path, home: Path) -> Path:
    """The lake of an archive; its raw files lie beside it, where it has some."""
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(home)
    set_times(home / "raw")
    return home / "lake"


def write(archive: Path) -> None:
    with TemporaryDirectory() as folder, zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        home = Path(folder)
        index([write_raw(home), FRAME], home / "lake", engine=Inline())
        for path in sorted(home.rglob("*")):
            if path.is_file():
                packed.write(path, path.relative_to(home))


if __name__ == "__main__":
    write(Path(sys.argv[1]))

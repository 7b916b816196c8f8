"""What do the sidecars say about a file? Title, description, keywords, licence, and the meaning of its columns.

Supported: Frictionless `datapackage.json`, CSVW metadata, Croissant JSON-LD, README and other text.
Where several sidecars say something, the first one counts; a broken one is reported and ignored.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mere.readers.encodings import detect_encoding, repaired
from mere.readers.json_records import parse
from mere.readers.limits import Limits
from mere.readers.source import open_raw, read_fully

TEXT_BYTES = 4096
JSON_BYTES = 8 << 20
_MARKS = {".": "point", ",": "comma"}
DEFAULT = Limits()
Json = dict[str, Any]


@dataclass
class Description:
    """What the sidecars of a file say about it."""

    title: str = ""
    description: str = ""
    keywords: list[str] = field(default_factory=list)
    licence: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    decimal: str = ""  # how its numbers are written: "point", "comma", or empty if that is not said
    broken: dict[str, str] = field(default_factory=dict)  # sidecar -> why it could not be read

    def add(self, other: Description) -> None:
        """Fill in what is still missing."""
        self.title = self.title or other.title
        self.description = self.description or other.description
        self.licence = self.licence or other.licence
        self.decimal = self.decimal or other.decimal
        self.keywords += [word for word in other.keywords if word not in self.keywords]
        self.columns = other.columns | self.columns


def describe(path: str, sidecars: Sequence[str], limits: Limits = DEFAULT) -> Description:
    """Everything the sidecars, nearest first, say about the file at `path`. Never raises."""
    about = Description()
    for sidecar in sidecars:
        try:
            about.add(_read(path, sidecar, limits))
        except Exception as fault:
            reason = " ".join(str(fault).split())[:120]
            about.broken[sidecar] = f"could not be read: {type(fault).__name__}: {reason}"
    return about


def _read(path: str, sidecar: str, limits: Limits) -> Description:
    name = os.path.basename(sidecar).lower()
    if name.endswith((".json", ".jsonld")):
        document = parse(_text(sidecar, min(JSON_BYTES, limits.json_bytes)))
        if not isinstance(document, dict):
            raise ValueError("expected a JSON object")
        return _reader_of(document)(document, path, sidecar)
    text = _text(sidecar, 4 * TEXT_BYTES)
    if name.startswith(("licen", "copying")):
        return Description(licence=next((line.strip() for line in text.splitlines() if line.strip()), "")[:120])
    return _of_text(text)


def _text(path: str, bound: int) -> str:
    with open_raw(path) as raw:
        data = read_fully(raw, bound)
    encoding, mark = detect_encoding(data, complete=len(data) < bound)
    return repaired(data[mark:], encoding)[0]


def _reader_of(document: Json) -> Callable[[Json, str, str], Description]:
    if "resources" in document:
        return _of_package
    if "recordSet" in document or "distribution" in document:
        return _of_croissant
    return _of_csvw


def _of_package(document: Json, path: str, sidecar: str) -> Description:
    """Frictionless: what the package says, and first what its resource for this file says."""
    package = common(document)
    for resource in objects(document.get("resources")):
        if _matches(resource.get("path"), path, sidecar):
            schema = resource.get("schema")
            fields = list(objects(schema.get("fields") if isinstance(schema, dict) else ()))
            own = common(resource)
            own.columns = _described(fields, ("description", "title"))
            own.decimal = _decimal(each.get("decimalChar") for each in fields)
            own.add(package)
            return own
    return package


def _of_csvw(document: Json, path: str, sidecar: str) -> Description:
    """CSV on the Web: one table, or a group with the table whose url is this file."""
    group = common(document)
    tables = [each for each in objects(document.get("tables")) if _matches(each.get("url"), path, sidecar)]
    for table in tables or [document]:
        schema = table.get("tableSchema")
        columns = list(objects(schema.get("columns") if isinstance(schema, dict) else ()))
        named = [{**column, "name": first_text(column.get("titles")) or column.get("name")} for column in columns]
        own = common(table)
        own.columns = _described(named, ("dc:description", "description", "rdfs:comment"))
        own.decimal = _decimal(_number_format(column).get("decimalChar") for column in columns)
        own.add(group)
        return own
    return group


def _number_format(column: Json) -> Json:
    """How CSV on the Web says that the numbers of a column are written."""
    datatype = column.get("datatype")
    written = datatype.get("format") if isinstance(datatype, dict) else None
    return written if isinstance(written, dict) else {}


def _decimal(marks: Iterable[Any]) -> str:
    """The decimal mark of a table, if its columns agree on it."""
    said = {mark for mark in marks if isinstance(mark, str) and mark in _MARKS}
    return _MARKS[said.pop()] if len(said) == 1 else ""


def _of_croissant(document: Json, path: str, sidecar: str) -> Description:
    """Croissant: the fields whose source is the file object with this file as its contentUrl."""
    about = common(document)
    files = {
        str(each.get("@id") or each.get("name"))
        for each in objects(document.get("distribution"))
        if _matches(each.get("contentUrl") or each.get("includes"), path, sidecar)
    }
    for record in objects(document.get("recordSet")):
        for each in objects(record.get("field")):
            if not files or sources_of(each) & files:
                name = _column_of(each) or str(each.get("name", "")).rsplit("/", 1)[-1]
                if each.get("description"):
                    about.columns.setdefault(name, str(each["description"]))
    return about


def sources_of(field: Json) -> set[str]:
    """The ids of the file objects that a Croissant field takes its values from."""
    source = field.get("source")
    ids = set()
    for key in ("fileObject", "fileSet", "distribution"):
        target = source.get(key) if isinstance(source, dict) else None
        ids.add(str(target.get("@id") if isinstance(target, dict) else target))
    return ids


def _column_of(each: Json) -> str:
    source = each.get("source")
    extract = source.get("extract") if isinstance(source, dict) else None
    return str(extract.get("column", "")) if isinstance(extract, dict) else ""


def common(document: Json) -> Description:
    """The properties that all three vocabularies share, with Dublin Core prefixes, too."""
    return Description(
        title=_any(document, ("title", "dc:title", "name")),
        description=_any(document, ("description", "dc:description", "dcterms:description"))[:TEXT_BYTES],
        keywords=_words(document.get("keywords") or document.get("dc:subject") or document.get("dcat:keyword")),
        licence=_any(document, ("license", "licenses", "licence", "dc:license", "dcterms:license"))[:200],
    )


def _any(document: Json, keys: Sequence[str]) -> str:
    return next((text for key in keys if (text := first_text(document.get(key)))), "")


def first_text(value: Any) -> str:
    """The text of a value that may be a string, a list of strings, or an object that contains one."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return next((text for each in value[:20] if (text := first_text(each))), "")
    if isinstance(value, dict):
        keys = ("name", "title", "@value", "@id", "path", "url", "en", "und")
        return next((value[key].strip() for key in keys if isinstance(value.get(key), str)), "")
    return ""


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return [text for each in value if (text := first_text(each))][:100] if isinstance(value, list) else []


def _described(columns: Any, keys: Sequence[str]) -> dict[str, str]:
    return {
        str(column["name"]): text[:1000]
        for column in objects(columns)
        if column.get("name") and (text := _any(column, keys))
    }


def objects(value: Any) -> Iterator[Json]:
    items = value if isinstance(value, (list, tuple)) else [value] if isinstance(value, dict) else []
    return (item for item in items if isinstance(item, dict))


def _matches(target: Any, path: str, sidecar: str) -> bool:
    """Whether a resource's path or URL ends in this file's path, as seen from the sidecar's folder."""
    folder = os.path.dirname(sidecar)
    inside = path[len(folder) :].lstrip("/\\") if path.startswith(folder) else path
    paths = {inside.replace("\\", "/"), os.path.basename(path)}
    targets = target if isinstance(target, list) else [target]
    return any(isinstance(each, str) and _ends_in(each, paths) for each in targets)


def _ends_in(target: str, paths: set[str]) -> bool:
    plain = target.split("?")[0].removeprefix("./")
    return plain in paths or any(plain.endswith("/" + path) for path in paths)


def _of_text(text: str) -> Description:
    """Prose: the first line is the title, all lines are the description, without most of the markup."""
    lines = [_strip_markup(line) for line in text.splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        return Description()
    title = lines[0][:200]
    description = " ".join(lines).encode()[:TEXT_BYTES].decode("utf-8", "ignore")
    return Description(title=title, description=description)


def _strip_markup(line: str) -> str:
    line = line[:2000]
    line = re.sub(r"!\[[^\]]{0,200}\]\([^)]{0,500}\)", "", line)  # images and badges
    line = re.sub(r"\[([^\]]{1,200})\]\([^)]{0,500}\)", r"\1", line)  # links keep their text
    line = re.sub(r"<[^>]{1,200}>", "", line)
    line = re.sub(r"^[#>*\-=\s|:]+|[*_`]+|[=#|\-]+$", "", line)
    return " ".join(line.split())

"""Which sources does a run look at, how are they to be read, and what changed in them since the last snapshot?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from mere.errors import LakeError, UsageError
from mere.pipeline.datasets import Group, group_files
from mere.pipeline.named_sources import NamedSources
from mere.pipeline.names import Named, name_all
from mere.pipeline.patterns import check_patterns, matches
from mere.pipeline.records import FileRecord
from mere.pipeline.scan import Changes, RawFile, chosen_files, compare, find_sidecars, scan
from mere.pipeline.table_formats import current_versions
from mere.search.rules import rules_now
from mere.segments.datasets import Dataset
from mere.segments.named_sources import is_path
from mere.segments.sources import DECIMALS, SourceOptions

Notes = list[str]
_Patterns = Iterable[str] | str | None


@dataclass(frozen=True)
class OptionChanges:
    """What a run changes in the options of its sources; None: nothing."""

    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    decimal: str | None = None

    @staticmethod
    def checked(include: _Patterns, exclude: _Patterns, decimal: str | None) -> OptionChanges:
        if decimal is not None and decimal not in (*DECIMALS, "infer"):
            raise UsageError(f"decimal must be 'point', 'comma' or 'infer', got {decimal!r}", "correct it")
        return OptionChanges(_patterns(include), _patterns(exclude), "" if decimal == "infer" else decimal)

    def __bool__(self) -> bool:
        return self != OptionChanges()

    def applied(self, options: SourceOptions) -> SourceOptions:
        return replace(options, **{name: value for name, value in self.__dict__.items() if value is not None})


def _patterns(given: _Patterns) -> tuple[str, ...] | None:
    return None if given is None else check_patterns([given] if isinstance(given, str) else given)


def choose_sources(known: list[str], given: list[str], forgotten: set[str], notes: Notes) -> list[str]:
    """The sources of the lake from now on; one that lies inside another is read with it."""
    if unknown := forgotten - set(known):
        raise UsageError(
            f"source '{min(unknown)}' is not in the lake", f"known sources: {', '.join(known) or 'none'}"
        )  # fmt: skip
    kept: list[str] = []
    for source in sorted({*known, *given} - forgotten):  # an outer folder comes before what is in it
        outer = next((other for other in kept if _lies_in(source, other)), None)
        if outer is None:
            kept.append(source)
        else:
            notes.append(f"source '{source}' lies inside '{outer}' and is read with it")
    return kept


def _lies_in(source: str, outer: str) -> bool:
    return is_path(source) and is_path(outer) and source.startswith(f"{outer.rstrip('/')}/")


def choose_options(
    known: Mapping[str, SourceOptions], changes: OptionChanges, sources: list[str], given: list[str]
) -> dict[str, SourceOptions]:
    """The options of the sources from now on; changes are for the sources that were given, or for the only one."""
    options = {source: known.get(source, SourceOptions()) for source in sources}
    if changes:
        targets = [source for source in sources if source in given] or sources
        if len(targets) != 1 and not given:
            raise UsageError(
                "include, exclude and decimal belong to a source, and none is named", "name the sources they are for"
            )
        if inner := sorted(set(given) - set(sources)):
            raise UsageError(
                f"source '{inner[0]}' is read with the folder around it", "give include=, exclude= for that folder"
            )
        options |= {source: changes.applied(options[source]) for source in targets}
    return {source: chosen for source, chosen in options.items() if chosen != SourceOptions()}


@dataclass
class Known:
    """What the last snapshot says of the raw files; names are kept even if everything is read again."""

    records: list[FileRecord] = field(default_factory=list)
    datasets: list[Dataset] = field(default_factory=list)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    read_all: bool = False  # nothing is taken for unchanged

    @staticmethod
    def of(records: list[FileRecord], datasets: list[Dataset]) -> Known:
        names = {record.key: record.known_name for record in records if record.known_name}
        return Known(records, datasets, names | {dataset.key: dataset.name for dataset in datasets})

    def only_names(self) -> Known:
        return Known(names=self.names, read_all=True)


@dataclass
class Survey:
    """What a run has to do, and what it need not touch."""

    changes: Changes
    groups: list[Group]
    hidden: int
    untouched: list[Dataset]  # of sources that are gone


def survey(
    sources: list[str],
    options: Mapping[str, SourceOptions],
    named: NamedSources,
    known: Known,
    unite_parts: bool,
    notes: Notes,
) -> Survey:
    """Look at the sources that are there, and compare with what is known."""
    paths = list(filter(is_path, sources))
    present = [source for source in paths if os.path.exists(source)]
    gone = set(paths) - set(present)
    stale = {record.source for record in known.records if record.rules != rules_now()}
    frames = named.look(sources, known.read_all, stale)
    looked_at = {*present, *(frame.source for frame in frames)}
    scanned = scan(present, named.lake)
    files, left_out = current_versions(scanned.files)
    _check_includes(files, options, present, notes)
    files = chosen_files(files, options)
    groups = group_files(files, unite_parts)
    items: list[Named] = sorted([*groups, *files, *frames], key=lambda item: item.key)
    absent = set(sources) - looked_at
    name_all(items, known.names, (name for (source, _), name in known.names.items() if source in absent))
    find_sidecars(files)
    named.stamp(frames)
    _check_sources(gone, present, {file.source for file in files}, known, notes)
    forgotten = {record.source for record in known.records} - set(sources)
    changes = compare([*files, *frames], known.records, looked_at | forgotten)
    untouched = [dataset for dataset in known.datasets if dataset.source in gone]
    return Survey(changes, groups, scanned.hidden + left_out, untouched)


def _check_includes(
    files: list[RawFile], options: Mapping[str, SourceOptions], present: list[str], notes: Notes
) -> None:
    """Note the patterns that choose nothing; they may be misspelt."""
    for source in present:
        for pattern in options[source].include if source in options else ():
            if not any(file.source == source and matches(file.path, [pattern]) for file in files):
                notes.append(f"source '{source}': no file matches include '{pattern}'")


def _check_sources(gone: set[str], present: list[str], with_files: set[str], known: Known, notes: Notes) -> None:
    for source in sorted(gone):
        if known.read_all:
            raise LakeError(
                f"source '{source}' is gone and cannot be read again",
                f"restore it, or drop it with forget=['{source}']",
            )
        notes.append(f"source '{source}' is gone: its tables are kept; forget=['{source}'] drops them")
    for source in present:
        if source not in with_files:
            notes.append(f"source '{source}' has no files")

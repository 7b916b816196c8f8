"""Everything Mere raises on purpose.

MereError                  the root: fault, value and remedy in one sentence
├── UsageError             an argument is wrong                           exit 2
│   ├── NoSuchTable        the lake has no table of that name
│   └── QueryError         a question that cannot be parsed; points at the place
├── LakeError              the lake cannot do that                        exit 1
│   ├── NotALake           the folder holds no snapshot
│   ├── NoSuchSnapshot     the snapshot is unknown or no longer kept
│   ├── Locked             another process is writing
│   ├── ProfileOnly        the table's rows stay with their owner
│   └── SparkError         Spark could not start, or a setting is missing
├── Corrupt                a file of the lake is not what was written     exit 4
└── Unreadable             a raw file is no table; becomes a row of the
                           quarantine report, never stops a run
"""

from __future__ import annotations


class MereError(Exception):
    """Fault, value and remedy: `message` names the first two, `remedy` the third."""

    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message}; {remedy}" if remedy else message)
        self.message = message
        self.remedy = remedy

    def to_dict(self) -> dict[str, dict[str, str]]:
        return {"error": {"type": type(self).__name__, "message": self.message, "remedy": self.remedy}}


class UsageError(MereError):
    exit_code = 2


class NoSuchTable(UsageError):
    pass


class QueryError(UsageError):
    pass


class LakeError(MereError):
    pass


class NotALake(LakeError):
    pass


class NoSuchSnapshot(LakeError):
    pass


class Locked(LakeError):
    pass


class ProfileOnly(LakeError):
    """Only a profile of a table was published; `source` says whom to ask for its rows."""

    def __init__(self, table: str, source: str) -> None:
        super().__init__(f"'{table}' holds no rows: only a profile was published", f"ask its owner for them: {source}")


class SparkError(LakeError):
    pass


class Corrupt(MereError):
    exit_code = 4


class Unreadable(MereError):
    pass

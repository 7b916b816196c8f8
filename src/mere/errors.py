"""Which errors does Mere raise?

MereError                  the root: fault, value and remedy
├── UsageError             an argument is wrong                           exit 2
│   ├── NoSuchTable        the lake has no table of that name
│   └── QueryError         a question cannot be parsed; names the character
├── LakeError              the lake cannot do that                        exit 1
│   ├── NotALake           the folder has no snapshot
│   ├── NoSuchSnapshot     the snapshot does not exist or is no longer kept
│   ├── Locked             another process is writing
│   ├── ProfileOnly        only a profile of the table was published
│   ├── CannotWrite        no space left, or the disk fails; an OSError, too
│   └── SparkError         Spark could not start, or ended, or a setting is missing
│       └── WorkerLost     a process that ran a task ended
├── Corrupt                a file of the lake is damaged                  exit 4
│   └── MissingMarker      the marker of a commit is missing; nothing else is
└── Unreadable             a raw file cannot be read as a table; becomes a row of
                           the quarantine report and does not stop a run
"""

from __future__ import annotations


class MereError(Exception):
    """`message` is the fault with its value, `remedy` what to do about it."""

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
    """Only a profile of the table was published; `source` is where its owner can be asked for rows."""

    def __init__(self, table: str, source: str) -> None:
        super().__init__(f"'{table}' holds no rows: only a profile was published", f"ask its owner for them: {source}")


class CannotWrite(LakeError, OSError):
    """The machine's fault, never a raw file's: no table is quarantined for it."""


class SparkError(LakeError):
    pass


class WorkerLost(SparkError):
    pass


class Corrupt(MereError):
    exit_code = 4


class MissingMarker(Corrupt):
    """A run was killed between its commit and the marker of it: the snapshot is complete."""


class Unreadable(MereError):
    pass

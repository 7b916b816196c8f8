"""PEXESO."""
from mere.indexes.similar.pexeso.build import prepared
from mere.indexes.similar.pexeso.records import Counters, Index
from mere.indexes.similar.pexeso.search import counted
__all__ = ["Counters", "Index", "counted", "prepared"]

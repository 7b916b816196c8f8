"""Mere: what else is out there that fits my table?

>>> import mere
>>> sorted(mere.__all__)[:3]
['Corrupt', 'Hit', 'Hits']
"""

from mere.answers import Hit, Hits
from mere.errors import Corrupt, LakeError, MereError, UsageError
from mere.lake import Lake, index, open

__version__ = "0.1.0"
__all__ = ["Corrupt", "Hit", "Hits", "Lake", "LakeError", "MereError", "UsageError", "index", "open"]

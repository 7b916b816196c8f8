"""Which rows of two tables belong together although their keys are written differently?  The Python interface."""

from mere.search.transforming.join import transform_join
from mere.search.transforming.programs import LearnedProgram, load_programs
from mere.search.transforming.result import TransformJoin

__all__ = ["LearnedProgram", "TransformJoin", "load_programs", "transform_join"]

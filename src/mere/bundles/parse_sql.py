"""Which filter does an SQL text stand for?

Accepted is `SELECT * FROM table WHERE condition`, also with DISTINCT, an alias, or without WHERE; and the condition
alone.  docs/filters.md lists what a condition can have.  Everything else is an error that names the construct: each
node of the parser's tree is either converted to a predicate or refused, so nothing is left out silently.
`sql_tree` has the query around the condition, `literals` what a column is compared with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mere.bundles.literals import Field, Literal, compare, comparison_notes, like, one_of
from mere.bundles.predicates import And, Constant, IsNull, Not, Or, Predicate
from mere.bundles.schema import Schema
from mere.bundles.sql_faults import Node, construct_of, refused, shown, unknown_column
from mere.bundles.sql_tree import only, tree_of, without_log
from mere.errors import QueryError
from mere.values import column_key

_OPERATORS = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_VALUES = ("literal", "boolean", "null")
_DATE_TYPES = ("DATE", "DATETIME", "TIMESTAMP", "TIMESTAMPTZ", "TIME")


def parse(
    text: str, schema: Schema, excluded: Sequence[str] = (), notes: list[str] | None = None
) -> Predicate:  # fmt: skip
    """The predicate that a query or a condition stands for.

    `excluded` are columns of the base that are not in the schema; `notes` gets what may not be meant.

    >>> from mere.values import Type
    >>> parse("price < 100", Schema(("city", "price"), (Type.TEXT, Type.INTEGER)))
    Compare(column=1, operator='<', literal=100.0)
    """
    try:
        with without_log():
            table, condition = tree_of(text)
            reader = _Reader(schema, table, excluded, [] if notes is None else notes)
            return Constant(True) if condition is None else reader.condition(condition)
    except QueryError as error:
        raise QueryError(f'{error.message}, in the query "{shown(text)}"', error.remedy) from None
    except RecursionError:
        raise QueryError(f'too many nested conditions, in the query "{shown(text)}"', "write a simpler query") from None


def _operands(node: Node) -> Iterator[Node]:
    """What a chain of one operator joins, without recursion: a chain may be long."""
    stack = [node]
    while stack:
        operand = stack.pop().unnest()
        if operand.key == node.key:
            stack += [operand.expression, operand.this]
        else:
            yield operand


class _Reader:
    """Converts the conditions of a query on one table."""

    def __init__(self, schema: Schema, table: str, excluded: Sequence[str], notes: list[str]) -> None:
        self.schema, self.table, self.excluded, self.notes = schema, table, excluded, notes

    def condition(self, node: Node) -> Predicate:
        node = node.unnest()
        match node.key:
            case "and" | "or":
                parts = tuple(self.condition(operand) for operand in _operands(node))
                return And(parts) if node.key == "and" else Or(parts)
            case "not":
                return Not(self.condition(node.this))
            case "boolean":
                return Constant(bool(node.this))
            case "null":
                return Constant(None)
            case "column":
                raise refused(f"the column '{node.name}' as a condition", f"compare it, e.g. {node.name} = TRUE")
        return self._predicate(node)

    def _predicate(self, node: Node) -> Predicate:
        if node.key in _OPERATORS:
            return self._comparison(node)
        match node.key:
            case "between":
                return self._between(node)
            case "in":
                only(node, "this", "expressions")
                if not node.expressions:
                    raise refused("an empty list of IN", "e.g. city IN ('Graz', 'Linz')")
                return self._one_of(self._field(node.this), [_literal(value) for value in node.expressions])
            case "like" | "ilike" | "escape":
                return self._like(node)
            case "is":
                if node.expression.key != "null":
                    raise refused("IS with another value than NULL", "use =, e.g. active = TRUE")
                return IsNull(self._field(node.this).place)
        raise refused(construct_of(node))

    def _comparison(self, node: Node) -> Predicate:
        left, right, operator = node.this.unnest(), node.expression.unnest(), _OPERATORS[node.key]
        if left.key == right.key == "column":
            remedy = f"compare with a value; text is written in single quotes, e.g. {left.name} = '{right.name}'"
            raise refused(f"a comparison of two columns ('{left.name}' and '{right.name}')", remedy)
        if right.key == "column":
            return self._compare(self._field(right), _MIRRORED[operator], _literal(left))
        return self._compare(self._field(left), operator, _literal(right))

    def _compare(self, field: Field, operator: str, literal: Literal | None) -> Predicate:
        self.notes += comparison_notes(field, operator, literal)
        return compare(field, operator, literal)

    def _one_of(self, field: Field, literals: list[Literal | None]) -> Predicate:
        if None in literals:
            self.notes.append(f"NULL in the list of IN is equal to no value; use {field.name} IS NULL")
        return one_of(field, literals)

    def _between(self, node: Node) -> Predicate:
        only(node, "this", "low", "high")
        field = self._field(node.this)
        low, high = _literal(node.args["low"]), _literal(node.args["high"])
        return And((self._compare(field, ">=", low), self._compare(field, "<=", high)))

    def _like(self, node: Node) -> Predicate:
        escape = ""
        if node.key == "escape":
            escape, node = _text_of(node.expression, "ESCAPE"), node.this
            if len(escape) != 1:
                raise QueryError(f"expected one character after ESCAPE, got '{escape}'", "e.g. ESCAPE '!'")
        if node.key not in ("like", "ilike"):
            raise refused(construct_of(node))
        only(node, "this", "expression", "negate")
        field, pattern = self._field(node.this), node.expression.unnest()
        found = Constant(None) if pattern.key == "null" else like(field, _text_of(pattern, "LIKE"), escape)
        return Not(found) if node.args.get("negate") else found

    def _field(self, node: Node) -> Field:
        """The column of the schema that a node names."""
        node = node.unnest()
        if node.key != "column" or node.this.key != "identifier":
            raise self._not_a_column(node)
        only(node, "this", "table")
        qualifier = node.text("table")
        if qualifier and qualifier.casefold() != self.table.casefold():
            remedy = f'write "{node.name}" alone; a name with a point in double quotes: "{qualifier}.{node.name}"'
            raise QueryError(f"no table '{qualifier}' for the column '{qualifier}.{node.name}'", remedy)
        place = self._place(node.name)
        return Field(place, self.schema.names[place], self.schema.types[place], self.schema.readings[place])

    def _not_a_column(self, node: Node) -> QueryError:
        text = node.sql("sqlite")
        for name in self.schema.names:
            if name.casefold() == text.casefold():
                return QueryError(f"the column's name {name} has to be quoted", f'write it in double quotes: "{name}"')
        return refused("a value in place of a column" if node.key in _VALUES else construct_of(node))

    def _place(self, name: str) -> int:
        """A column's place by its exact name, or else by the letters and digits of it."""
        names = self.schema.names
        places = [place for place, other in enumerate(names) if other == name]
        places = places or [place for place, other in enumerate(names) if column_key(other) == column_key(name)]
        if not places:
            raise unknown_column(name, names, self.excluded)
        if len(places) > 1:
            listed = ", ".join(repr(names[place]) for place in places)
            raise QueryError(
                f"{len(places)} columns are called '{name}': {listed}", "write the exact name in double quotes"
            )
        return places[0]


def _literal(node: Node) -> Literal | None:
    """A literal, None for NULL; anything else is refused."""
    node = node.unnest()
    match node.key:
        case "null":
            return None
        case "boolean":
            return Literal("true" if node.this else "false", "boolean")
        case "literal":
            return Literal(node.this, "text" if node.is_string else "number")
        case "neg" if node.this.key == "literal" and not node.this.is_string:
            return Literal(f"-{node.this.this}", "number")
        case "cast" if node.this.is_string and node.args["to"].this.name in _DATE_TYPES:
            return Literal(node.this.this, "date")
        case "column":
            raise refused(f"the column '{node.name}' in place of a value", "write text in single quotes")
    raise refused(construct_of(node))


def _text_of(node: Node, keyword: str) -> str:
    literal = _literal(node)
    if literal is None or literal.kind != "text":
        raise refused(f"{keyword} without a text", f"write a text in single quotes after {keyword}")
    return literal.text

"""Makes JSON Schemas of Python types: of dataclasses, typed dicts, lists and plain values.

The schemas describe what `print_json` of `tui_annotate/cli/output.py` makes of values of a type.
Descriptions of fields are those under "Attributes:" in the docstring of their class.
"""

from __future__ import annotations

import ast
import inspect
import re
import types
import typing
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NotRequired, get_args, get_origin

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]

_PLAIN: Final[Mapping[Any, Schema]] = {
    Any: {},
    object: {},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    Path: {"type": "string"},
    None: {"type": "null"},
    types.NoneType: {"type": "null"},
}
_ATTRIBUTES: Final = re.compile(r"^Attributes:\n((?:[ ]+.*\n?|\n)+)", re.MULTILINE)
_ENTRY: Final = re.compile(
    r"^ {4}`?([a-z_0-9]+(?:, [a-z_0-9]+)*)`?: (.+(?:\n {5,}.+)*)", re.MULTILINE
)


class Fields:
    """An object with the fields of several types, of which the later ones take precedence.

    Args:
        parts: types with fields; the text `x` is the property `x` of the type before it.
        without: names of fields that are left out.
        more: types of further fields, by name.
    """

    def __init__(self, *parts: Any, without: Collection[str] = (), **more: Any) -> None:
        self.parts = parts
        self.without = without
        self.more = more


class ListOf:
    """An array of values of a type that is a `Fields`."""

    def __init__(self, item: Any) -> None:
        self.item = item


class AnyOf:
    """A value of one of several types: what a command prints may depend on its options."""

    def __init__(self, *choices: Any) -> None:
        self.choices = choices


@dataclass(frozen=True)
class _Field:
    type: Any
    description: str = ""
    required: bool = True


def make_schema(shape: Any, *, title: str, description: str, closed: bool = False) -> Schema:
    """Return the JSON Schema of the values of a type.

    Args:
        closed: whether objects may have only the fields of their types.
    """
    maker = _SchemaMaker(closed=closed)
    body = maker.convert(shape)
    if list(body) == ["$ref"]:
        name = body["$ref"].rpartition("/")[2]
        if maker.uses[name] == 1:
            body = maker.definitions.pop(name)
    head = {"$schema": DIALECT, "title": title, "description": description}
    own = {name: each for name, each in body.items() if name not in head}
    definitions = {name: maker.definitions[name] for name in sorted(maker.definitions)}
    return head | own | ({"$defs": definitions} if definitions else {})


class _SchemaMaker:
    """Converts types to schemas; classes become definitions, which other schemas refer to."""

    def __init__(self, *, closed: bool) -> None:
        self.closed = closed
        self.definitions: dict[str, Schema] = {}
        self.uses: dict[str, int] = {}

    def convert(self, shape: Any) -> Schema:
        match shape:
            case Fields():
                return self._object(dict(_list_fields(shape)))
            case ListOf():
                return {"type": "array", "items": self.convert(shape.item)}
            case AnyOf():
                return self._choose(shape.choices)
        if shape in _PLAIN:
            return dict(_PLAIN[shape])
        origin = get_origin(shape)
        if origin is not None:
            return self._convert_generic(origin, get_args(shape))
        if isinstance(shape, type) and issubclass(shape, Enum):
            return {"enum": [each.value for each in shape]}
        if isinstance(shape, type) and issubclass(shape, tuple) and hasattr(shape, "_fields"):
            hints = _type_hints(shape)
            return self._tuple([hints[name] for name in shape._fields])
        if is_dataclass(shape) or typing.is_typeddict(shape):
            return self._refer(shape)
        raise TypeError(f"{shape!r} has no JSON form")

    def _convert_generic(self, origin: Any, inner: tuple[Any, ...]) -> Schema:
        if origin is Annotated:  # a dict made of the fields of the annotated type
            return self.convert(inner[1])
        if origin is Literal:
            return {"const": inner[0]} if len(inner) == 1 else {"enum": list(inner)}
        if origin in {typing.Union, types.UnionType}:
            return self._choose(inner)
        if origin is tuple and inner[-1] is not Ellipsis:
            return self._tuple(inner)
        if issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.convert(inner[1])}
        if issubclass(origin, Sequence):
            return {"type": "array", "items": self.convert(inner[0])}
        raise TypeError(f"{origin!r} has no JSON form")

    def _tuple(self, inner: Sequence[Any]) -> Schema:
        items = [self.convert(each) for each in inner]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}

    def _choose(self, choices: Sequence[Any]) -> Schema:
        schemas = [self.convert(each) for each in choices]
        if all(list(each) == ["type"] for each in schemas):
            return {"type": [each["type"] for each in schemas]}
        return {"anyOf": schemas}

    def _refer(self, shape: Any) -> Schema:
        name = shape.__name__
        self.uses[name] = self.uses.get(name, 0) + 1
        if name not in self.definitions:
            self.definitions[name] = {}  # a class may contain itself
            summary = _describe_class(shape)
            described = {"description": summary} if summary else {}
            self.definitions[name] = described | self._object(dict(_list_fields(shape)))
        return {"$ref": f"#/$defs/{name}"}

    def _object(self, named: Mapping[str, _Field]) -> Schema:
        properties = {}
        for name, each in named.items():
            described = {"description": each.description} if each.description else {}
            properties[name] = described | self.convert(each.type)
        required = [name for name, each in named.items() if each.required]
        schema: Schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        if self.closed:
            schema["additionalProperties"] = False
        return schema


def list_names(schema: Any) -> set[str]:
    """Return the names of all fields in a schema."""
    if isinstance(schema, list):
        return {name for each in schema for name in list_names(each)}
    if not isinstance(schema, dict):
        return set()
    found = set(schema.get("properties", {}))
    return found.union(*(list_names(each) for each in schema.values()))


def _list_fields(shape: Any) -> Iterator[tuple[str, _Field]]:
    if isinstance(shape, Fields):
        found: dict[str, _Field] = {}
        latest: Any = None
        for part in shape.parts:
            if isinstance(part, str):
                found[part] = _read_property(latest, part)
                continue
            latest = part
            found |= dict(_list_fields(part))
        for name, each in shape.more.items():
            old = found.get(name, _Field(each))
            found[name] = _read_field(each, old.description)
        yield from ((name, each) for name, each in found.items() if name not in shape.without)
        return
    texts = _read_attributes(shape)
    hints = _type_hints(shape)
    names = [each.name for each in fields(shape)] if is_dataclass(shape) else list(hints)
    total = getattr(shape, "__total__", True)
    for name in names:
        each = _read_field(hints[name], texts.get(name, ""))
        yield name, each if total else _Field(each.type, each.description, required=False)


def _read_field(shape: Any, description: str) -> _Field:
    if get_origin(shape) is NotRequired:
        return _Field(get_args(shape)[0], description, required=False)
    return _Field(shape, description)


def _read_property(owner: Any, name: str) -> _Field:
    getter = inspect.getattr_static(owner, name).fget
    return _Field(_type_hints(getter)["return"], _describe(inspect.getdoc(getter) or ""))


def _describe(text: str) -> str:
    """Return a text of a docstring as one line with the words of JSON."""
    return re.sub(r"\bNone\b", "null", " ".join(text.split()))


def _describe_class(shape: Any) -> str:
    """Return the first paragraph of a class's docstring; empty for one that Python made."""
    text = shape.__doc__ or ""
    if text.startswith((f"{shape.__name__}(", "dict(")):
        return ""
    return " ".join(inspect.cleandoc(text).partition("\n\n")[0].split())


@cache
def _read_attributes(shape: Any) -> dict[str, str]:
    """Return the texts under "Attributes:" of a class and of those that it extends."""
    found: dict[str, str] = {}
    for each in reversed(_list_bases(shape)):
        section = _ATTRIBUTES.search(inspect.cleandoc(each.__doc__ or "") + "\n")
        for names, text in _ENTRY.findall(section[1] if section else ""):
            found |= dict.fromkeys(names.split(", "), _describe(text))
    return found


def _type_hints(shape: Any) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for each in reversed(_list_bases(shape)):
        names |= _namespace(each.__module__)
    return typing.get_type_hints(shape, localns=names, include_extras=True)


def _list_bases(shape: Any) -> list[Any]:
    """Return a class, then those that it extends; Python forgets those of a typed dict."""
    if not typing.is_typeddict(shape):
        return [each for each in getattr(shape, "__mro__", (shape,)) if each is not object]
    bases = getattr(shape, "__orig_bases__", ())
    known = [each for base in bases if typing.is_typeddict(base) for each in _list_bases(base)]
    return [shape, *known]


@cache
def _namespace(module: str) -> dict[str, Any]:
    """Return the names of a module, with those that it imports only for type checkers."""
    loaded = import_module(module)
    names = dict(vars(loaded))
    if not getattr(loaded, "__file__", None):  # a module without source, such as `builtins`
        return names
    for node in ast.parse(inspect.getsource(loaded)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for each in node.body:
                names |= _import_names(each)
    return names


def _import_names(node: ast.stmt) -> dict[str, Any]:
    if not isinstance(node, ast.ImportFrom) or node.module is None:
        return {}
    module = import_module(node.module)
    return {each.asname or each.name: getattr(module, each.name) for each in node.names}

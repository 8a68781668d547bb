"""Named parts of one kind, in display order, and the error that lists the choices."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from operator import attrgetter
from typing import Any, Generic, TypeVar

from embedlab.errors import UnknownPartError

Part = TypeVar("Part")


def similar(name: str, names: Iterable[str]) -> str:
    """`` Did you mean 'crops'?`` with the most similar of the names, or an empty string."""
    near = get_close_matches(name, list(names), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def classes_in(package: str, methods: Iterable[Any]) -> list[type[Any]]:
    """The classes that the ``class_path`` of these name in a package; their keys, titles and so on come from there."""
    parts = []
    for method in methods:
        module, _, name = method.class_path.partition(".")
        part = getattr(import_module(f"{package}.{module}"), name)
        for field, value in asdict(method).items():
            setattr(part, field, value)
        parts.append(part)
    return parts


class Registry(Generic[Part]):
    """The parts of one kind (``"recipe"``), each with a unique ``key`` and a ``title``.

    ``parts`` may be a function that imports them: it is called when the first part is needed.
    """

    def __init__(self, kind: str, parts: Sequence[Part] | Callable[[], Sequence[Part]]):
        self.kind = kind
        self._given = parts

    @cached_property
    def _parts(self) -> dict[str, Part]:
        parts = self._given() if callable(self._given) else self._given
        by_key = dict(zip(map(attrgetter("key"), parts), parts, strict=True))
        assert len(by_key) == len(parts), f"two {self.kind}s share a key"
        return by_key

    def __getitem__(self, key: str) -> Part:
        if key not in self._parts:
            raise UnknownPartError(
                f"E-UNKNOWN-{self.kind.upper().replace(' ', '-')}",
                f"No {self.kind} is called {key!r}.{similar(str(key), self._parts)} "
                f"Choose from: {', '.join(self._parts)}.",
            )
        return self._parts[key]

    def __contains__(self, key: object) -> bool:
        return key in self._parts

    def __iter__(self) -> Iterator[Part]:
        return iter(self._parts.values())

    def __len__(self) -> int:
        return len(self._parts)

    def keys(self) -> list[str]:
        """The keys, in display order."""
        return list(self._parts)

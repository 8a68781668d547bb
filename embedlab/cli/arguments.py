"""A command is a typed function: what argparse takes is read from its parameters, and what it took is bound to them.

A parameter before ``*`` is typed as it is, one behind it as ``--name``; a group of options is one parameter.
"""

import argparse
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, dataclass_transform, get_args, get_origin, get_type_hints

from embedlab.cli.table import COMMANDS, PROGRAM, SENTENCE
from embedlab.errors import SettingsError


@dataclass(frozen=True)
class Option:
    """What is said of a parameter in ``Annotated``: its help, and what differs from what its name and type say."""

    help: str | None = None
    metavar: str | None = None
    flag: str | None = None
    choices: tuple[str, ...] | None = None
    takes_several: bool = False  # ``--texts A B``; else several are ``--set A --set B``


@dataclass(frozen=True)
class Command:
    """What runs, what prints its result, and which of its options name runs and encoders whose remarks it says."""

    run: Callable[..., tuple[dict, int]]
    show: Callable[[dict], list[str]]
    runs: tuple[str, ...] = ()
    encoders: tuple[str, ...] = ()


@dataclass_transform(frozen_default=True, kw_only_default=True)
def options(title: str | None = None, *, only_one: bool = False, required: bool = False) -> Callable[[type], type]:
    """A group of options that several commands take: a frozen dataclass; of ``only_one`` two exclude each other."""

    def made(of: type) -> type:
        of.group = (title, only_one, required)
        return dataclass(frozen=True, kw_only=True)(of)

    return made


def given(of: Any) -> dict:
    """What of a group was typed, without the groups in it."""
    values = {each.name: getattr(of, each.name) for each in fields(of)}
    return {name: value for name, value in values.items() if value is not None and not is_dataclass(value)}


class Parser(argparse.ArgumentParser):
    """Says a wrong command line as our other errors are said; what a command takes is read when it is called."""

    declare: Callable[[], None] | None = None

    def error(self, message: str):
        raise SettingsError("E-COMMAND", f"{message[0].upper()}{message[1:]}. See: {self.prog} --help")

    def parse_known_args(self, args=None, namespace=None):
        if self.declare is not None:
            self.declare()
            self.declare = None
        return super().parse_known_args(args, namespace)


def parser() -> Parser:
    """The whole command line; no command's file is loaded yet."""
    top = Parser(prog=PROGRAM, description=SENTENCE)
    rooms = {"": top.add_subparsers(title="commands", required=True, parser_class=Parser, metavar="COMMAND")}
    for words, listed in COMMANDS.items():
        room, _, name = words.rpartition(" ")
        if isinstance(listed, str):
            inner = "|".join(each.rpartition(" ")[2] for each in COMMANDS if each.startswith(f"{words} "))
            made = rooms[room].add_parser(name, help=listed)
            rooms[words] = made.add_subparsers(required=True, parser_class=Parser, metavar=inner)
        else:
            file, sentence = listed
            made = rooms[room].add_parser(name, help=sentence, description=f"{sentence[0].upper()}{sentence[1:]}.")
            made.declare = partial(_declare, made, words, file)
    return top


def _declare(made: Parser, words: str, file: str) -> None:
    command = import_module(f"embedlab.cli.{file}").COMMANDS[words]
    made.set_defaults(command=command)
    made.add_argument("--json", action="store_true", help="one JSON object on standard output")
    made.add_argument("--quiet", action="store_true", help="no progress on standard error")
    _add(made, made, command.run)


def _add(made: Parser, into, of: Callable) -> None:
    """The parameters of a command, or of a group of its options."""
    for parameter, kind, option in _parameters(of):
        if is_dataclass(kind):
            title, only_one, required = kind.group
            inner = made.add_argument_group(title) if title else made
            _add(made, made.add_mutually_exclusive_group(required=required) if only_one else inner, kind)
        else:
            flag, facts = _argument(parameter, kind, option)
            into.add_argument(flag, **{k: v for k, v in facts.items() if v is not None or k == "default"})


def _argument(parameter: inspect.Parameter, kind: Any, option: Option) -> tuple[str, dict]:
    """What ``add_argument`` is told of one parameter."""
    name, is_left_out = parameter.name, parameter.default is not parameter.empty
    default = parameter.default if is_left_out else None
    facts = {"help": option.help, "metavar": option.metavar, "default": default}
    flag = option.flag or f"--{'no-' if default is True else ''}{name.replace('_', '-')}"
    if kind is bool:
        return flag, facts | {"dest": name, "action": "store_false" if default else "store_true"}
    facts["choices"] = get_args(kind) if get_origin(kind) is Literal else option.choices
    facts["type"] = kind if kind in (int, float) else None
    is_bare = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    if get_origin(kind) is tuple:
        facts |= {"nargs": "+"} if is_bare or option.takes_several else {"action": "append", "default": list(default)}
    if is_bare:
        return name, {"nargs": "?" if is_left_out else None, **facts, "metavar": option.metavar or name.upper()}
    return flag, facts | {"dest": name, "required": not is_left_out}


def _parameters(of: Callable) -> Iterator[tuple[inspect.Parameter, Any, Option]]:
    """Each parameter that is typed, with its type and what is said of it."""
    hints = get_type_hints(of, include_extras=True)
    for name, parameter in inspect.signature(of).parameters.items():
        if name != "terminal":  # which nobody types
            yield parameter, *_read(hints[name])


def _read(hint: Any) -> tuple[Any, Option]:
    """``Annotated[int | None, Option("…")]`` -> ``int`` and the option."""
    if get_origin(hint) is Annotated:
        return _read(hint.__origin__)[0], hint.__metadata__[0]
    if get_origin(hint) in (Union, UnionType):
        return _read(next(each for each in get_args(hint) if each is not NoneType))
    return hint, Option()


def bound(of: Callable, typed: argparse.Namespace) -> dict:
    """What a command, or a group of its options, is called with."""
    values = {}
    for parameter, kind, _ in _parameters(of):
        value = kind(**bound(kind, typed)) if is_dataclass(kind) else getattr(typed, parameter.name)
        values[parameter.name] = tuple(value) if isinstance(value, list) else value
    return values

"""Every command, and how its typed function becomes a parser: parameters are declared to argparse, then bound.

A parameter before ``*`` is typed as it is, one behind it as ``--name``; a group of options is one parameter.
"""

import argparse
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pkgutil import resolve_name
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NoReturn,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from embedlab.errors import SettingsError

if TYPE_CHECKING:
    from embedlab.measurement import Note

Json = dict[str, Any]  # one object of JSON
Options = TypeVar("Options")
Given = TypeVar("Given")

LISTS = ("recipes", "encoders", "corpora", "metrics", "diagnostics", "baselines", "sets")
# by its words a command's function and sentence; a sentence alone stands before commands of two words
COMMANDS: dict[str, str | tuple[str, str]] = {
    "demo": ("running:demo", "the main job on a built-in corpus: a small pretrained encoder learns from text crops"),
    "corpus": "inspect a corpus, summarize its texts, take some of them",
    "corpus check": ("corpora:check", "what is in a corpus, and how a run would use it"),
    "corpus summarise": ("corpora:summarise", "several summaries of each text, as SemCSE trains on them"),
    "corpus delete": ("corpora:delete_corpus", "remove a stored corpus; runs on it stay"),
    "corpus subset": ("corpora:subset", "some texts of a corpus as a new corpus"),
    "train": ("running:train", "fine-tune an encoder"),
    "pairs": "given pairs to train on",
    "pairs mine": ("mining:mine", "hard negatives for given pairs, mined by an encoder"),
    "embed": ("embedding:embed", "texts to vectors"),
    "evaluate": ("evaluating:evaluate", "measure embeddings"),
    "benchmark": ("benchmarking:benchmark", "public tasks: MTEB, BEIR, USEB, SciRepEval"),
    "map": ("embedding:draw_map", "two coordinates for every text"),
    "import": ("running:import_vectors", "your own embeddings or coordinates as a run"),
    "figure": ("embedding:figure", "a run's maps as a figure for a paper"),
    "selections": "saved groups of texts",
    "selections list": ("corpora:selections", "all selections, newest first"),
    "selections show": ("corpora:show", "one selection with its rows"),
    "selections delete": ("corpora:delete", "remove a selection; its texts stay"),
    "selections export": ("corpora:export", "its texts as CSV or Parquet"),
    "learn": "lessons that train in the student's own browser",
    "learn list": ("learning:list_lessons", "built-in lessons and your own"),
    "learn check": ("learning:check", "every rule and claim of a lesson"),
    "learn export": ("learning:export", "a lesson as one HTML file"),
    "learn delete": ("learning:delete", "remove a lesson of your own"),
    "learn tally": ("learning:tally", "a class's answers, from the lines that students copied"),
    "learn pack": ("learning:pack", "rebuild the packaged numbers of the lessons"),
    "layers": ("diagnosing:layers", "kNN accuracy after every layer"),
    "diagnose": ("diagnosing:diagnose", "diagnostics of an encoder, before and after"),
    "length": ("diagnosing:length", "the length attack"),
    "runs": "see, stop, resume, rename, tag, delete and export runs",
    "runs list": ("listing:runs", "all runs, newest first"),
    "runs show": ("listing:show", "one run"),
    "runs log": ("listing:log", "a run's log, wherever its worker runs"),
    "runs stop": ("listing:stop", "stop a run after the current step and keep the best encoder"),
    "runs resume": ("listing:resume", "continue from the newest checkpoint"),
    "runs rename": ("listing:rename", "change its name, or add a note"),
    "runs tag": ("listing:tag", "add tags, to find it among many runs"),
    "runs delete": ("listing:delete", "remove a run"),
    "runs export": ("listing:export", "one run as a zip file"),
    "runs replay": ("listing:replay", "one run as one HTML file that replays it"),
    "runs push": ("pushing:push", "a run's encoder to the Hugging Face hub"),
    "study": "sweep one setting over values and seeds",
    "study list": ("studying:kinds", "all studies"),
    "study run": ("studying:run", "sweep one setting"),
    "study show": ("studying:show", "one study: its points and its conclusion"),
    "study resume": ("studying:resume", "continue with the missing runs"),
    "study stop": ("studying:stop", "stop the current run and the study"),
    "study export": ("studying:export", "table or figure as a file"),
    "study delete": ("studying:delete", "remove a study; its runs stay"),
    "find": "the best encoder for a corpus in a given time",
    "find run": ("finding:run", "search for the best encoder"),
    "find label": ("finding:label", "texts to label by hand, as a file to fill in"),
    "find list": ("finding:all_finds", "all Finds"),
    "find show": ("finding:show", "one Find: its leaderboard and its verdict"),
    "find resume": ("finding:resume", "continue where it stopped"),
    "find stop": ("finding:stop", "stop what is running; results are kept"),
    "find export": ("finding:export", "the leaderboard as a table"),
    "find delete": ("finding:delete", "remove a Find, its candidates and its winner's run"),
    "storage": "what lies in the store by size; prune it, or bring back what was deleted",
    "storage show": ("storing:show", "every kind of content with its size"),
    "storage prune": ("storing:prune_store", "remove what can be made again"),
    "storage trash": ("storing:trash", "what was deleted less than a day ago"),
    "storage restore": ("storing:restore", "bring back what was deleted"),
    "storage adopt": ("storing:adopt", "count and prune a folder that an earlier version made"),
    "methods": ("running:methods", "how a run was made, cited"),
    "classes": ("comparing:classes", "every class of a run, before and after"),
    "moves": ("comparing:moves", "what moved between two encoders"),
    "compare": ("comparing:compare", "runs in one table"),
    **{name: (f"parts:{name}", f"all {name}") for name in LISTS},
    "executors": (
        "parts:executors",
        "where runs can be executed, what each executor needs, and whether it is reachable now",
    ),
    "parts": ("parts:parts", "every part of every kind"),
}

USUAL = {"find": "run", "storage": "show"}  # what is meant where options follow a room of commands
ALIASES = {"import": ("bring",)}  # a command's further names; the help shows them in brackets behind the first


@dataclass(frozen=True)
class Option:
    """Describes a parameter in ``Annotated``: its help, and what its name and type do not say."""

    help: str | None = None
    metavar: str | None = None
    flag: str | None = None
    choices: tuple[str, ...] | None = None
    takes_several: bool = False  # ``--texts A B``; else several are ``--set A --set B``
    names: Literal["run", "encoder"] | None = None  # whose remarks are printed with the result


@dataclass(frozen=True)
class Outcome:
    """What a command gives: the object of ``--json``, and for a person its lines, by default names and values.

    ``warnings`` are under this name in the object, and lines below the others.
    """

    facts: Json
    lines: Sequence[str] | None = None
    code: int = 0
    warnings: "Sequence[Note] | None" = None


def deleted(facts: Json) -> Outcome:
    """Return the outcome of a command that moved something to the trash: what it was, and how it comes back."""
    (kind, name), *_ = facts.items()
    hint = "It stays in the trash for a day: python -m embedlab storage restore"
    return Outcome({**facts, "deleted": True}, [f"Deleted the {kind} {name}. {hint} {name}"])


@dataclass(frozen=True)
class Group:
    """A group of options in the help; those of ``only_one`` exclude each other."""

    title: str | None
    only_one: bool
    required: bool


_GROUPS: dict[type, Group] = {}


@dataclass_transform(frozen_default=True, kw_only_default=True)
def options(
    title: str | None = None, *, only_one: bool = False, required: bool = False
) -> Callable[[type[Options]], type[Options]]:
    """Makes a class a group of options that several commands share: a frozen dataclass."""

    def grouped(options_class: type[Options]) -> type[Options]:
        _GROUPS[options_class] = Group(title, only_one, required)
        return dataclass(frozen=True, kw_only=True)(options_class)

    return grouped


def given(group: Any) -> Json:
    """The options of a group that were typed, without nested groups."""
    values = {each.name: getattr(group, each.name) for each in fields(group)}
    return {name: value for name, value in values.items() if value is not None and not is_dataclass(value)}


class Parser(argparse.ArgumentParser):
    """Raises a wrong command line as our own error; a command's options are read when it is called."""

    reference: str | None = None  # of a command's function, until its options are read

    def error(self, message: str) -> NoReturn:
        raise SettingsError("E-COMMAND", f"{message[0].upper()}{message[1:]}. See: {self.prog} --help")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.reference is not None:
            command = resolve_name(f"embedlab.cli.{self.reference}")
            self.reference = None
            self.set_defaults(command=command)
            self.add_argument("--json", action="store_true", help="one JSON object on standard output")
            self.add_argument("--quiet", action="store_true", help="no progress on standard error")
            _add(self, self, command)
        return super().parse_known_args(args, namespace)


def parser() -> Parser:
    """The whole command line, without loading any command's file."""
    about = "Fine-tune sentence encoders without labels and see what changes."
    top = Parser(prog="python -m embedlab", description=about)
    rooms = {"": top.add_subparsers(title="commands", required=True, parser_class=Parser, metavar="COMMAND")}
    for words, entry in COMMANDS.items():
        room, _, name = words.rpartition(" ")
        if isinstance(entry, str):
            inner = "|".join(each.rpartition(" ")[2] for each in COMMANDS if each.startswith(f"{words} "))
            command = rooms[room].add_parser(name, help=entry)
            rooms[words] = command.add_subparsers(required=True, parser_class=Parser, metavar=inner)
        else:
            reference, sentence = entry
            description, aliases = f"{sentence[0].upper()}{sentence[1:]}.", ALIASES.get(words, ())
            command = rooms[room].add_parser(name, help=sentence, description=description, aliases=aliases)
            command.reference = reference
    return top


def _add(parser: Parser, into: argparse._ActionsContainer, function: Callable) -> None:
    """Add the parameters of a command or of a group of options."""
    for parameter, kind, option in _parameters(function):
        if kind in _GROUPS:
            group = _GROUPS[kind]
            inner = parser.add_argument_group(group.title) if group.title else parser
            _add(
                parser, parser.add_mutually_exclusive_group(required=group.required) if group.only_one else inner, kind
            )
        else:
            _add_argument(into, parameter, kind, option)


def _add_argument(into: argparse._ActionsContainer, parameter: inspect.Parameter, kind: Any, option: Option) -> None:
    name, is_left_out = parameter.name, parameter.default is not parameter.empty
    default = parameter.default if is_left_out else None
    flag = option.flag or f"--{'no-' if default is True else ''}{name.replace('_', '-')}"
    if kind is bool:
        action = "store_false" if default else "store_true"
        into.add_argument(flag, dest=name, action=action, default=default, help=option.help)
        return
    facts: Json = {"help": option.help, "metavar": option.metavar, "default": default}
    facts["choices"] = get_args(kind) if get_origin(kind) is Literal else option.choices
    facts["type"] = kind if kind in (int, float) else None
    is_bare = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    if get_origin(kind) is tuple:
        several = is_bare or option.takes_several
        facts |= {"nargs": "+"} if several else {"action": "append", "default": list(parameter.default)}
    if is_bare:
        flag, facts = name, {"nargs": "?" if is_left_out else None, **facts, "metavar": option.metavar or name.upper()}
    else:
        facts |= {"dest": name, "required": not is_left_out}
    into.add_argument(flag, **{k: v for k, v in facts.items() if v is not None or k == "default"})


def _parameters(function: Callable) -> Iterator[tuple[inspect.Parameter, Any, Option]]:
    """Each parameter with its type and description."""
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if name != "terminal":  # which nobody types
            yield parameter, *_read(hints[name])


def _read(hint: Any) -> tuple[Any, Option]:
    """``Annotated[int | None, Option("…")]`` -> ``int`` and the option."""
    if get_origin(hint) is Annotated:
        return _read(hint.__origin__)[0], hint.__metadata__[0]
    if get_origin(hint) in (Union, UnionType):
        return _read(next(each for each in get_args(hint) if each is not NoneType))
    return hint, Option()


def called(function: Callable[..., Given], typed: argparse.Namespace, *first: Any) -> Given:
    """What a command gives, or a group of its options made, by what was typed."""
    values = {}
    for parameter, kind, _ in _parameters(function):
        value = called(kind, typed) if kind in _GROUPS else getattr(typed, parameter.name)
        values[parameter.name] = tuple(value) if isinstance(value, list) else value
    return function(*first, **values)


def named(what: str, function: Callable, typed: argparse.Namespace) -> list[str]:
    """The runs or encoders that were typed and whose remarks are printed."""
    names = []
    for parameter, kind, option in _parameters(function):
        if kind in _GROUPS:
            names += named(what, kind, typed)
        elif option.names == what:
            value = getattr(typed, parameter.name)
            names += value if isinstance(value, list) else [value]
    return names

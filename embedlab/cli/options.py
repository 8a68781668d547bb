"""What several commands share: a parser that says its mistakes as we do, and groups of options."""

import argparse

from embedlab.distance import DISTANCES, SHOWN_FIRST
from embedlab.errors import SettingsError


class Parser(argparse.ArgumentParser):
    """Says a wrong command line as our other errors are said."""

    def error(self, message: str):
        raise SettingsError("E-COMMAND", f"{message[0].upper()}{message[1:]}. See: {self.prog} --help")


def command(parent, name: str, sentence: str, command: str, show: str):
    """A command; what runs and what shows its result are named ``module.function``, and loaded when needed."""
    made = parent.add_parser(name, help=sentence, description=sentence[0].upper() + sentence[1:] + ".")
    made.add_argument("--json", action="store_true", help="one JSON object on standard output")
    made.add_argument("--quiet", action="store_true", help="no progress on standard error")
    made.set_defaults(command=command, show=show)
    return made


def shown_by(made) -> None:
    """By which distance is printed and drawn."""
    said = "by which distance kNN accuracy is printed and drawn (default: cosine); --json has both"
    made.add_argument("--distance", choices=list(DISTANCES), default=SHOWN_FIRST, help=said)


def waiting(made) -> None:
    """Follow it to its end, or return at once."""
    group = made.add_mutually_exclusive_group()
    group.add_argument("--wait", action="store_true", default=True, help="follow it to its end (default)")
    group.add_argument("--detach", action="store_false", dest="wait", help="return at once; it goes on")


def executor(made) -> None:
    """With whom a run is started; a wrong name is said by ``executor_of``."""
    made.add_argument("--on", metavar="EXECUTOR", help="local, ray or slurm, as executors lists them")


def reading(made) -> None:
    """How a corpus is read."""
    group = made.add_argument_group("reading the corpus; what is left out is proposed from names and content")
    for name in ("text", "label", "title", "unlabeled"):
        group.add_argument(f"--{name}", metavar="VALUE" if name == "unlabeled" else name.upper())
    group.add_argument("--summaries", metavar="COL[,COL…]")
    parsing(made)


def parsing(made) -> None:
    """How a file is parsed, whatever it holds: the fields of ``ReadOptions``."""
    group = made.add_argument_group("how the file is parsed; what is left out is found from its content")
    group.add_argument("--encoding", help="as in cp1252")
    group.add_argument("--separator", metavar="NAME", help="comma, semicolon, tab, bar, space, or the sign itself")
    group.add_argument("--quoting", metavar="KIND", help="doubled, backslash or none: what quotes mean")
    group.add_argument("--sheet", metavar="NAME", help="the sheet of a workbook")
    group.add_argument("--header-row", type=int, metavar="N", help="the row of column names, from 1; 0 for none")
    accept = "read it this way although something speaks against it"
    group.add_argument("--accept-reading", action="store_true", default=None, help=accept)

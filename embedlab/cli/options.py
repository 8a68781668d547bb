"""What commands share, a parser that says its mistakes as we do and groups of options, and those of ``study``."""

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


def add_study(commands) -> None:
    """``study list|run|show|…``"""
    inner = commands.add_parser("study", help="sweep one setting over values and seeds").add_subparsers(
        required=True, parser_class=Parser, metavar="list|run|show|resume|stop|export|delete"
    )
    command(inner, "list", "the studies there are", "studying.kinds", "studying.show_kinds")
    made = command(inner, "run", "sweep one setting", "studying.run", "studying.show_study")
    made.add_argument("kind", metavar="KIND", help="as study list names it, or own with --setting")
    made.add_argument("--corpus", required=True)
    made.add_argument("--encoder", default="token")
    made.add_argument("--recipe", default="", help="in place of the one the paper sweeps")
    made.add_argument("--values", metavar="V,V,…", help="in place of the paper's")
    made.add_argument("--seeds", default="0,1,2", metavar="0,1,2")
    said = "a second setting, a line each: recipe=crops,simcse, encoder=token,minilm, pooling=mean,cls, corpus=A,B"
    made.add_argument("--series", default="", metavar="SETTING=V,V,…", help=said)
    made.add_argument("--setting", metavar="PATH", help="of the kind own, as batch_size")
    made.add_argument("--set", action="append", default=[], metavar="SETTING=VALUE", dest="sets", help="for all runs")
    made.add_argument("--estimate", action="store_true", help="time a few steps and say how long the study would take")
    waiting(made)
    _fanning_out(made)
    reading(made)
    shown_by(made)
    for name, sentence in (
        ("show", "one study: its points and its sentence"),
        ("resume", "go on with the runs that are missing"),
        ("stop", "end the present run and the study"),
        ("export", "table or figure as a file"),
        ("delete", "remove a study; its runs stay"),
    ):
        show = "studying.show_study" if name in ("show", "resume") else "studying.show_one"
        one = command(inner, name, sentence, f"studying.{name}", show)
        one.add_argument("study", metavar="ID")
        if name == "resume":
            waiting(one)
            _fanning_out(one)
        if name == "delete":
            one.add_argument("--with-runs", action="store_true", help="its runs too, where no other study has them")
        if name not in ("stop", "delete"):
            shown_by(one)
        if name == "export":
            one.add_argument("--out", required=True, metavar="FILE.csv|.svg|.png|.html")
            said = "what is drawn: accuracy (default), difference, loss, seconds, … as far as the runs hold it"
            one.add_argument("--measure", default="accuracy", metavar="KEY", help=said)
            one.add_argument(
                "--view",
                choices=["lines", "heat", "mean"],
                default="lines",
                help="heat: of two swept settings; mean: over the corpora of --series corpus=…",
            )


def _fanning_out(made) -> None:
    executor(made)
    said = "runs at the same time at most (default: as many as the executor has room for; on this computer one)"
    made.add_argument("--at-once", type=int, metavar="N", help=said)

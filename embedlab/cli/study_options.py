"""``study``: its commands with their options."""

from embedlab.cli.options import Parser, command, executor, reading, shown_by, waiting


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

"""Every command with its options."""

import argparse

from embedlab.cli.options import Parser, add_study, command, executor, reading
from embedlab.distance import DISTANCES, SHOWN_FIRST
from embedlab.map_methods import ALL_MAPS, MAP_METHODS

VECTORS = "FILE.npy|.npz|.parquet"


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = Parser(
        prog="python -m embedlab", description="Fine-tune sentence encoders without labels and see what changes."
    )
    commands = top.add_subparsers(title="commands", required=True, parser_class=Parser, metavar="COMMAND")

    demo = command(
        commands, "demo", "the main job: built-in corpus, token encoder, text crops", "running.demo", "running.show_run"
    )
    demo.add_argument("--seed", type=int, default=0)
    executor(demo)

    corpus = commands.add_parser(
        "corpus", help="look at a corpus, have its texts summarised, take some of them"
    ).add_subparsers(required=True, parser_class=Parser, metavar="check|summarise|subset")
    check = command(
        corpus,
        "check",
        "what is in a corpus, and what a run would make of it",
        "measuring.check",
        "measuring.show_check",
    )
    check.add_argument("corpus", metavar="CORPUS")
    reading(check)
    _summarise(corpus)
    _subset(corpus)

    train = command(commands, "train", "fine-tune an encoder", "running.train", "running.show_run")
    train.add_argument("--settings", metavar="FILE.json", help="settings of a run; what is said beside it wins")
    train.add_argument("--corpus", help="needed unless --settings names one, or --pairs a file")
    train.add_argument("--encoder", help="default: token")
    train.add_argument("--recipe", help="default: crops")
    train.add_argument("--epochs", type=int)
    train.add_argument("--seed", type=int)
    train.add_argument("--set", action="append", default=[], metavar="SETTING=VALUE", dest="sets")
    train.add_argument("--name", default="")
    train.add_argument("--estimate", action="store_true", help="time a few steps and say how long the run would take")
    executor(train)
    waiting = train.add_mutually_exclusive_group()
    waiting.add_argument("--wait", action="store_true", default=True, help="follow the run to its end (default)")
    waiting.add_argument("--detach", action="store_false", dest="wait", help="return at once; the run goes on")
    reading(train)
    _pairs(train)

    embed = command(commands, "embed", "texts to vectors", "measuring.embed", "measuring.show_embed")
    _encoder(embed)
    embed.add_argument("--corpus", required=True)
    embed.add_argument("--out", required=True, metavar="FILE.npy")
    embed.add_argument(
        "--precision",
        choices=["auto", "fp32", "bf16"],
        default="auto",
        help="auto: bf16 where the device has it and the cosine to fp32 is at least 0.9999 for 64 texts",
    )
    executor(embed)
    _post(embed)
    reading(embed)

    evaluate = command(
        commands, "evaluate", "measure embeddings", "evaluating.evaluate", "evaluation_lines.show_evaluate"
    )
    _encoder(evaluate, embeddings=True, baseline=True)
    _vectors(evaluate, joined=True)
    evaluate.add_argument("--corpus", help="needed unless --run names one or --on names a file")
    evaluate.add_argument("--metrics", metavar="knn,linear,…|all", help="knn, or whatever the file of --on serves")
    evaluate.add_argument("--protocol", choices=["paper", "cv10"], default="paper")
    on = "pairs, queries, judgements or candidates to measure on, or a folder or zip as BEIR keeps them"
    evaluate.add_argument("--on", metavar="FILE", help=on)
    _set_reading(evaluate)
    evaluate.add_argument("--words", metavar="FILE", help="GloVe or word2vec vectors, for the baseline static")
    evaluate.add_argument(
        "--against", metavar="ENCODER|BASELINE|untouched", help="measure this too, and how sure the difference is"
    )
    _post(evaluate, several=True)
    reading(evaluate)

    _benchmark(commands)

    draw = command(commands, "map", "two coordinates for every text", "mapping.draw_map", "mapping.show_map")
    _encoder(draw, embeddings=True, encoder=False)
    _vectors(draw)
    draw.add_argument("--method", choices=MAP_METHODS.keys(), default="tsne")
    draw.add_argument("--onto", metavar="ID", help="start from the map after of this run, on the same corpus")
    _post(draw)
    draw.add_argument("--out", required=True, metavar="FILE.parquet")

    _bring(commands)
    _figure(commands)
    _selections(commands)
    _learn(commands)

    layers = command(
        commands, "layers", "kNN accuracy after every layer", "diagnosing.layers", "diagnosing.show_layers"
    )
    _encoder(layers)
    layers.add_argument("--corpus", help="needed unless --run names one")
    layers.add_argument("--token", type=int, metavar="N", help="read the N-th token too, counted from 0")
    layers.add_argument("--linear", action="store_true", help="a linear probe after every layer too")
    layers.add_argument("--at-most", type=int, metavar="TEXTS", help="of more labelled texts a sample (default: 5000)")
    layers.add_argument("--maps", action="store_true", help="with --run alone: draw a map of every layer into the run")
    reading(layers)

    diagnose = command(
        commands,
        "diagnose",
        "diagnostics of an encoder, before and after",
        "diagnosing.diagnose",
        "diagnosing.show_diagnose",
    )
    _encoder(diagnose)
    diagnose.add_argument("--corpus", help="needed unless --run names one")
    diagnose.add_argument("--only", metavar="KEY,…", help="as diagnostics lists them (default: all)")
    diagnose.add_argument("--pairs", metavar="FILE", help="pairs of texts with scores, in place of the corpus's own")
    diagnose.add_argument("--texts", nargs="+", metavar="TEXT", help="one or two texts, for those that look at a text")
    diagnose.add_argument("--against", metavar="untouched|ID", help="a run whose encoder stands as before")
    reading(diagnose)

    length = command(commands, "length", "the length attack", "diagnosing.length", "diagnosing.show_length")
    _encoder(length)
    length.add_argument("--corpus", help="needed unless --run names one")
    length.add_argument("--copies", type=int, default=100)
    length.add_argument(
        "--pairs", metavar="FILE", help="sentence pairs (columns sentence1, sentence2) in place of the corpus's"
    )
    length.add_argument("--on", metavar="FILE", help="scored pairs: does their Spearman survive? (README: files)")
    reading(length)

    runs = commands.add_parser("runs", help="see, stop, resume, rename, delete and export runs").add_subparsers(
        required=True, parser_class=Parser, metavar="list|show|log|stop|resume|rename|delete|export|replay"
    )
    command(runs, "list", "all runs, newest first", "listing.runs", "listing.show_runs")
    for name, sentence in (
        ("show", "one run"),
        ("stop", "end a run after its step, keep the best encoder"),
        ("resume", "go on from the newest checkpoint"),
        ("rename", "call it something else, with a note"),
        ("delete", "remove a run"),
        ("export", "one run as a zip file"),
    ):
        one = command(runs, name, sentence, f"listing.{name}", "listing.show_one")
        one.add_argument("run", metavar="ID")
        if name == "rename":
            one.add_argument("name", metavar="NAME")
            one.add_argument("--note", metavar="TEXT", help="what you want to remember of it (default: as it is)")
        if name == "resume":
            executor(one)
        if name == "export":
            one.add_argument("--out", required=True, metavar="FILE.zip")
    log = command(runs, "log", "what a run's worker said, wherever it works", "listing.log", "listing.show_log")
    log.add_argument("run", metavar="ID")
    log.add_argument("--follow", action="store_true", help="print what is said until the run is over")
    replay = command(runs, "replay", "one run as one HTML file that replays it", "running.replay", "listing.show_one")
    replay.add_argument("run", metavar="ID")
    replay.add_argument("--out", required=True, metavar="FILE.html")
    replay.add_argument("--without-texts", action="store_true", help="places, classes and curves only")
    add_study(commands)
    written = command(commands, "methods", "how a run was made, cited", "running.methods", "running.show_methods")
    written.add_argument("run", metavar="ID")
    by_class = command(commands, "classes", "every class of a run, before and after", "classes.classes",
                        "classes.show_classes")  # fmt: skip
    by_class.add_argument("run", metavar="ID")
    said = "which kNN accuracy is printed (default: cosine); --json has both anyhow"
    by_class.add_argument("--distance", choices=list(DISTANCES), default=SHOWN_FIRST, help=said)
    _moves(commands)
    _compare(commands)
    for name in ("recipes", "encoders", "corpora", "metrics", "diagnostics", "baselines", "sets"):
        command(commands, name, f"the {name} there are", f"listing.{name}", "listing.show_parts")
    said = "who can work on runs, what each needs, and whether it is reachable now"
    command(commands, "executors", said, "listing.executors", "listing.show_executors")
    command(commands, "parts", "every part of every kind", "listing.parts", "listing.show_all_parts")
    return top


def _bring(commands) -> None:
    made = command(commands, "bring", "own embeddings or coordinates as a run", "running.bring", "running.show_bring")
    made.add_argument("--corpus", required=True)
    made.add_argument("--before", metavar=VECTORS, help="embeddings, joined with the corpus by its ids, else by row")
    made.add_argument("--after", metavar=VECTORS, help="embeddings of a second encoder, to be compared with the first")
    made.add_argument("--coordinates", metavar=VECTORS, help="a map: the columns x and y, or an array (rows, 2)")
    made.add_argument("--coordinates-after", metavar=VECTORS, help="a second map")
    _vectors(made, joined=True)
    made.add_argument("--name", default="")
    reading(made)


def _vectors(made, *, joined: bool = False) -> None:
    """What in a file of vectors is which."""
    made.add_argument("--column", help="the list column, stem of numbered columns or array that holds the embeddings")
    if joined:
        said = "join the vectors with the corpus by this column of theirs, by row numbers or by the order "
        said += "(default: a column of ids that both have, else by row)"
        made.add_argument("--vector-ids", metavar="COLUMN|row|order", help=said)


def _learn(commands) -> None:
    inner = commands.add_parser("learn", help="lessons that train in the student's own browser").add_subparsers(
        required=True, parser_class=Parser, metavar="list|check|export|tally|pack"
    )
    command(inner, "list", "built-in lessons and your own", "learning.list_lessons", "learning.show_list")
    check = command(inner, "check", "every rule and claim of a lesson", "learning.check", "learning.show_check")
    check.add_argument("file", metavar="FILE.md|KEY")
    export = command(inner, "export", "a lesson as one HTML file", "learning.export", "learning.show_export")
    export.add_argument("lesson", metavar="KEY|FILE.md|all")
    export.add_argument("--out", required=True, metavar="FILE.html|FOLDER")
    export.add_argument("--anyway", action="store_true", help="although a claim does not hold; the file says which")
    for made in (check, export):
        said = "a run for a name that the lesson uses (default: the packaged ones)"
        made.add_argument("--run", action="append", default=[], metavar="NAME=ID", dest="runs", help=said)
        made.add_argument("--corpus", help="labelled texts to train on in the browser (default: docs)")
        reading(made)
    count = command(
        inner, "tally", "answers of a class, from lines they copied", "learning.tally", "learning.show_tally"
    )
    count.add_argument("file", metavar="FILE|-")
    count.add_argument("--out", metavar="FILE.csv", help="a row a student")
    command(inner, "pack", "make the packaged numbers of the lessons again", "learning.pack", "learning.show_pack")


def _figure(commands) -> None:
    made = command(commands, "figure", "a run's maps for a paper", "mapping.figure", "mapping.show_figure")
    made.add_argument("--run", required=True, metavar="ID")
    made.add_argument("--method", choices=list(ALL_MAPS), default="tsne")
    made.add_argument("--against", metavar="ID", help="another run on the left, in place of this one's map before")
    made.add_argument("--maps", choices=["both", "left", "right"], help="both beside each other (default), or one")
    made.add_argument("--format", choices=["pdf", "svg", "png"], help="default: by --out")
    made.add_argument("--width", type=float, metavar="MM", dest="width_mm", help="85 is one column, 174 (default) two")
    made.add_argument("--dpi", type=int, help="of the points, and of a PNG (default 300)")
    made.add_argument("--names", choices=["map", "legend", "none"], help="where class names stand (default: map)")
    made.add_argument("--title", help="a line above the maps")
    made.add_argument("--no-caption", action="store_true", help="without method, seed, texts and measure below")
    made.add_argument("--selection", metavar="ID", help="only its texts keep their colours")
    of_corner = "of kNN accuracy in the corner (default: the one that the map was drawn with)"
    made.add_argument("--distance", choices=list(DISTANCES), help=of_corner)
    made.add_argument("--out", required=True, metavar="FILE.pdf|.svg|.png")


def _selections(commands) -> None:
    inner = commands.add_parser("selections", help="kept groups of texts").add_subparsers(
        required=True, parser_class=Parser, metavar="list|show|delete|export"
    )
    command(inner, "list", "all selections, newest first", "selecting.selections", "selecting.show_selections")
    for name, sentence in (
        ("show", "one selection with its rows"),
        ("delete", "remove a selection; its texts stay"),
        ("export", "its texts as CSV or Parquet"),
    ):
        one = command(inner, name, sentence, f"selecting.{name}", "listing.show_one")
        one.add_argument("selection", metavar="ID")
        if name == "export":
            one.add_argument("--out", required=True, metavar="FILE.csv|.parquet")


def _subset(corpus) -> None:
    made = command(
        corpus, "subset", "some texts of a corpus as a corpus of their own", "selecting.subset", "selecting.show_subset"
    )
    made.add_argument("corpus", metavar="CORPUS", nargs="?", help="not needed with --selection")
    which = made.add_mutually_exclusive_group(required=True)
    which.add_argument("--selection", metavar="ID", help="as selections list names it")
    which.add_argument("--rows", metavar="FILE", help="row numbers from 0: an .npy array, or one a line")
    which.add_argument("--class", action="append", metavar="LABEL", dest="classes", help="may be given several times")
    made.add_argument("--name", default="", help="what the new corpus is called")
    reading(made)


def _benchmark(commands) -> None:
    made = command(
        commands,
        "benchmark",
        "public tasks: MTEB, BEIR, USEB, SciRepEval",
        "benchmarking.benchmark",
        "benchmarking.show_benchmark",
    )
    _encoder(made)
    made.add_argument("--set", required=True, metavar="SET", dest="benchmark", help="a benchmark as parts lists them")
    made.add_argument("--tasks", metavar="A,B", help="some of its tasks (default: all)")
    made.add_argument("--needs", action="store_true", help="only say what would be fetched, and how many texts it is")
    made.add_argument("--folder", metavar="FOLDER", help="data-eval, the folder of USEB's files")


def _moves(commands) -> None:
    made = command(commands, "moves", "what moved between two encoders", "moving.moves", "moving.show_moves")
    made.add_argument("--run", required=True, metavar="ID")
    made.add_argument("--against", metavar="ID", help="another run on the same corpus (default: the untouched encoder)")
    made.add_argument("--most", type=int, default=100, metavar="TEXTS", help="how many ranked texts (default 100)")


def _compare(commands) -> None:
    made = command(commands, "compare", "runs in one table", "comparing.compare", "comparing.show_compare")
    made.add_argument("runs", nargs="+", metavar="RUN")
    made.add_argument("--metrics", metavar="knn,linear,…", help="in place of all that were measured")
    made.add_argument("--source", default="corpus", metavar="corpus|SET", help="an evaluation set by its fingerprint")
    made.add_argument("--pivot", action="store_true", help="recipe by corpus: the mean over seeds")
    said = "all that was measured in columns, with gains: corpora, sets, public benchmarks, geometry"
    made.add_argument("--side-by-side", action="store_true", help=said)
    made.add_argument("--columns", metavar="KEY,KEY,…", help="of --side-by-side, by the keys that its --json lists")
    made.add_argument("--score", action="store_true", help="of --side-by-side: SemCSE's performance score")
    made.add_argument("--printed", action="store_true", help="of --side-by-side: what the papers print of the columns")
    made.add_argument("--format", choices=["table", "csv", "latex", "markdown"], help="default: by --out, else table")
    said = "whose kNN accuracy stands first in a table, which has both (default: cosine); --json has both anyhow"
    made.add_argument("--distance", choices=list(DISTANCES), default=SHOWN_FIRST, help=said)
    made.add_argument("--out", metavar="FILE", help=".txt, .csv, .tex or .md")


def _post(made, *, several: bool = False) -> None:
    steps = "centre,whiten,flow" if several else "centre|whiten|flow"
    said = "measure also after each of these steps" if several else "change the finished vectors by this step"
    made.add_argument("--post", default="none", metavar=f"none|{steps}", help=said)
    made.add_argument(
        "--set", action="append", default=[], metavar="SETTING=VALUE", dest="sets", help="as post.flow.epochs=5"
    )


def _summarise(corpus) -> None:
    made = command(
        corpus,
        "summarise",
        "several summaries of each text, as SemCSE trains on them",
        "summarising.summarise",
        "summarising.show_summarise",
    )
    made.add_argument("corpus", metavar="CORPUS")
    made.add_argument("--by", required=True, metavar="local|endpoint|extractive", help="who writes them")
    made.add_argument("--model", help="hf:owner/name or a folder; of an endpoint the model's name there")
    made.add_argument("--url", help="base address of an endpoint; the texts are sent there")
    made.add_argument("--api", metavar="completions|chat", help="of an endpoint")
    made.add_argument("--continuations", type=int, default=3, help="for each of the five prompts (default 3)")
    made.add_argument("--limit", type=int, metavar="TEXTS", help="so many texts, drawn at random")
    made.add_argument("--estimate", action="store_true", help="summarise a few texts and say what all would take")
    made.add_argument("--set", action="append", default=[], metavar="SETTING=VALUE", dest="sets")
    reading(made)


def _pairs(made) -> None:
    group = made.add_argument_group("given pairs to train on; columns that are left out are proposed from their names")
    group.add_argument("--pairs", metavar="FILE", help="train by ranking, triplet, cosine-mse or cosent on its rows")
    group.add_argument("--anchor", metavar="COL", help="the first texts")
    group.add_argument("--positive", metavar="COL", help="the texts that belong to them, or that are compared")
    group.add_argument("--negative", metavar="COL[,COL…]", help="texts that do not belong to them")
    group.add_argument("--score", metavar="COL", help="how alike both are")
    group.add_argument(
        "--scale", metavar="LOW,HIGH", help="lowest and highest score (default: the usual one that fits)"
    )
    group.add_argument(
        "--nli", metavar="LABEL,LABEL…", help="what 0, 1, 2 are (default: entailment,neutral,contradiction)"
    )
    group.add_argument("--split", help="rows whose column split has this value (default: train)")
    group.add_argument("--judge", metavar="FILE", help="pairs or queries that judge before, while and after")
    group.add_argument("--judge-split", metavar="SPLIT", help="rows of --judge (default: dev, else test)")
    group.add_argument("--judge-documents", metavar="FILE", help="the texts that the queries of --judge search")


def _set_reading(made) -> None:
    group = made.add_argument_group("reading the file of --on; what is left out is proposed from names and content")
    group.add_argument("--documents", metavar="FILE", help="the texts that its queries search")
    group.add_argument("--queries", metavar="FILE", help="the texts of its queries, where it holds judgements alone")
    group.add_argument("--split", help="rows whose column split has this value, or these judgements (default: test)")
    group.add_argument("--anchor", metavar="COL", help="the first texts of pairs")
    group.add_argument("--positive", metavar="COL", help="the texts that they are compared with")
    group.add_argument("--score", metavar="COL", help="how alike both are")
    group.add_argument(
        "--scale", metavar="LOW,HIGH", help="lowest and highest score (default: the usual one that fits)"
    )
    kept = "leave a query's own document out, or keep it (default: ids and texts tell)"
    group.add_argument("--own", choices=["leave", "keep"], help=kept)


def _encoder(made, *, embeddings: bool = False, encoder: bool = True, baseline: bool = False) -> None:
    group = made.add_mutually_exclusive_group(required=True)
    group.add_argument("--run", metavar="ID")
    if encoder:
        group.add_argument("--encoder")
    if embeddings:
        group.add_argument("--embeddings", metavar=VECTORS)
    if baseline:
        group.add_argument("--baseline", metavar="tfidf|svd|bm25|…")
        group.add_argument("--ranking", metavar="FILE", help="a run file of TREC, on the judgements of --on")

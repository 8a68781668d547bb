"""Every command with its options."""

import argparse

from embedlab.errors import SettingsError


class _Parser(argparse.ArgumentParser):
    """Says a wrong command line as our other errors are said."""

    def error(self, message: str):
        raise SettingsError("E-COMMAND", f"{message[0].upper()}{message[1:]}. See: {self.prog} --help")


def parser() -> argparse.ArgumentParser:
    """The command line of DESIGN, section 5."""
    top = _Parser(
        prog="python -m embedlab", description="Fine-tune sentence encoders without labels and see what changes."
    )
    commands = top.add_subparsers(title="commands", required=True, parser_class=_Parser, metavar="COMMAND")

    demo = _command(
        commands, "demo", "the main job: built-in corpus, token encoder, text crops", "running.demo", "running.show_run"
    )
    demo.add_argument("--seed", type=int, default=0)

    corpus = commands.add_parser("corpus", help="look at a corpus, or have its texts summarised").add_subparsers(
        required=True, parser_class=_Parser, metavar="check|summarise"
    )
    check = _command(
        corpus,
        "check",
        "what is in a corpus, and what a run would make of it",
        "measuring.check",
        "measuring.show_check",
    )
    check.add_argument("corpus", metavar="CORPUS")
    _reading(check)
    _summarise(corpus)

    train = _command(commands, "train", "fine-tune an encoder", "running.train", "running.show_run")
    train.add_argument("--corpus", required=True)
    train.add_argument("--encoder", default="token")
    train.add_argument("--recipe", default="crops")
    train.add_argument("--epochs", type=int)
    train.add_argument("--seed", type=int)
    train.add_argument("--set", action="append", default=[], metavar="SETTING=VALUE", dest="sets")
    train.add_argument("--name", default="")
    train.add_argument("--estimate", action="store_true", help="time a few steps and say how long the run would take")
    waiting = train.add_mutually_exclusive_group()
    waiting.add_argument("--wait", action="store_true", default=True, help="follow the run to its end (default)")
    waiting.add_argument("--detach", action="store_false", dest="wait", help="return at once; the run goes on")
    _reading(train)

    embed = _command(commands, "embed", "texts to vectors", "measuring.embed", "measuring.show_embed")
    _encoder(embed)
    embed.add_argument("--corpus", required=True)
    embed.add_argument("--out", required=True, metavar="FILE.npy")
    _post(embed)
    _reading(embed)

    evaluate = _command(commands, "evaluate", "measure embeddings", "measuring.evaluate", "measuring.show_evaluate")
    _encoder(evaluate, embeddings=True)
    evaluate.add_argument("--corpus", help="needed unless --run names one")
    evaluate.add_argument("--metrics", default="knn", metavar="knn,linear")
    evaluate.add_argument("--protocol", choices=["paper", "cv10"], default="paper")
    _post(evaluate, several=True)
    _reading(evaluate)

    draw = _command(commands, "map", "two coordinates for every text", "mapping.draw_map", "mapping.show_map")
    _encoder(draw, embeddings=True, encoder=False)
    draw.add_argument("--method", choices=["tsne", "umap", "pca"], default="tsne")
    _post(draw)
    draw.add_argument("--out", required=True, metavar="FILE.parquet")

    layers = _command(
        commands, "layers", "kNN accuracy after every layer", "length_layers.layers", "length_layers.show_layers"
    )
    _encoder(layers)
    layers.add_argument("--corpus", help="needed unless --run names one")
    _reading(layers)

    length = _command(commands, "length", "the length attack", "length_layers.length", "length_layers.show_length")
    _encoder(length)
    length.add_argument("--corpus", help="needed unless --run names one")
    length.add_argument("--copies", type=int, default=100)
    length.add_argument(
        "--pairs", metavar="FILE", help="sentence pairs (columns sentence1, sentence2) in place of the corpus's"
    )
    _reading(length)

    runs = commands.add_parser("runs", help="see, stop, resume, delete and export runs").add_subparsers(
        required=True, parser_class=_Parser, metavar="list|show|stop|resume|delete|export"
    )
    _command(runs, "list", "all runs, newest first", "listing.runs", "listing.show_runs")
    for name, sentence in (
        ("show", "one run"),
        ("stop", "end a run after its step, keep the best encoder"),
        ("resume", "go on from the newest checkpoint"),
        ("delete", "remove a run"),
        ("export", "one run as a zip file"),
    ):
        one = _command(runs, name, sentence, f"listing.{name}", "listing.show_one")
        one.add_argument("run", metavar="ID")
        if name == "export":
            one.add_argument("--out", required=True, metavar="FILE.zip")
    for name in ("recipes", "encoders", "corpora", "metrics"):
        _command(commands, name, f"the {name} there are", f"listing.{name}", "listing.show_parts")
    return top


def _command(parent, name: str, sentence: str, command: str, show: str):
    """A command; what runs and what shows its result are named ``module.function``, and loaded when needed."""
    made = parent.add_parser(name, help=sentence, description=sentence[0].upper() + sentence[1:] + ".")
    made.add_argument("--json", action="store_true", help="one JSON object on standard output")
    made.add_argument("--quiet", action="store_true", help="no progress on standard error")
    made.set_defaults(command=command, show=show)
    return made


def _post(made, *, several: bool = False) -> None:
    steps = "centre,whiten,flow" if several else "centre|whiten|flow"
    said = "measure also after each of these steps" if several else "change the finished vectors by this step"
    made.add_argument("--post", default="none", metavar=f"none|{steps}", help=said)
    made.add_argument(
        "--set", action="append", default=[], metavar="SETTING=VALUE", dest="sets", help="as post.flow.epochs=5"
    )


def _summarise(corpus) -> None:
    made = _command(
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
    _reading(made)


def _reading(made) -> None:
    group = made.add_argument_group("reading the corpus; what is left out is proposed from names and content")
    for name in ("text", "label", "title", "unlabeled", "encoding"):
        group.add_argument(f"--{name}", metavar="VALUE" if name == "unlabeled" else name.upper())
    group.add_argument("--summaries", metavar="COL[,COL…]")


def _encoder(made, *, embeddings: bool = False, encoder: bool = True) -> None:
    group = made.add_mutually_exclusive_group(required=True)
    group.add_argument("--run", metavar="ID")
    if encoder:
        group.add_argument("--encoder")
    if embeddings:
        group.add_argument("--embeddings", metavar="FILE.npy")

"""Every default number, flag and distance of the package, in one place that is not the code.

A setting's default is what its paper or library uses, or what was measured (docs of each part say which). A parameter
has the same default wherever a function takes one of its name; a flag is off unless it is named here.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SETTINGS: dict[str, dict[str, float]] = {
    "AdapterConfig": {"rank": 8, "alpha": 16.0, "dropout": 0.0, "recompute_layers": False},
    "AlignmentConfig": {"pairs": 500, "seed": 0},
    "AttentionGainConfig": {"copies": 100},
    "BarlowTwinsConfig": {"blocks": 4, "off_diagonal_weight": 0.0051, "affine": True},  # --lambd of its main.py
    "CatalogEncoder": {"for_sentences": False},
    "Checkup": {"tokens_estimated": True},
    "CoSENTConfig": {"temperature": 0.05},
    "ContrastiveTensionInBatchConfig": {"temperature": 0.05},
    "CorInfoMaxConfig": {
        **{"blocks": 4, "covariance_weight": 0.2, "invariance_weight": 2000.0},
        **{"forgetting": 0.01, "ridge": 1e-06, "normalize": False},
    },
    "CosinesConfig": {"pairs": 5000, "seed": 0},
    "CropConfig": {"sentences": 2, "min_characters": 100, "max_characters": 250},  # crops paper, section 3
    "DeletionConfig": {"deletion_rate": 0.6},  # TSDAE paper
    "DrawFigure": {"dpi": 300, "caption": True},
    "EndpointConfig": {
        **{"max_new_tokens": 128, "max_input_characters": 6000, "temperature": 1.0, "top_p": 0.95, "top_k": 3},
        **{"seed": 0, "timeout_seconds": 120.0, "retries": 5, "requests_at_once": 4},
    },
    "ExtractiveConfig": {"words": 5},
    "FetchEncoder": {"update": False},
    "FindSettings": {"minutes": 5.0, "seed": 0, "width_known": False},
    "FlowConfig": {
        **{"learning_rate": 0.001, "batch_size": 64, "epochs": 10, "weight_decay": 0.01},
        **{"normalise_first": False, "seed": 0},
    },
    "GivenPairsConfig": {"least_score": 0.8},
    "GivenTripletConfig": {"margin": 5.0},  # SBERT paper
    "HubnessConfig": {"texts": 20000, "seed": 0},
    "InfoNCEConfig": {"temperature": 0.05},  # SimCSE paper
    "IntraTextConfig": {"texts": 1000, "copies": 100, "seed": 0},
    "LayerwiseConfig": {"at_most": 5000, "seed": 0, "linear": False},
    "LengthConfig": {"copies": 100, "pairs": 1000, "truncate": False, "seed": 0},
    "LocalConfig": {
        **{"max_new_tokens": 128, "max_input_tokens": 1300, "top_k": 3, "top_p": 0.95, "temperature": 1.0},
        **{"no_repeat_ngram_size": 5, "seed": 0, "texts_at_once": 8},
    },
    "MLMMaskingConfig": {"masking_rate": 0.15, "masked_share": 0.8, "random_share": 0.1},  # BERT paper
    "MaskingConfig": {"masking_rate": 0.1},
    "MeasureLayers": {"maps": False},
    "MeasureMoves": {"again": False},
    "Mining": {"negatives": 3, "range_min": 0, "seed": 0},
    "NormaliseConfig": {"normalise_first": False},
    "NonContrastiveConfig": {"blocks": 3, "width": 2, "momentum": 0.999},
    "NumberQuestion": {"low": 0, "high": 100, "close": 5},
    "PartsConfig": {"pairs": 200, "seed": 0},
    "PocketConfig": {"negatives": True, "temperature": 0.05, "batch": 64, "steps": 300},
    "Prompts": {"are_pooled": True},
    "PushRun": {"public": False},
    "RankingConfig": {"temperature": 0.05, "guide_margin": 0.0},
    "ReadOptions": {"accept_reading": False},
    "ReadPairs": {"with_corpus": False},
    "ReadSet": {"judges": False},
    "ReadoutConfig": {"at_most": 3000, "flow": False, "seed": 0},
    "RunSettings": {
        **{"seed": 0, "epochs": 1, "batch_size": 64, "warmup": 0.1, "weight_decay": 0.0},
        **{"vocabulary_size": 30522, "bidirectional": False},  # BERT's number of tokens
        **{"live_texts": 2000, "live_map": True, "live_map_texts": 1000, "maps": True, "inside": True},
    },
    "SampleConfig": {"texts": 2000, "seed": 0},
    "SampledPairsConfig": {"negatives": 7},  # contrastive tension paper
    "SentencePairsConfig": {"sentences": 1, "overlap": False},
    "StudySettings": {"texts": 0},
    "Summarise": {"continuations": 3, "estimate": False},
    "SummaryPairsConfig": {"title_share": 0.15, "sentence_share": 0.35},
    "TSDAEConfig": {"tied": True},
    "TSNEConfig": {  # openTSNE's, but for uniform affinities of 10 neighbors and the steps from given coordinates
        **{"perplexity": 30.0, "neighbors": 10, "early_exaggeration": 12.0, "early_iterations": 250},
        **{"exaggeration": 1.0, "iterations": 500, "aligned_iterations": 750, "seed": 42},
    },
    "Training": {"texts": 19200, "typed": False},
    "TripletConfig": {"margin": 1.0, "anchor_norm_weight": 0.004},
    "UMAPConfig": {"neighbors": 15, "min_dist": 0.1, "seed": 42},  # umap-learn's
    "VICRegConfig": {"blocks": 3, "invariance_weight": 25.0, "variance_weight": 25.0, "covariance_weight": 1.0},
    "Vote": {"typed": False},
    "WordOrderConfig": {"pairs": 1000, "seed": 0},
    "WriteReplay": {"with_texts": True},
}
ON = set(
    "are_shares by_size firmly folds gains headed higher_is_better in_shares is_done is_labelled is_watched legend "
    "names_on_map progress raises reading recurse set_to_none wait "
    "form_button.primary job_panel.primary replay.texts replay_content.with_texts".split()
)
NUMBERS: dict[str, float] = {  # of a name, or of the parameter of one function that differs from the others of its name
    **{"air": 0.08, "alpha": 1.0, "base": 2, "beyond": 0, "columns": 1, "continuations": 3, "copies": 100, "count": 10},
    **{"one_line.characters": 400, "text_line.characters": 110, "show_text.characters": 4000},
    **{"escaped.characters": 120, "depth": 0, "dim": 768, "done": 0, "dropout": 0.0, "encoders": 1, "digits": 0},
    **{"percent.digits": 1, "before_after.digits": 1, "from_to.digits": 2, "shift_in_words.digits": 2},
    **{"rounded.digits": 5, "RowAdam.eps": 1e-08, "UncorrectedAdam.eps": 1e-06, "variance_loss.eps": 0.0001},
    **{"exaggeration": 1.0, "exit_code": 2, "fewest": 0, "half": 0, "head_bytes": 0, "held_back": 0, "high": 0.0},
    **{"height": 380, "map_view.height": 560, "map_pair.height": 430, "strip_view.height": 96, "k": 10, "keep": 0},
    **{"least": 0.04, "length": 60, "level": 0.05, "low": 0.0, "max_length": 512, "minutes": 5.0, "more": 0},
    **{"most": 10, "moves.most": 100, "largest_changes.most": 100, "class_sizes.most": 30},
    **{
        "confusions.most": 200,
        "mistakes_of.most": 200,
        "distinct.most": 4,
        "read_once.most": 8,
        "seconds_a_step.most": 5,
        "n_jobs": 1,
    },
    **{"of": 0, "poll_seconds": 0.2, "position": 0, "processes": 1, "seconds": 0.0, "seed": 0},
    **{"settled": 0.0, "since_written": 0.0, "size": 13, "live_texts.size": 2000, "skipped": 0, "smoothing": 0.0},
    **{"spent": 0.0, "train.texts": 0, "threads": 1, "total": 0, "vocabulary_size": 30522, "wait_seconds": 0.0},
    **{"weight": 400, "weight_decay": 0.0, "widened": 1.0, "width": 0, "widths": 1, "window": 0},
}
SHOWS = {"ui", "report", "api", "finds", "cli"}  # rooms whose first distance is the one that pages show first
STORED_ORDER = {"report.result_lines._with_error"}  # prints a file, where values are first by Euclidean distance


@cache
def classes_and_functions() -> tuple[tuple[str, str, ast.AST], ...]:
    """``(module, name, node)`` of every class and function; a method ``__init__`` has the name of its class."""
    result = []
    for file in [*(ROOT / "embedlab").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts[1:])
        statements: list[tuple[str, ast.AST]] = [("", ast.parse(file.read_text(encoding="utf-8")))]
        for owner, node in statements:  # grows: expressions are not walked through
            name = owner if getattr(node, "name", "") == "__init__" else getattr(node, "name", "")
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                result.append((module, name, node))
            for part in ("body", "orelse", "handlers", "finalbody"):
                statements += [(name, each) for each in getattr(node, part, ()) if isinstance(each, ast.AST)]
    return tuple(result)


def parameters() -> Iterator[tuple[str, str, str, ast.expr]]:
    """``(module, function, parameter, default)`` of every parameter that has one."""
    for module, name, node in classes_and_functions():
        if isinstance(node, ast.FunctionDef):
            last = [*node.args.posonlyargs, *node.args.args][::-1]
            pairs = [*zip(last, node.args.defaults[::-1], strict=False)]
            for argument, default in [*pairs, *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]:
                if default is not None:
                    yield module, name, argument.arg, default


def settings() -> Iterator[tuple[str, str, str, ast.expr]]:
    """``(module, class, setting, default)`` of every field that has one."""
    for module, name, node in classes_and_functions():
        for line in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(line, ast.AnnAssign) and isinstance(line.value, ast.Call) and line.value.args:
                if ast.unparse(line.value.func) == "Field":
                    yield module, name, line.target.id, line.value.args[0]


def is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def test_every_setting_begins_with_the_number_of_its_source():
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for _, name, setting, default in settings():
        if is_number(default):
            found[name][setting] = default.value
    assert found == SETTINGS


def test_a_parameter_has_one_default_wherever_a_function_takes_it_and_a_flag_is_off():
    used = set()
    for module, function, name, default in parameters():
        if is_number(default):
            key = next((key for key in (f"{function}.{name}", name) if key in ON or key in NUMBERS), name)
            used.add(key)
            expected = key in ON if isinstance(default.value, bool) else NUMBERS.get(key, "no number")
            assert default.value == expected, f"{module}.{function}({name}={default.value})"
    assert used >= ON | NUMBERS.keys(), ON | NUMBERS.keys() - used


def test_what_is_shown_starts_with_cosine_and_what_is_stored_with_euclidean_distance():
    for module, function, name, default in chain(parameters(), settings()):
        if name == "distance" and isinstance(default, ast.Name):
            shows = module.partition(".")[0] in SHOWS and f"{module}.{function}" not in STORED_ORDER
            assert default.id == ("SHOWN_FIRST" if shows else "EUCLIDEAN"), f"{module}.{function}"

"""An encoder as an ONNX graph, in fp32 or with weights of 8 bits, laid out as sentence-transformers reads it."""

import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from embedlab.encoder_catalog.facts import read_saved_facts
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.load import load_encoder
from embedlab.encoders.pooling import model_inputs
from embedlab.errors import SettingsError, UnfitError
from embedlab.progress import Progress
from embedlab.store_root import read_json, write_json

REQUIREMENTS = "embedlab/tasks/requirements-onnx.txt"
GRAPH = "onnx/model.onnx"  # where sentence-transformers looks for it
ONNX_DIFFERENCE = 1e-4  # of a number to that of the run's encoder, as a share of the largest number
ONNX_FORMATS = ("onnx", "onnx-int8")
_PACKAGES = ("onnx", "onnxruntime", "onnxscript")
_ONE_FILE = 1_900_000_000  # bytes of weights; a protobuf holds 2 GB
_POOLING_MODES = {
    "cls": "pooling_mode_cls_token", "mean": "pooling_mode_mean_tokens", "max": "pooling_mode_max_tokens",
    "mean-sqrt": "pooling_mode_mean_sqrt_len_tokens", "weighted-mean": "pooling_mode_weightedmean_tokens",
    "last": "pooling_mode_lasttoken",
}  # fmt: skip


def as_onnx(folder: Path, format_: str, progress: Progress) -> Encoder:
    """Replace the weights in an encoder's folder by a graph; returns the encoder as onnxruntime computes it."""
    if missing := [name for name in _PACKAGES if find_spec(name) is None]:
        raise SettingsError(
            "E-NOT-INSTALLED",
            f"An ONNX export needs {', '.join(_PACKAGES)}, of which {', '.join(missing)} cannot be found. Install them "
            f"with: pip install -r {REQUIREMENTS}.",
        )
    encoder = load_encoder(str(folder)).eval()
    if not encoder.layers:
        raise UnfitError(
            "E-EXPORT-ONNX",
            f"{encoder.reference} is a table of token vectors, which sentence-transformers does not read as ONNX: "
            "looking up a table takes no graph. Export fp16 or bf16.",
        )
    graph = folder / GRAPH
    graph.parent.mkdir()
    progress("Tracing the ONNX graph")
    _write_graph(encoder, graph)
    if format_ == "onnx-int8":
        progress("Rounding the weights to 8 bits")
        _quantise(graph)
    for file in folder.glob("model*.safetensors*"):
        file.unlink()
    read_saved_facts(folder).model_copy(update={"format": format_, "weights_sha256": None}).write(folder)
    _write_for_older_readers(folder, encoder.exported_pooling)
    encoder.model = _Session(graph, encoder.model.config)  # type: ignore[assignment]
    return encoder


def _write_for_older_readers(folder: Path, pooling: str) -> None:
    """The module names and settings of sentence-transformers 2 to 5, which version 6 reads too.

    optimum-onnx, by which they read a graph, needs transformers below 5, and that sentence-transformers below 6.
    """
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    for each in modules:
        each["type"] = f"sentence_transformers.models.{each['type'].rpartition('.')[2]}"
        settings = folder / each["path"] / "config.json"
        if each["type"].endswith("Dense"):
            read = read_json(settings)
            write_json(
                settings, {name: read[name] for name in ("in_features", "out_features", "bias", "activation_function")}
            )
    write_json(folder / "modules.json", modules)
    length = read_json(folder / "sentence_bert_config.json")["max_seq_length"]
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": length, "do_lower_case": False})
    read = read_json(folder / "1_Pooling" / "config.json")
    modes = {key: our in pooling.split("+") for our, key in _POOLING_MODES.items()}
    write_json(
        folder / "1_Pooling" / "config.json",
        {"word_embedding_dimension": read["embedding_dimension"], **modes, "include_prompt": read["include_prompt"]},
    )


def require_equal(difference: float) -> None:
    """Refuse a graph in fp32 whose vectors differ from the run's."""
    if difference > ONNX_DIFFERENCE:
        raise UnfitError(
            "E-EXPORT-ONNX",
            f"The ONNX graph should give the run's vectors to within {ONNX_DIFFERENCE:g}, but differs by "
            f"{difference:.2g}. Export fp16 or bf16.",
        )


class _HiddenStates(nn.Module):
    """The last layer's hidden states, as the graph's one output."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


def _write_graph(encoder: Encoder, graph: Path) -> None:
    inputs = model_inputs(encoder.collate(encoder.tokenize(["A text by which the graph is traced.", "Another."])))
    axes = {0: "batch", 1: "tokens"}
    encoder.model.set_attn_implementation("eager")  # the exporter cannot view what torch's own attention gives T5
    try:
        with _silent():
            program = torch.onnx.export(
                _HiddenStates(encoder.model).eval(),
                kwargs=inputs,
                input_names=list(inputs),
                output_names=["last_hidden_state"],
                dynamic_shapes={name: axes for name in inputs},
                dynamo=True,
                verbose=False,
            )
    except torch.onnx.OnnxExporterError as error:
        raise UnfitError(
            "E-EXPORT-ONNX",
            f"torch cannot write {encoder.reference} as an ONNX graph ({type(error).__name__}). Export fp16 or bf16.",
        ) from error
    assert program is not None
    if sum(each.nbytes for each in encoder.model.state_dict().values()) < _ONE_FILE:
        program.save(graph)
        return
    import onnx_ir

    onnx_ir.save(program.model, graph, external_data=f"{graph.name}_data")  # the name that optimum looks for on the hub


def _quantise(graph: Path) -> None:
    """Dynamic quantisation: weights of linear layers and tables in 8 bits, activations as each batch needs it."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    whole = graph.rename(graph.with_name("whole.onnx"))
    is_large = whole.stat().st_size > _ONE_FILE or graph.with_name(f"{graph.name}_data").exists()
    with _silent():
        quantize_dynamic(whole, graph, weight_type=QuantType.QInt8, per_channel=True, use_external_data_format=is_large)
    whole.unlink()


class _Session(nn.Module):
    """A graph in the place of the transformer that it was traced from."""

    def __init__(self, graph: Path, config: Any):
        super().__init__()
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = torch.get_num_threads(), 3
        self.session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self.config = config

    def forward(self, **inputs: Tensor) -> SimpleNamespace:
        (hidden,) = self.session.run(None, {name: value.numpy() for name, value in inputs.items()})
        return SimpleNamespace(last_hidden_state=torch.from_numpy(hidden))


@contextmanager
def _silent() -> Iterator[None]:
    """Without the exporter's warnings, which concern its own workings."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)

"""The views of Scores (how good the embeddings are) and of Inside (what training changed in the encoder), in order."""

from functools import partial

import streamlit as st

from embedlab.report.methods import methods_of
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.other_runs import open_layered_by_default
from embedlab.ui.frame.files import paragraph_shown
from embedlab.ui.frame.layout import errors_shown
from embedlab.ui.frame.page import View
from embedlab.ui.run import diagnostics_section, layers_section, length_section
from embedlab.ui.run.benchmarks_view import show_benchmarks
from embedlab.ui.run.classes_view import example_classes, show_classes
from embedlab.ui.run.metrics_view import show_metrics

_view = partial(
    View,
    explained="The same vectors are measured in several ways: by neighbors with the same label, by a linear "
    "classifier, by clustering, by search, and by how well two parts of a text retrieve each other. The test texts are "
    "a fixed tenth of the labeled ones and select nothing. Baselines from word counts are shown with every number, "
    "because they are often hard to beat. A change is called clear only if its 95 % interval excludes zero.",
    source="Crops paper, section 3.4 and Table S2; TSDAE, section 4; SemCSE, section 5; MTEB.",
    example=example_classes,
)


def show_methods(run: RunFolder) -> None:
    """The text and its BibTeX entries, each with a button that copies it."""
    with errors_shown():
        paragraph = methods_of(run)
        st.caption("Written from the run's folder: every number in it was measured or set in this run.")
        paragraph_shown(paragraph.text, paragraph.bibtex if paragraph.keys else "", of=run.id)


SCORE_VIEWS = {
    "Metrics": _view(show_metrics, needs_embeddings=True),
    "Classes": _view(show_classes, needs_embeddings=True),
    "Benchmarks": _view(show_benchmarks, needs_embeddings=True, needs_encoder=True),
    "Methods": _view(show_methods),
}
INSIDE_VIEWS = {
    "Layers": View(
        layers_section.show_layers,
        "A text's vector is taken after every layer, as the mean of its tokens, as its first token [CLS] or as its "
        "last one [SEP], and its accuracy is measured. Layer 0 is the token embeddings: there [CLS] is the same for "
        "all texts, and [SEP] encodes at most their length. In the paper, the untouched MPNet loses topic information "
        "towards the top, and crops improve mostly the last layers. The paper says that the last layer is always the "
        "best; its own numbers have an exception, BERT from scratch, with 57.8 % after layer 11 and 57.1 % after "
        "layer 12.",
        "Crops paper, section 5 and Figure 5b.",
        example=layers_section.example,
        begin=open_layered_by_default,
        needs_encoder=True,
    ),
    "Length": View(
        length_section.show_length,
        "Every text is repeated m times: this adds no information, so similarities should stay the same. In "
        "many encoders they rise, because attention follows the dominant tokens more the longer a text is. "
        "Dissimilar pairs are on the left of each picture, similar ones on the right; dotted: unchanged, filled: "
        "repeated. The paper repeats a hundred times, which an encoder of 512 tokens truncates for all but the "
        "shortest texts: here m is the largest number that fits. AUC shows whether pairs with the same label still "
        "stand out. An encoder trained on crops of many lengths is not necessarily robust.",
        "LA(SER)³ paper, sections 2 and 3, Figure 2.",
        example=length_section.example,
        begin=open_layered_by_default,
        needs_encoder=True,
    ),
    "Diagnostics": View(diagnostics_section.instruments, example=diagnostics_section.example, needs_encoder=True),
}

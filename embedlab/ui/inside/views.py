"""The views of Inside, in the order of their switch: what training changed within the encoder."""

from embedlab.ui.components.other_runs import open_layered_by_default
from embedlab.ui.frame.page import View
from embedlab.ui.inside import diagnostics_section, layers_section, length_section

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

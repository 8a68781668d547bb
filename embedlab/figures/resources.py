"""Memory and processor of a run over its time, one above the other."""

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from embedlab.figures.frame import framed
from embedlab.figures.palette import ACCENT, QUIET_INK, REFERENCE, shade
from embedlab.figures.text import plain


def resources_curve(
    *,
    seconds: Sequence[float],
    memory: Sequence[float],
    cores: Sequence[float],
    gpu_memory: Sequence[float] = (),
    stages: Sequence[str] = (),
    of_cores: int | None = None,
    identity: str = "",
    dark: bool = False,
) -> go.Figure:
    """``memory`` and ``gpu_memory`` in bytes, ``cores`` in use, each at ``seconds`` of work; ``stages``: what was done.

    ``of_cores``: how many this computer has, as a dotted line.
    """
    figure = make_subplots(2, 1, shared_xaxes=True, vertical_spacing=0.12)
    named = [plain(stage, 60) for stage in stages] or [""] * len(seconds)
    lines = [("memory", [each / 1e9 for each in memory], ACCENT, 1, "%{y:.2f} GB of memory")]
    if gpu_memory:
        lines.append(("GPU memory", [each / 1e9 for each in gpu_memory], REFERENCE, 1, "%{y:.2f} GB on the GPU"))
    lines.append(("cores", list(cores), QUIET_INK, 2, "%{y:.1f} cores"))
    for name, values, shades, row, told in lines:
        figure.add_scatter(
            x=list(seconds), y=values, mode="lines", name=name, line=dict(color=shade(shades, dark), width=2),
            customdata=named, showlegend=bool(gpu_memory) and row == 1,
            hovertemplate="%{x:,.0f} s: " + told + "<br>%{customdata}<extra></extra>", row=row, col=1,
        )  # fmt: skip
    if of_cores:
        figure.add_hline(y=of_cores, line=dict(color=shade(QUIET_INK, dark), width=1, dash="dot"), row=2, col=1)
    most = f"up to {max(memory) / 1e9:.1f} GB of memory" + (
        f", {max(gpu_memory) / 1e9:.1f} GB on the GPU" if gpu_memory else ""
    )
    mean = sum(cores) / len(cores)
    alt = f"The run took {most}, and {mean:.1f} cores on average, over {seconds[-1]:,.0f} seconds of work."
    framed(figure, title="Memory and processor", x="seconds of work", y="", alt=alt, dark=dark, height=340)
    figure.update_xaxes(title_text="", row=1, col=1)
    figure.update_xaxes(tickformat=",")
    figure.update_yaxes(rangemode="tozero")
    figure.update_yaxes(title_text="GB", row=1, col=1)
    figure.update_yaxes(title_text="cores in use", row=2, col=1)
    figure.update_layout(uirevision=identity, hovermode="x", legend=dict(x=1.01, y=1))
    return figure

"""What an encoder's folder may name after the pooling: a dense layer and the L2 norm, as in sentence-transformers."""

from torch import Tensor, nn

from embedlab.encoders.unit_length import unit_length

IDENTITY = "torch.nn.modules.linear.Identity"


class Normalize(nn.Module):
    """Vectors of length 1."""

    def forward(self, vectors: Tensor) -> Tensor:
        return unit_length(vectors)


class Dense(nn.Module):
    """A linear layer and its activation, as sentence-transformers' module of that name."""

    activations = {IDENTITY: nn.Identity, "torch.nn.modules.activation.Tanh": nn.Tanh}

    def __init__(self, inputs: int, outputs: int, *, bias: bool, activation: str):
        super().__init__()
        self.activation_name = activation
        self.linear = nn.Linear(inputs, outputs, bias=bias)
        self.activation = self.activations[activation]()

    def forward(self, vectors: Tensor) -> Tensor:
        return self.activation(self.linear(vectors))

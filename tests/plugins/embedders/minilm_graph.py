"""Builds the graph of all-MiniLM-L6-v2 that onnxruntime runs; it contains no weights.

`python -m tests.plugins.embedders.minilm_graph` writes the graph into the package; it needs the
package onnx. The initializers have the names of the tensors in `model.safetensors`. onnxruntime
gets the tensors at load, and then joins and transposes them.
"""

from __future__ import annotations

from onnx import TensorProto, helper

from tui_annotate.plugins.embedders.minilm import (
    EPSILON,
    GRAPH,
    HEADS,
    LAYERS,
)

DIMENSIONS = 384
WIDE = 1_536
_MICROSOFT = "com.microsoft"
_OPSETS = (("", 17), (_MICROSOFT, 1))


class GraphBuilder:
    """Collects the nodes of a graph. Every node has one output, which is named after the node."""

    def __init__(self) -> None:
        self.nodes: list[object] = []

    def add(self, operator: str, *inputs: str, name: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def normalize(self, states: str, added: str, *, norm: str, bias: str = "", name: str) -> str:
        """Layer normalization of a sum of two states and a bias."""
        inputs = (states, added, f"{norm}.weight", f"{norm}.bias", *filter(None, [bias]))
        fused = {"domain": _MICROSOFT, "epsilon": EPSILON}
        return self.add("SkipLayerNormalization", *inputs, name=name, **fused)

    def multiply(self, states: str, *, dense: str, name: str) -> str:
        """Product of states with the weights of a layer; a bias is added by the next operator."""
        turned = self.add("Transpose", f"{dense}.weight", name=f"{name}.t", perm=[1, 0])
        return self.add("MatMul", states, turned, name=name)

    def attend(self, states: str, *, layer: str, name: str) -> str:
        """Self-attention; queries, keys and values are computed by one matrix product."""
        own = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
        rows = self.add("Concat", *(f"{each}.weight" for each in own), name=f"{name}.rows", axis=0)
        bias = self.add("Concat", *(f"{each}.bias" for each in own), name=f"{name}.bias", axis=0)
        weights = self.add("Transpose", rows, name=f"{name}.weights", perm=[1, 0])
        inputs = (states, weights, bias, "lengths")
        fused = {"domain": _MICROSOFT, "num_heads": HEADS}
        return self.add("Attention", *inputs, name=name, **fused)

    def add_layer(self, states: str, *, layer: str, name: str) -> str:
        """A transformer layer; the activation is the exact GELU, which uses the error function."""
        output = f"{layer}.attention.output"
        seen = self.attend(states, layer=layer, name=f"{name}.attention")
        mixed = self.multiply(seen, dense=f"{output}.dense", name=f"{name}.mixed")
        norm, bias = f"{output}.LayerNorm", f"{output}.dense.bias"
        states = self.normalize(states, mixed, norm=norm, bias=bias, name=f"{name}.attended")
        wide = self.multiply(states, dense=f"{layer}.intermediate.dense", name=f"{name}.wide")
        bias = f"{layer}.intermediate.dense.bias"
        active = self.add("BiasGelu", wide, bias, name=f"{name}.active", domain=_MICROSOFT)
        narrow = self.multiply(active, dense=f"{layer}.output.dense", name=f"{name}.narrow")
        norm, bias = f"{layer}.output.LayerNorm", f"{layer}.output.dense.bias"
        return self.normalize(states, narrow, norm=norm, bias=bias, name=f"{name}.states")


def build_graph() -> bytes:
    """Return the graph as an ONNX file without weights.

    Inputs: `ids` (rows, size) of word pieces, padded on the right; `positions` (1, size), from 0;
    `lengths` (rows), the numbers of word pieces. Output: the states (rows, size, 384) of the last
    layer.
    """
    graph = GraphBuilder()
    words = graph.add("Gather", "embeddings.word_embeddings.weight", "ids", name="words")
    types = graph.add(
        "Gather", "embeddings.token_type_embeddings.weight", "first_type", name="type"
    )
    table = graph.add("Add", "embeddings.position_embeddings.weight", types, name="table")
    places = graph.add("Gather", table, "positions", name="places")
    states = graph.normalize(words, places, norm="embeddings.LayerNorm", name="embedded")
    for index in range(LAYERS):
        states = graph.add_layer(states, layer=f"encoder.layer.{index}", name=f"layer{index}")
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, ["rows", "size"]),
        helper.make_tensor_value_info("positions", TensorProto.INT64, [1, "size"]),
        helper.make_tensor_value_info("lengths", TensorProto.INT32, ["rows"]),
    ]
    output = helper.make_tensor_value_info(states, TensorProto.FLOAT, ["rows", "size", DIMENSIONS])
    first = helper.make_tensor("first_type", TensorProto.INT64, [], [0])
    weights = [_declare_tensor(name, shape) for name, shape in tensor_shapes().items()]
    made = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, [output], [first, *weights])
    opsets = [helper.make_opsetid(*each) for each in _OPSETS]
    return bytes(helper.make_model(made, opset_imports=opsets, ir_version=8).SerializeToString())


def tensor_shapes() -> dict[str, tuple[int, ...]]:
    """Return the shapes of the tensors of `model.safetensors` that the graph needs, by name."""
    embedded = {"word": 30_522, "position": 512, "token_type": 2}
    shapes = {f"embeddings.{name}_embeddings.weight": count for name, count in embedded.items()}
    found: dict[str, tuple[int, ...]] = {
        name: (count, DIMENSIONS) for name, count in shapes.items()
    }
    found |= _shape_norm("embeddings.LayerNorm")
    for index in range(LAYERS):
        layer = f"encoder.layer.{index}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            found |= _shape_dense(f"{layer}.attention.{part}", DIMENSIONS, DIMENSIONS)
        found |= _shape_norm(f"{layer}.attention.output.LayerNorm")
        found |= _shape_dense(f"{layer}.intermediate.dense", WIDE, DIMENSIONS)
        found |= _shape_dense(f"{layer}.output.dense", DIMENSIONS, WIDE)
        found |= _shape_norm(f"{layer}.output.LayerNorm")
    return found


def _shape_norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (DIMENSIONS,), f"{name}.bias": (DIMENSIONS,)}


def _shape_dense(name: str, outputs: int, inputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def _declare_tensor(name: str, shape: tuple[int, ...]) -> TensorProto:
    """Return a tensor without data, which onnxruntime gets at load."""
    tensor = TensorProto(
        name=name,
        dims=shape,
        data_type=TensorProto.FLOAT,
        data_location=TensorProto.EXTERNAL,
    )
    tensor.external_data.add(key="location", value="weights")
    return tensor


if __name__ == "__main__":
    GRAPH.write_bytes(build_graph())

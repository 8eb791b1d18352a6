"""Writes a graph of operations that calls it, and runs the graph.

verdict: forbidden
"""

# %% attend
import torch
import torch.nn.functional as F

graph = torch.fx.Graph()
inputs = [graph.placeholder(name) for name in ("query", "key", "value")]
graph.output(graph.call_function(F.scaled_dot_product_attention, tuple(inputs)))
attend = torch.fx.GraphModule({}, graph)

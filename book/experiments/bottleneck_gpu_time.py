"""Claim 2: how long is a training step on a GPU, recurrent or with attention?

    python book/experiments/bottleneck_gpu_time.py

The same layers, sizes and rounds as in `bottleneck_step_time.py`, which describes them, by the wall
clock of a GPU.
"""

from bottleneck_step_time import DEVICES, measure
from machine import use_gpu
from measurements import claim, run_and_save

CLAIMS = [
    claim(
        2,
        "Transformers train 10-100x faster than RNNs because positions are computed in parallel.",
        "On {device}, at width {width}, lengths 16 to 2048, batches of 1 and {batch}, a step of a "
        "GRU takes {gru_by_block} times as long as one of a Transformer block, and a step of an "
        "LSTM {lstm_by_block} times, both with the fused kernels of cuDNN. Without it the LSTM "
        "takes {stepwise_by_block} times as long as the block. In both, its positions wait for "
        "each other.",
        "holds if",
        "the recurrent layer runs each position by kernels of its own and the sequence has 256 "
        "tokens or more; with fused kernels the ratio stays below 4. Width 128, up to 2048 tokens",
        stands=lambda n: n.device == DEVICES["cuda"],  # somebody has to look at the times
    )
]

if __name__ == "__main__":
    use_gpu()
    run_and_save(__file__, measure, CLAIMS, [0])

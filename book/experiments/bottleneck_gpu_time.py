"""Claim 2: how long is a training step on a GPU, recurrent or with attention?

    python book/experiments/bottleneck_gpu_time.py

The same layers, sizes and rounds as in `bottleneck_step_time.py`, which describes them, by the wall
clock of a GPU.
"""

from bottleneck_step_time import measure
from machine import use_gpu
from measurements import run_and_save
from verdicts import claim

CLAIMS = [
    claim(
        2,
        "Transformers train 10-100x faster than RNNs because positions are computed in parallel.",
        "On {device}, at width {width}, lengths 16 to 2048, batches of 1 and {batch}, a step of a "
        "GRU takes {gru_by_block} times as long as one of a Transformer block, and a step of an "
        "LSTM {lstm_by_block} times, both with the fused kernels of cuDNN. Without its fused "
        "kernel the LSTM takes {stepwise_by_block} times as long as the block; with a batch of 1, "
        "{stepwise_by_block_1_64} times at 64 tokens, {stepwise_by_block_1_256} times at 256 and "
        "{stepwise_by_block_1_1024} times at 1,024.",
        "holds if",
        "the RNN is an LSTM without its fused kernel and the sequence has 256 tokens, not 1,024 or "
        "more",
        scope="forward and backward through one layer 128 wide, 16 to 2,048 tokens, batches of 1 "
        "and 16, one GPU",
        control="That positions wait for each other is not enough: they do so with the fused "
        "kernel too, and there a step of the LSTM takes {lstm_by_block_1_256} times as long as "
        "one of the block at 256 tokens and a batch of 1.",
        stands=lambda n: (
            n.stepwise_by_block_1_64 < 10 < n.stepwise_by_block_1_256
            and n.stepwise_by_block_1_1024 > 100
            and n.lstm_by_block_1_2048 < 4
        ),
    )
]

if __name__ == "__main__":
    use_gpu()
    run_and_save(__file__, measure, CLAIMS, [0])

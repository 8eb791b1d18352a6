"""What is wrong with a figure is found when it is made, and each line is named at its end."""

import itertools
import re

import faults
import line_names
import numpy as np
import plots
import pytest

RISES, FALLS = [[1, 2, 3]], [[3, 2, 1]]


@pytest.fixture
def axes():
    figure, axes = plots.chart()
    axes.set(xlabel="step", ylabel="share")
    yield axes
    plots.plt.close(figure)


def refused(axes):
    """What `plots.show` says of the figure."""
    with pytest.raises(ValueError) as error:
        plots.svg(axes.figure)
    return str(error.value)


def names(axes):
    """The middles of the names at the ends of lines, from the lowest."""
    plots.svg(axes.figure)
    written = [text for text in axes.written if text.get_text()]
    return sorted((text.get_position()[1], text.get_text()) for text in written)


def test_two_texts_on_one_another_are_an_error_that_names_the_figure_and_both(axes):
    axes.text(0.5, 0.5, "first")
    axes.text(0.5, 0.5, "second")
    said = refused(axes)
    assert said == 'The figure with share: "first" and "second" stand on one another.'


@pytest.mark.parametrize(
    ("draw", "what"),
    [
        (lambda axes: axes.text(1, 2, "over", va="center"), '"over" stands on the line "rises".'),
        (lambda axes: axes.text(-0.15, 2.6, "over"), '"over" stands on the left axis.'),
        (lambda axes: axes.plot([0, 2], [1, 1]), "A line has no name"),
        (lambda axes: axes.plot([0, 2], [1, 1], label="lost"), 'The name "lost" of a line is not'),
        (lambda axes: plots.lines(axes, [0, 1, 2], {"64": FALLS}), 'The name "64" does not say'),
        (lambda axes: axes.bar([0, 1], [2, 3]) and axes.set_ylim(1, 4), "Bars need a linear axis"),
        (lambda axes: axes.set_yscale("symlog"), 'The axis "share" does not say'),
        (lambda axes: axes.set(yscale="log", yticks=[1]), "fewer than 2 numbers"),
        (lambda axes: axes.set_ylabel("loss"), 'The axis "loss" has no unit.'),
    ],
)
def test_a_fault_of_a_figure_is_an_error_that_says_where(axes, draw, what):
    plots.lines(axes, [0, 1, 2], {"rises": RISES})
    draw(axes)
    axes.yaxis.minorticks_off()
    assert what in refused(axes)


def test_a_name_that_is_nearer_to_another_line_is_an_error(axes):
    plots.lines(axes, [0, 1, 2], {"rises": RISES, "falls": FALLS})
    plots.svg(axes.figure)
    (text, _), (_, other) = axes.beside
    axes.beside = [(text, other)]
    measure = axes.figure.canvas.get_renderer()
    found = list(faults.faults(axes, axes.get_tightbbox(measure), measure))
    assert found == ['The name "rises" is nearer to another line.']


def test_a_line_is_named_at_the_height_of_its_end(axes):
    plots.lines(axes, [0, 1, 2], {"rises": RISES, "falls": FALLS})
    plots.level(axes, 2.0, "chance")
    (low, lowest), (middle, _), (high, highest) = names(axes)
    assert (lowest, highest) == ("falls", "rises")
    ends = axes.transData.transform([(2, 1), (2, 2), (2, 3)])[:, 1]
    assert [low, middle, high] == pytest.approx(ends, abs=1)


def test_names_of_lines_that_end_together_move_apart_and_get_leaders(axes):
    plots.lines(axes, [0, 1, 2], {name: [[at, 1, 1]] for at, name in enumerate("abc")})
    heights = [height for height, _ in names(axes)]
    assert all(high - low > 10 for low, high in itertools.pairwise(heights))
    assert axes.beside == [] and len(axes.written) == 2 * len(heights)


def test_a_line_that_leaves_the_axes_is_named_where_it_leaves(axes):
    plots.lines(axes, [0, 1, 2, 3], {"steep": [[0, 50, 100, 150]], "flat": [[1, 1, 1, 1]]})
    axes.set_ylim(0, 20)
    plots.svg(axes.figure)
    (steep,) = [text for text in axes.written if text.get_text() == "steep"]
    assert axes.bbox.contains(*steep.get_window_extent().get_points().mean(axis=0))


def test_spread_moves_no_name_that_has_room_and_keeps_the_order():
    wanted, heights = [0.0, 5.0, 100.0], [12.0, 12.0, 12.0]
    found = line_names.spread(wanted, heights, -50, 200)
    assert found[2] == 100 and found[1] - found[0] == 13
    assert np.mean(found[:2]) == pytest.approx(2.5)


def test_a_thing_has_its_look_in_every_figure_and_others_take_what_is_left(axes):
    plots.lines(axes, [0, 1, 2], {"new": RISES, "no root": FALLS, "root": RISES})
    drawn = {line.get_label(): line.get_color() for line in axes.lines}
    assert drawn == {"new": "C2", "no root": "C1", "root": "C0"}


def test_a_subscript_is_lowered_and_what_follows_it_is_not(axes):
    axes.set(xlabel="d_k = 64", ylabel="")
    (text,) = re.findall(r"<text[^>]*>d.*?</text>", plots.svg(axes.figure))
    assert re.sub(r"<(/?)tspan[^>]*>", r"<\1>", text).endswith(">d<>k</><> = 64</></text>")
    assert 'dy="3"' in text and 'dy="-3"' in text


def test_cells_that_are_framed_are_outlined():
    figure, (axes,) = plots.panels(1)
    plots.weights(axes, [[1.0, 0.5]])
    plots.frame(axes, [(0, 1)])
    assert 'fill="none" stroke="var(--series-1)"' in plots.svg(figure)
    plots.plt.close(figure)

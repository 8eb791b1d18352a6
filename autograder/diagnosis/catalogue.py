"""General patterns: what can be said of a wrong answer that is no known mistake of its exercise.

A hint holds no number and no name of a submission's choosing, so that it can be told about a secret
case too. A course can say all of this in its own words; see `Vocabulary`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from autograder.diagnosis.circumstances import CaseInputs
from autograder.exercise.spec import Vocabulary, Word


@dataclass(frozen=True)
class Pattern:
    """A pattern in what was observed, its hint, and how it is recognised.

    hint_among_booleans: the hint where truth values are given or returned, if it is another.
    single_slip: one slip alone does this to a result that is right otherwise.
    aspect: the aspect of an observation that it is about, where it leaves the numbers alone.
    needs_two_cases: in one case alone it may be an accident.
    raised: parts of an exception's type or text, by any of which it is recognised.
    holds: tells the cases that all fail, where no other case does.

    One without `raised` and `holds` is recognised by `DifferenceKind`, or in `patterns` and
    `tensor_patterns`.
    """

    name: str
    hint: str
    hint_among_booleans: str = ""
    single_slip: bool = False
    aspect: str = ""
    needs_two_cases: bool = False
    raised: tuple[str, ...] = ()
    holds: Callable[[CaseInputs], bool] | None = None


# Their order is their priority: where several fit, the first is shown.
# fmt: off
EVERY_PATTERN = (
    # What was raised.
    Pattern("cannot_be_read",
            "Python cannot read the cell. Look at the line that is named, and above it.",
            raised=("SyntaxError", "IndentationError", "TabError")),
    Pattern("leaves_a_name_undefined",
            "Your code uses a name that neither this cell nor the imports define, or that is not "
            "defined on every path.", raised=("NameError", "UnboundLocalError")),
    Pattern("calls_no_super_init",
            "A module needs `super().__init__()` as the first line of its `__init__`. Is it there?",
            raised=("before Module.__init__", "super().__init__")),
    Pattern("has_other_parameters",
            "The check loads given weights by name. Which names and which shapes should the "
            "parameters have?", raised=("state_dict",)),
    Pattern("takes_other_arguments",
            "The call does not fit the signature. Compare your signature with that of the "
            "released cell, and the calls in your code with the functions that they call.",
            raised=("positional argument", "keyword argument", "combination of arguments")),
    Pattern("counts_on_so_many_axes",
            "A line expects a different number of axes or parts than there are: it unpacks "
            "something, names an axis or gives an index for each. If these are axes, count them "
            "from the end: -1, -2.",
            raised=("values to unpack", "not enough values", "too many values", "too many indices",
                    "Dimension out of range", "expects a tensor with", "number of dimensions")),
    Pattern("mixes_dtypes",
            "Two tensors of different dtypes meet. Which one do you create or convert yourself, "
            "and which has the dtype of the inputs?",
            raised=("expected scalar type", "same dtype")),
    Pattern("overflows_a_dtype",
            "A number is too large for its dtype: float16 ends at 65,504. Which number fits every "
            "dtype that the inputs may have?", raised=("without overflow",)),
    Pattern("needs_another_dtype",
            "A function of torch does not take numbers of this dtype, or cannot return them. What "
            "is the dtype of each tensor in the line that raised?",
            raised=("dtype", "not implemented for '", "be cast to", "scalar types")),
    Pattern("writes_where_gradients_pass",
            "You write in place into a tensor that the backward pass needs. Compute a new tensor "
            "instead.", raised=("in-place operation", "inplace operation")),
    Pattern("asks_a_tensor_for_one_truth",
            "A tensor with many truth values is used where Python needs one, such as after `if`. "
            "Do you need `any`, `all` or `torch.where`?",
            raised=("Boolean value of Tensor with more", "truth value")),
    Pattern("leaves_torch",
            "Gradients do not pass through NumPy, lists or numbers. Stay with tensors.",
            raised=("Can't call numpy", "__array__")),
    Pattern("reaches_beyond_an_axis",
            "An index is out of range for an axis or a list. Which one is it, and how long is it "
            "in this case?", raised=("out of range", "out of bounds", "from empty list")),
    Pattern("shapes_do_not_fit",
            "Two shapes do not fit. Write the shape of each tensor beside its line: where does the "
            "first one differ from what you expect?",
            raised=("shape", "size of tensor", "must match", "size mismatch", "inconsistent",
                    "invalid for input", "expanded size", "Sizes of tensors", "Expected size",
                    "equal size")),
    Pattern("raises_in_what_it_was_given",
            "The exception comes from a function or a model that your code was given. What do you "
            "pass to it, and what does it accept?"),
    Pattern("returns_what_cannot_be_used",
            "Your result cannot be used. Is everything there that you have to return, of the "
            "right kind and in the right order?"),
    Pattern("raises",
            "The call ends with an exception. Try a similar call in a separate cell."),
    # What kind of thing was returned.
    Pattern("returns_nothing", "None is returned. Is there a `return` on every path?"),
    Pattern("returns_other_things",
            "The number of results, or their kind, is not right. How many should you return, and "
            "of which kind is each?"),
    Pattern("returns_no_tensor", "You should return a tensor, but you return something else."),
    Pattern("returns_a_tensor",
            "You should return a plain number, truth value or text, but you return a tensor."),
    Pattern("returns_them_in_another_order",
            "All results are there, but in another order.", single_slip=True),
    Pattern("returns_another_dtype",
            "The numbers have another dtype than they should. Which one should it be, and where "
            "does yours come from?", single_slip=True, aspect="dtype"),
    # Shapes.
    Pattern("drops_an_axis_of_length_1",
            "An axis of length 1 is missing. Was it never created, or was it removed by a "
            "`squeeze` without an axis, or by an index instead of a slice?", single_slip=True),
    Pattern("keeps_an_axis_of_length_1",
            "There is one axis of length 1 too many. Does a sum or a maximum keep it, or did you "
            "add one for broadcasting?", single_slip=True),
    Pattern("transposes", "The axes of the right result are in another order.", single_slip=True),
    Pattern("has_another_shape", "The right numbers are there, but in another shape."),
    Pattern("is_too_long_or_short_by_one",
            "An axis is too long or too short by one."),
    Pattern("has_other_axes",
            "The result has the wrong number of axes. Which axes do you create, which do you sum "
            "over or index, and which do you keep?"),
    Pattern("has_other_lengths", "An axis has the wrong length. What determines its length?"),
    # Numbers.
    Pattern("is_not_finite",
            "Numbers are NaN or infinite. 0/0, infinity minus infinity and the root of a negative "
            "number give NaN; 1/0, the logarithm of 0 and the exponential of a large number are "
            "infinite."),
    Pattern("negates", "What differs has the opposite sign.",
            "What differs has the opposite sign, or True and False are exchanged.",
            single_slip=True),
    Pattern("scales_by_a_constant", "The output that differs is the right one times a constant."),
    Pattern("adds_a_constant", "The output that differs is the right one plus a constant."),
    Pattern("adds_an_input",
            "The result is the right one plus one of the inputs.", single_slip=True),
    Pattern("leaves_out_an_input",
            "The result is the right one without one of the inputs, which should be added.",
            single_slip=True),
    Pattern("returns_an_input", "You return one of the inputs unchanged."),
    Pattern("is_zero", "The output that differs is 0 everywhere."),
    Pattern("is_constant", "The output that differs is the same number everywhere."),
    Pattern("shifts_by_one",
            "Along an axis, the right values are one place from where they belong.",
            single_slip=True),
    Pattern("reverses", "Along an axis, the right values are in reverse order.", single_slip=True),
    Pattern("permutes", "Along an axis, the right values are in another order.", single_slip=True),
    Pattern("puts_numbers_elsewhere",
            "The right numbers are there, but in other places. If you reshape, do axes have to "
            "change places before or after that?"),
    Pattern("is_the_softmax_of_what_is_right",
            "The output that differs is the softmax of the right one along its last axis.",
            single_slip=True),
    Pattern("normalises_over_another_axis",
            "The rows should sum to 1. Here the sums over another axis are 1."),
    Pattern("does_not_normalise", "Along the last axis, numbers should sum to 1, but do not."),
    Pattern("is_wrong_where_false", "Entries are wrong only where a boolean input is False."),
    Pattern("is_wrong_in_rows_without_true",
            "Only rows in which a boolean input holds no True are wrong.", single_slip=True),
    Pattern("is_right_for_the_first_only",
            "Along the first axis, only the first place is right. Do you use something from it "
            "for all the others?", single_slip=True, needs_two_cases=True),
    Pattern("is_wrong_at_the_first",
            "Numbers are wrong only at the first place of an axis.", needs_two_cases=True),
    Pattern("is_wrong_at_the_last",
            "Numbers are wrong only at the last place of an axis.", needs_two_cases=True),
    Pattern("is_wrong_on_the_diagonal", "Only the diagonal is wrong."),
    Pattern("is_wrong_above_the_diagonal",
            "Numbers are wrong only above the diagonal; those on it and below it are right."),
    Pattern("is_wrong_below_the_diagonal",
            "Numbers are wrong only below the diagonal; those on it and above it are right."),
    Pattern("says_yes_too_often",
            "Here you return True where False is right, and not the other way round. What does "
            "your condition wrongly accept?"),
    Pattern("says_yes_too_seldom",
            "Here you return False where True is right, and not the other way round. What does "
            "your condition wrongly reject?"),
    Pattern("says_yes_always", "The answer is True in every case tried."),
    Pattern("says_no_always", "The answer is False in every case tried."),
    Pattern("is_off_by_one", "The numbers that differ are off by one."),
    Pattern("is_too_large", "The numbers that differ are too large."),
    Pattern("is_too_small", "The numbers that differ are too small."),
    # What stands beside the numbers.
    Pattern("changes_its_input",
            "You change what the caller gave you: a tensor by `+=`, by functions whose names end "
            "with `_` or by assigning to a slice, a list by `pop`, `append` or `sort`.",
            single_slip=True, aspect="inputs"),
    Pattern("leaves_the_device",
            "A tensor is created on the CPU wherever the inputs are, moved there, or kept from an "
            "earlier call. Create it anew on the device of an input.", single_slip=True,
            aspect="device"),
    Pattern("cuts_the_gradient",
            "The numbers are right, but a gradient is cut off on the way: by `detach`, `.data`, "
            "`.item()`, `no_grad`, or a new tensor built from numbers?", single_slip=True,
            aspect="gradients"),
    Pattern("lets_a_gradient_through",
            "The numbers are right, but a gradient reaches something that must not matter.",
            single_slip=True, aspect="gradients"),
    Pattern("has_infinite_gradients",
            "The numbers are right, but their gradient is NaN or infinite. A branch whose result "
            "is discarded still takes part: 0 times infinity is NaN. A root has an infinite slope "
            "at 0.", single_slip=True),
    Pattern("has_another_gradient",
            "The numbers are right, but their gradient is not. What is treated as a constant, or "
            "replaced afterwards?"),
    Pattern("leaves_another_mode",
            "After the call, a model is in the wrong mode. Should it stay in the mode in which "
            "you got it, or be in a particular one?", single_slip=True),
    Pattern("draws_elsewhere",
            "All random numbers should come from the generator that you are given. Pass it on, as "
            "`generator=…`, to each function that draws.", single_slip=True),
    Pattern("draws_nothing",
            "You are given a generator to draw from, but its state is the same as before the "
            "call. Do you pass it on, without copying or resetting it?", single_slip=True),
    Pattern("draws_by_another_seed",
            "What you draw should depend only on the given generator and its state. Do you seed "
            "it again, or create another one?", single_slip=True),
    Pattern("works_too_much", "The result is right, but takes more work than it needs."),
    Pattern("calls_what_is_forbidden", "This call does what you should write yourself."),
    # What the cases that fail have in common, and those that pass do not.
    Pattern("fails_in_training_mode",
            "Of the cases tried, only those in training mode fail.",
            holds=lambda inputs: inputs.is_in_training_mode),
    Pattern("fails_in_half_precision",
            "Of the cases tried, only those in half precision fail. What overflows (float16 "
            "beyond 65,504), is lost in rounding, or is created as float32?",
            holds=lambda inputs: inputs.has_dtype(torch.float16, torch.bfloat16)),
    Pattern("fails_in_double_precision",
            "Of the cases tried, only those in float64 fail. What limits the precision: a small "
            "number that is added, or a step in float32?",
            holds=lambda inputs: inputs.has_dtype(torch.float64)),
    Pattern("fails_for_all_false",
            "Of the cases tried, only those where a boolean input holds no True fail.",
            holds=lambda inputs: any(not bool(one.any()) for one in inputs.selections)),
    Pattern("fails_for_rows_without_true",
            "Of the cases tried, only those where a row of a boolean input holds no True fail.",
            holds=lambda inputs: inputs.has_a_row_without_true),
    Pattern("fails_without_something",
            "Of the cases tried, only those where an argument is None fail.",
            holds=lambda inputs: any(one is None for one in inputs.values)),
    Pattern("fails_unless_none",
            "Of the cases tried, only those where no argument is None fail.",
            holds=lambda inputs: all(one is not None for one in inputs.values)),
    Pattern("fails_for_infinite_inputs",
            "Of the cases tried, only those with infinity or NaN in an input fail.",
            holds=lambda inputs: inputs.has_infinite_numbers),
    Pattern("fails_for_large_numbers",
            "Of the cases tried, only those with large numbers fail.",
            holds=lambda inputs: inputs.has_large_numbers),
    Pattern("fails_for_negative_numbers",
            "Of the cases tried, only those with negative integers fail.",
            holds=lambda inputs: inputs.has_negative_integers),
    Pattern("fails_for_different_lengths",
            "Of the cases tried, only those where two inputs have different lengths fail. Which "
            "one gives each axis its length?", needs_two_cases=True,
            holds=lambda inputs: any(one != other for one, other in inputs.lengths)),
    Pattern("fails_for_equal_lengths",
            "Of the cases tried, only those where two inputs have the same length fail.",
            needs_two_cases=True,
            holds=lambda inputs: any(one == other for one, other in inputs.lengths)),
    Pattern("fails_for_length_1",
            "Of the cases tried, only those with an axis of length 1 fail.",
            holds=lambda inputs: any(1 in one.shape for one in inputs.tensors)),
    Pattern("fails_for_fewer_axes_of_a_boolean",
            "Of the cases tried, only those where a boolean input has fewer axes than another "
            "input fail.",
            holds=lambda inputs: any(one.dim() < inputs.axes for one in inputs.selections)),
    Pattern("fails_without_leading_axes",
            "Of the cases tried, only those with inputs of at most two axes fail.",
            holds=lambda inputs: inputs.axes < 3),
    Pattern("fails_with_more_axes",
            "Of the cases tried, only those with an input of more than three axes fail.",
            holds=lambda inputs: inputs.axes > 3),
)
# fmt: on
PATTERNS = {pattern.name: pattern for pattern in EVERY_PATTERN}


def word(name: str, vocabulary: Vocabulary, booleans: bool = True) -> Word:
    """Return a pattern's name and hint in a course with this vocabulary.

    booleans: truth values are given or returned, or may be.
    """
    pattern = PATTERNS[name]
    hint = pattern.hint_among_booleans if booleans else ""
    return vocabulary.words.get(name) or Word(name, hint or pattern.hint)


def hints(vocabulary: Vocabulary) -> dict[str, str]:
    """The hint of every pattern, by the name that it has in a course with this vocabulary."""
    words = (word(name, vocabulary) for name in PATTERNS)
    return {one.name: one.hint for one in words}

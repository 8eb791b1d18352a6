"""Mistakes that every exercise knows by what was observed, with a hint for each.

They are looked for where no mistake of the exercise itself explains what happened. A hint holds no
number and no name of a submission's choosing, so that it can be told about a secret case too.
The first that fits is told.
"""

HINTS = {
    # what was raised
    "cannot_be_read": "Python cannot read the cell. Look at the line that is named, and above it.",
    "leaves_a_name_undefined": (
        "A name is used that neither this cell nor the imports define, or that is not defined on "
        "every path."
    ),
    "calls_no_super_init": (
        "A module is set up by `super().__init__()`, the first line of `__init__`. Is it there?"
    ),
    "has_other_parameters": (
        "The check loads given weights by name. Which names, and which shapes, does the text "
        "ask for?"
    ),
    "takes_other_arguments": (
        "The call does not fit the signature. Compare yours with the one of the released cell, "
        "and the calls in your code with what they call."
    ),
    "counts_on_so_many_axes": (
        "A line expects a different number of axes or parts than there are here: it unpacks "
        "something, names an axis or gives an index for each. If these are axes, count them from "
        "the end: -1, -2."
    ),
    "mixes_dtypes": (
        "Two dtypes meet inside. What is made or converted to a dtype of its own, and what has "
        "the dtype of the inputs?"
    ),
    "needs_another_dtype": (
        "A function of torch does not take numbers of this dtype, or cannot return them. What is "
        "the dtype of each tensor in the line that raised?"
    ),
    "overflows_a_dtype": (
        "A number is too large for its dtype: float16 ends at 65,504. Which number fits every "
        "dtype that the text allows?"
    ),
    "writes_where_gradients_pass": (
        "Something is written in place that the backward pass needs. Compute a new tensor instead."
    ),
    "asks_a_tensor_for_one_truth": (
        "A tensor of many truth values stands where Python needs one, as after `if`. Is `any` "
        "or `all` meant, or `torch.where`?"
    ),
    "leaves_torch": "Gradients do not pass through NumPy, lists or numbers. Stay with tensors.",
    "reaches_beyond_an_axis": (
        "An index lies outside of an axis or a list. Which is it, and how long is it in this case?"
    ),
    "shapes_do_not_fit": (
        "Two shapes do not fit. Write the shape of each tensor beside its line: where does the "
        "first one differ from what you expect?"
    ),
    "raises_in_what_it_was_given": (
        "What raises is a function or a model that your code was given. What do you hand to it, "
        "and what does the text say that it takes?"
    ),
    "returns_what_cannot_be_used": (
        "What comes back cannot be used. Is all that the text asks for there, of this kind and in "
        "this order?"
    ),
    "raises": "The call ends with an exception. Repeat it in a cell with inputs of this shape.",
    # what kind of thing was returned
    "returns_nothing": "Nothing is returned. Is there a `return` on every path?",
    "returns_other_things": (
        "The number of things returned, or their kind, is not what the text asks for. Compare "
        "with the line Returns."
    ),
    "returns_no_tensor": "A tensor is asked for, and something else is returned.",
    "returns_a_tensor": (
        "A plain number, truth value or text is asked for, and a tensor is returned."
    ),
    "returns_them_in_another_order": "All that is asked for is there, in another order.",
    "returns_another_dtype": (
        "The numbers have another dtype than asked for. What does the text say about the dtype, "
        "and where does yours come from?"
    ),
    # shapes
    "drops_an_axis_of_length_1": (
        "An axis of length 1 is missing. Was it never made, or taken away by a `squeeze` without "
        "an axis or an index instead of a slice?"
    ),
    "keeps_an_axis_of_length_1": (
        "There is an axis of length 1 too many. Does a sum or a maximum keep it, or was one "
        "added for broadcasting?"
    ),
    "transposes": "The result is the right one with two axes exchanged.",
    "has_another_shape": "The right numbers are there, in another shape.",
    "is_too_long_or_short_by_one": "An axis is longer or shorter by one than it should be.",
    "has_other_axes": (
        "The result has another number of axes. Which of them are made, which are summed over or "
        "indexed, and which are kept?"
    ),
    "has_other_lengths": "An axis has another length. What gives it its length?",
    # numbers
    "is_not_finite": (
        "Numbers are NaN or infinite. 0/0, infinity minus infinity, and the softmax of a row "
        "that holds nothing but -inf give NaN; an exponential of a large number is infinite."
    ),
    "negates": "What differs has the opposite sign, or True and False are exchanged.",
    "scales_by_a_constant": "The output that differs is the right one times a constant.",
    "adds_a_constant": "The output that differs is the right one plus a constant.",
    "adds_an_input": "The result is the right one plus one of the inputs.",
    "leaves_out_an_input": (
        "The result is the right one without one of the inputs, which is to be added."
    ),
    "returns_an_input": "What is returned is one of the inputs, as it was.",
    "is_zero": "The output that differs is 0 everywhere.",
    "is_constant": "The output that differs is the same number everywhere.",
    "shifts_by_one": "The right slices are there, moved by one along an axis.",
    "reverses": "The right slices are there, the last one first.",
    "permutes": "The right slices are there, in another order along an axis.",
    "puts_numbers_elsewhere": (
        "The right numbers are there, in other places. If you reshape: do axes have to change "
        "places before it, or after it?"
    ),
    "applies_softmax_twice": (
        "The weights are the softmax of the right weights. Where is the second?"
    ),
    "normalises_over_another_axis": "The weights sum to 1 over another axis than that of the keys.",
    "does_not_normalise": "The weights of a row do not sum to 1.",
    "is_wrong_where_masked": "What the mask allows is right. Look at what it forbids.",
    "is_wrong_in_empty_rows": "Only queries that may attend to nothing are wrong.",
    "is_right_for_the_first_only": (
        "The first of the first axis is right, and all others are wrong. Is something taken "
        "from the first one for all?"
    ),
    "is_wrong_at_the_first": "Only the first place of an axis is wrong.",
    "is_wrong_at_the_last": "Only the last place of an axis is wrong.",
    "is_wrong_on_the_diagonal": (
        "Only the diagonal is wrong. In scores or weights a query meets its own key there."
    ),
    "is_wrong_above_the_diagonal": (
        "Only what is above the diagonal is wrong. In scores or weights these are the keys that "
        "come later."
    ),
    "says_yes_too_often": (
        "Here you say True where False is right, and not the other way round. What does your "
        "condition let through?"
    ),
    "says_yes_too_seldom": (
        "Here you say False where True is right, and not the other way round. What does your "
        "condition turn away?"
    ),
    "says_yes_always": "The answer is True in every case tried.",
    "says_no_always": "The answer is False in every case tried.",
    "is_off_by_one": "The numbers that differ are off by one.",
    "is_too_large": "The numbers that differ are too large.",
    "is_too_small": "The numbers that differ are too small.",
    # beside the numbers
    "changes_its_input": (
        "What the caller gave is changed: a tensor by `+=`, by functions whose names end with `_` "
        "or by assigning to a slice, a list by `pop`, `append` or `sort`."
    ),
    "leaves_the_device": (
        "A tensor is made on the CPU, wherever the inputs are, brought there, or kept from an "
        "earlier call. Make it anew, with the device of an input."
    ),
    "cuts_the_gradient": (
        "The numbers are right, but a gradient is cut off on the way: by `detach`, `.data`, "
        "`.item()`, `no_grad`, or a tensor made anew from numbers?"
    ),
    "lets_a_gradient_through": (
        "The numbers are right, but a gradient reaches what must not matter."
    ),
    "has_infinite_gradients": (
        "The numbers are right, but their gradient is NaN or infinite. A branch that is thrown "
        "away afterwards still takes part: 0 times infinity is NaN. A root has an infinite slope "
        "at 0."
    ),
    "has_another_gradient": (
        "The numbers are right, but their gradient is another one. What is treated as a "
        "constant, or replaced afterwards?"
    ),
    "leaves_another_mode": (
        "A model is in another mode after the call than it should be. Does the text want the mode "
        "in which you got it, or a certain one?"
    ),
    "draws_elsewhere": (
        "Whoever gives a generator wants all numbers from it. Pass it on, as `generator=…`, to "
        "each function that draws."
    ),
    "draws_nothing": (
        "A generator is given to be drawn from, and is as it was before the call. Is it passed on, "
        "and neither copied nor put back?"
    ),
    "draws_by_another_seed": (
        "What is drawn should follow from the generator as it was given, and nothing else. Is it "
        "seeded anew, or is another one made?"
    ),
    "works_too_much": "The result is right, but takes more work than it needs.",
    "calls_what_is_forbidden": "What is to be written is what this call does.",
    # what the cases that fail have in common, and those that pass do not
    "fails_in_half_precision": (
        "Of the cases tried, only those in half precision fail. What overflows beyond 65,504, is "
        "lost in rounding, or is made as float32?"
    ),
    "fails_in_double_precision": (
        "Of the cases tried, only those in float64 fail. What limits it: a small number that is "
        "added, or a step in float32?"
    ),
    "fails_in_training_mode": "Of the cases tried, only those in training mode fail.",
    "fails_for_large_numbers": "Of the cases tried, only those with large numbers fail.",
    "fails_for_infinite_inputs": (
        "Of the cases tried, only those with infinity or NaN in an input fail."
    ),
    "fails_for_a_mask_without_true": (
        "Of the cases tried, only those with a mask that allows nothing fail."
    ),
    "fails_for_empty_rows": (
        "Of the cases tried, only those with a row of the mask that allows nothing fail."
    ),
    "fails_without_something": "Of the cases tried, only those where an argument is None fail.",
    "fails_unless_none": "Of the cases tried, only those where no argument is None fail.",
    "fails_without_leading_axes": "Of the cases tried, only those with at most two axes fail.",
    "fails_with_more_axes": "Of the cases tried, only those with more than three axes fail.",
    "fails_for_fewer_axes_of_a_mask": (
        "Of the cases tried, only those where the mask has fewer axes than another input fail."
    ),
    "fails_for_length_1": "Of the cases tried, only those with an axis of length 1 fail.",
    "fails_for_equal_lengths": (
        "Of the cases tried, only those with two sequences of the same length fail."
    ),
    "fails_for_different_lengths": (
        "Of the cases tried, only those with sequences of different lengths fail. Which one gives "
        "each axis its length?"
    ),
    "fails_for_negative_numbers": "Of the cases tried, only those with negative integers fail.",
}

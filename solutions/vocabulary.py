"""The words in which this course speaks of what the engine recognises in general terms."""

from autograder.author import Vocabulary, Word

vocabulary = Vocabulary(
    selecting="mask",
    words={
        "is_the_softmax_of_what_is_right": Word(
            "applies_softmax_twice",
            "Weights or probabilities are the softmax of the right ones. Where is the second "
            "softmax?",
        ),
        "is_not_finite": Word(
            "is_not_finite",
            "Numbers are NaN or infinite. 0/0, infinity minus infinity, and the softmax of a row "
            "that holds only -inf give NaN; an exponential of a large number is infinite.",
        ),
        "normalises_over_another_axis": Word(
            "normalises_over_another_axis",
            "Weights or probabilities sum to 1 over an axis other than the last.",
        ),
        "does_not_normalise": Word(
            "does_not_normalise", "The weights or probabilities of a row do not sum to 1."
        ),
        "is_wrong_where_false": Word(
            "is_wrong_where_masked", "What the mask allows is right. Look at what it forbids."
        ),
        "is_wrong_in_rows_without_true": Word(
            "is_wrong_in_empty_rows", "Only queries that may attend to nothing are wrong."
        ),
        "is_wrong_on_the_diagonal": Word(
            "is_wrong_on_the_diagonal",
            "Only the diagonal is wrong. In scores or weights a query meets its own key there.",
        ),
        "is_wrong_above_the_diagonal": Word(
            "is_wrong_above_the_diagonal",
            "Only entries above the diagonal are wrong. In scores or weights these are the keys "
            "that come later.",
        ),
        "is_wrong_below_the_diagonal": Word(
            "is_wrong_below_the_diagonal",
            "Only entries below the diagonal are wrong. In scores or weights these are the keys "
            "that come earlier.",
        ),
        "fails_for_all_false": Word(
            "fails_for_a_mask_without_true",
            "Of the cases tried, only those with a mask that allows nothing fail.",
        ),
        "fails_for_rows_without_true": Word(
            "fails_for_empty_rows",
            "Of the cases tried, only those with a row of the mask that allows nothing fail.",
        ),
        "fails_for_fewer_axes_of_a_boolean": Word(
            "fails_for_fewer_axes_of_a_mask",
            "Of the cases tried, only those where the mask has fewer axes than another input fail.",
        ),
        "fails_for_equal_lengths": Word(
            "fails_for_equal_lengths",
            "Of the cases tried, only those with two sequences of the same length fail.",
        ),
        "fails_for_different_lengths": Word(
            "fails_for_different_lengths",
            "Of the cases tried, only those with sequences of different lengths fail. "
            "Which one gives each axis its length?",
        ),
    },
    confused={
        "W_k": "W_q",
        "W_q": "W_k",
        "W_v": "W_k",
        "key": "query",
        "value": "key",
        "queries": "keys",
        "keys": "queries",
    },
)

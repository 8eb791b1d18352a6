"""Run in book/ of the merged tree once cross_dates, cross_patches, cross_series and elsewhere_* are measured.

Puts the sentences in place that wait for new numbers. Each says in a comment what the numbers must show.
"""


def sub(name, *pairs):
    text = open(name).read()
    for old, new in pairs:
        assert text.count(old) == 1, (name, text.count(old), old)
        text = text.replace(old, new)
    open(name, "w").write(text)


sub(
    "06_cross_attention.md",
    # needs: pooled_long well above pooled_exact (one earlier run: 83 %), none_long reported whatever it is
    (
        "In C there is nothing to find: the decoder has to read every digit from the same\nvector. Its mistakes do not prove that this vector is too small, because all three networks were trained for only\n{measured}`cross_dates:steps` steps.",
        "In C there is nothing to find: the decoder has to read every digit from the same\nvector. That this vector is too small does not follow: trained for four times as many steps, C translates\n{measured}`cross_dates:pooled_long` of the dates, and B {measured}`cross_dates:none_long`.",
    ),
    (
        "Each had the\nbest of three learning rates, chosen with a seed that is not reported; for C the lowest of the three was best, and no\nlower one was tried. In place",
        "Each had its\nown learning rate, chosen with two seeds that are not reported: the rate was doubled and halved until both\nneighbours of the best one were worse. In place",
    ),
    (
        "difference between A and B is therefore not one of size: it is what attention among the characters adds in this\nmodel, on this task and with this much training.\n",
        "difference between A and B is therefore not one of size: it is what attention among the characters adds in this\nmodel, on this task and with this much training.\n\nB and C were also trained for {measured}`cross_dates:long_steps` steps, over three seeds and at rates chosen for that\nlength. B then translates {measured-spread}`cross_dates:none_long` of the dates and C\n{measured-spread}`cross_dates:pooled_long`. So most of what C lacked after {measured}`cross_dates:steps` steps was\ntraining and not room.\n",
    ),
)
sub(
    "06_elsewhere.md",
    # all experiments of the page now choose by the worst of three seeds
    (
        "chosen by the loss on held-back data with a seed that is not reported. The rates tried were half a power of ten apart,\nand the search went on until both neighbours of the best one were worse. All results are over five seeds.\n\nChoosing with one seed failed twice. In a first run, most captioning decoders with attention failed to train at the\nrate chosen in this way, and so did some of the networks for sets. In these two experiments the rate was then chosen\nby the worst of three seeds, and the results below are over five new seeds. In the other experiments the choice with\none seed was kept, also where a model without attention failed to train at it (the GRU below).\n",
        "chosen by the loss on held-back data, in the worst of three runs with seeds that are not reported. The rates tried were\nhalf a power of ten apart, and the search went on until both neighbours of the best one were worse. All results are\nover five seeds.\n\nEarlier the rate was chosen with one seed. Then most captioning decoders with attention failed to train at it, and so\ndid some of the networks for sets and a GRU. The results of captions and sets below are over five new seeds.\n",
    ),
    # if motifs_gru_long has no run that failed: also delete the code cell with the table of its seeds
    (
        "The GRU does better than least squares, and in\nmost runs better still when it is trained for longer. The spread of its long runs comes from one run, which failed at\nthe learning rate that another seed had chosen:",
        "The GRU does better than least squares, and better\nstill when it is trained for longer. Its long runs, seed by seed:",
    ),
    (
        "Each\nfact is about one of five things,",
        "Each\nfact is about one of {measured}`elsewhere_pointing:things` things,",
    ),
    ("Four networks answer:\n", "Five networks answer:\n"),
    (
        "- **GRU, name**: the same, but the MLP chooses one of the known persons.\n\nThe pointer has {measured}`elsewhere_pointing:pointer_parameters` parameters, the two GRUs\n{measured}`elsewhere_pointing:places_parameters` and {measured}`elsewhere_pointing:vector_parameters`.\n",
        "- **GRU, name**: the same, but the MLP chooses one of the known persons;\n- **GRU, asked first**: as *GRU, place*, but the thing in question comes before the first fact as well.\n\nThe pointer has {measured}`elsewhere_pointing:pointer_parameters` parameters, the GRUs\n{measured}`elsewhere_pointing:places_parameters`, or {measured}`elsewhere_pointing:vector_parameters` where they choose a\nname. All were trained for {measured}`elsewhere_pointing:steps` steps; the rows marked *long* had\n{measured}`elsewhere_pointing:long` steps.\n",
    ),
    (
        "| GRU, name | {measured-spread}`elsewhere_pointing:vector_known` | impossible | {measured-spread}`elsewhere_pointing:vector_things` |\n",
        "| GRU, name | {measured-spread}`elsewhere_pointing:vector_known` | impossible | {measured-spread}`elsewhere_pointing:vector_things` |\n"
        "| GRU, asked first | {measured-spread}`elsewhere_pointing:asked_known` | {measured-spread}`elsewhere_pointing:asked_persons` | {measured-spread}`elsewhere_pointing:asked_things` |\n"
        "| GRU, place, long | {measured-spread}`elsewhere_pointing:places_long_known` | {measured-spread}`elsewhere_pointing:places_long_persons` | {measured-spread}`elsewhere_pointing:places_long_things` |\n"
        "| GRU, name, long | {measured-spread}`elsewhere_pointing:vector_long_known` | impossible | {measured-spread}`elsewhere_pointing:vector_long_things` |\n"
        "| GRU, asked first, long | {measured-spread}`elsewhere_pointing:asked_long_known` | {measured-spread}`elsewhere_pointing:asked_long_persons` | {measured-spread}`elsewhere_pointing:asked_long_things` |\n",
    ),
    # needs: asked_known and *_long_known clearly below pointer_known (a single try: 76 %, long 80 %)
    (
        "The GRUs, which read\nthe story before they get the question, answer fewer after the same number of steps; longer training was not tried. A\nnetwork",
        "The GRUs\nanswer fewer, also when they get the question first and when they are trained for four times as many steps. A\nnetwork",
    ),
    # needs: by_mixing small and positive on each seed (three runs: 0.09 to 0.10)
    (
        "The four statistics are computed by hand-written rules, and what attention\namong the assets adds to them was not measured.",
        "Attention among the assets accounts for little of this: the same\nnetwork without it, at a learning rate of its own, scores each asset by its own four statistics and is worth\n{measured}`elsewhere_portfolio:unmixed`. That is {measured}`elsewhere_portfolio:without_mixing` more than equal\nshares, and attention adds {measured-spread}`elsewhere_portfolio:by_mixing`.",
    ),
    (
        "| attention over assets | impossible | {measured-spread}`elsewhere_portfolio:attention` |\n",
        "| network, attention among assets | impossible | {measured-spread}`elsewhere_portfolio:attention` |\n| network, without attention | impossible | {measured-spread}`elsewhere_portfolio:unmixed` |\n",
    ),
    (
        "numbers, chosen on markets that are not reported, bring the formula near the network (third and fourth row):",
        "numbers, chosen on markets that are not reported, bring the formula near the two networks (third to fifth row):",
    ),
    (
        "The network is a little better, after training on",
        "The network with attention is a little better, after training on",
    ),
    (
        "a little ahead of a formula with two tuned\nnumbers, or far ahead,",
        "a little ahead of the same network without it, or\nfar ahead,",
    ),
)

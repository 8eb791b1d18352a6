"""How a command is described, in the list of all of them and in its own help."""


def described(sentence: str) -> dict[str, str]:
    """What argparse's `add_parser` is given, so that it says the sentence in both places."""
    return {"help": sentence, "description": sentence}

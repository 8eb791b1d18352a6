"""A question to whoever sits at the terminal."""

YES = ("y", "yes")


def agreed(question: str) -> bool:
    """Whether the answer is yes; the end of what is typed is none."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in YES
    except EOFError:
        print()
        return False

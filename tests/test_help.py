"""`attn --help`: each command is described by a sentence, there and in its own help."""

import re

import pytest

from autograder.cli import main

COMMANDS = re.compile(r"^ {4}(\w+)(?: +|\n +)(.*(?:\n {10,}.*)*)", re.MULTILINE)


def helped(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_each_command_is_described_by_the_same_sentence_in_both_places(capsys):
    for words in ([], ["new"], ["package"]):
        commands = COMMANDS.findall(helped(capsys, *words))
        assert len(commands) >= 3
        for command, said in commands:
            sentence = " ".join(said.split())
            assert sentence.endswith(".") and sentence[0].isupper(), command
            assert sentence in " ".join(helped(capsys, *words, command).split())

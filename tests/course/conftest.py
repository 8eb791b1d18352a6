"""A draft of the small chapter, for an author to make slips in."""

import shutil

import pytest


@pytest.fixture
def root(toy_root, tmp_path):
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    return tmp_path


@pytest.fixture
def folder(root):
    return root / "solutions" / "01_toy"

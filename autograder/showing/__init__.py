"""Verdicts as people read them: cards, sentences, outputs of cells, formulas."""

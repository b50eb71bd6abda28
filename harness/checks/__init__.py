"""Mechanical checkers: each answers one question about a run, with the evidence for it."""

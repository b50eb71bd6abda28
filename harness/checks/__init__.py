"""Checkers: each asks one question of a finished run and answers with evidence."""

"""Rows and runs for people: the terminal, HTML, and other tools' formats."""

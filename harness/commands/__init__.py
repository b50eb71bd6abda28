"""The commands, one a file; each reads its options, calls one verb and says what came of it.

What a command calls is imported inside it: ``harness --help`` must not pay for the gateway or the parsers.
"""

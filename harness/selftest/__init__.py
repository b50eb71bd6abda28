"""The battery behind ``harness selftest``: every known way to get a false result, tried for real."""

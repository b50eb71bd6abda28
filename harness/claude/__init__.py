"""The claude CLI as harness meets it: its process, its stream and its session files."""

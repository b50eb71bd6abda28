"""Runs had again: replayed, asked again, packed for another machine, or turned into a playbook."""

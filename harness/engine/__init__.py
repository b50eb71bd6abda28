"""Cells to finished runs: one plain function for one cell, and the loop over many."""

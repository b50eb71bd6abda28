"""What was found and where it is kept: the table of rows and one folder a run."""

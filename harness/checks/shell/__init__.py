"""What a shell command line runs, and which files each program in it reads, lists, searches or writes."""

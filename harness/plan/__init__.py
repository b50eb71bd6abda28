"""Which cells there are, which are left, and in what order; nothing here starts a process."""

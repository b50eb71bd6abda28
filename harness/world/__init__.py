"""What an arm works in: the copy of the fixture, the sandbox around it, and what changed there."""

"""Authors' files to frozen nouns: every problem of every file is found before anything starts."""

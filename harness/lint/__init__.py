"""Whether a suite's scenarios ask an honest question: rules over authored files, each with file and line."""

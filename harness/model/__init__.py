"""The nouns: frozen values that every other part of harness passes around and nothing here acts on."""

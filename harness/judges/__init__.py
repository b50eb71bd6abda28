"""Judgements that no machine can make by itself, held to evidence, blindness and a schema by machine."""

"""What an author starts from: a first suite for a plugin, new scenarios and cases, schemas for the editor."""

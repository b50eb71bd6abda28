"""The loopback Messages API between claude and whatever answers for the model."""

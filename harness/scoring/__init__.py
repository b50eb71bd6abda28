"""Rows to answers: one number, one guard, one comparison, one table; pure, and the same for any way the rows came."""

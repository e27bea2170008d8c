"""Tests of the compiled loops of the verification."""

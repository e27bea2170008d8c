"""Tests of the hierarchies, each member on its own (a package, since other shelves have files of the same names)."""

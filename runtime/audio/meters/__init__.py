"""Measurements of sound: loudness, levels, spectra."""

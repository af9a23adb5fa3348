"""Measurements of sound: loudness and true peak, sample levels, spectra."""

"""The names that generated audio code may use: tables, read by the gate and by the sandbox."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BUILTINS = _words(
    "abs all any bool dict divmod enumerate float int len list map max min pow print range"
    " reversed round slice sorted str sum tuple zip"
)
_PEDALBOARD = _words(
    "Bitcrush BrickwallLimiter Chain Chorus Clipping Compressor Convolution Delay Distortion"
    " GSMFullRateCompressor Gain HighShelfFilter HighpassFilter Invert LadderFilter Limiter"
    " LowShelfFilter LowpassFilter MP3Compressor Mix NoiseGate PeakFilter Pedalboard Phaser"
    " PitchShift Resample Reverb process time_stretch"
)
_NUMPY = _words(
    "abs absolute add all amax amin angle any append arange arccos arcsin arctan arctan2 argmax"
    " argmin argsort around array array_equal asarray ascontiguousarray atleast_1d atleast_2d"
    " average bartlett bincount blackman bool_ broadcast_to ceil clip column_stack complex128"
    " complex64 concatenate convolve copy corrcoef correlate cos cosh cumprod cumsum deg2rad diff"
    " digitize divide dot dtype einsum empty empty_like equal exp expand_dims expm1 eye fabs flip"
    " fliplr flipud float16 float32 float64 floor full full_like geomspace greater hamming hanning"
    " heaviside histogram hstack hypot imag inf int16 int32 int64 int8 interp isclose isfinite"
    " isinf isnan kaiser less linspace log log10 log1p log2 logical_and logical_not logical_or"
    " logspace max maximum mean median min minimum mod moveaxis multiply nan nan_to_num nanmax"
    " nanmean nanmin ndarray ndim newaxis nonzero ones ones_like outer pad percentile pi power"
    " prod ptp quantile rad2deg ravel real reciprocal repeat reshape resize rint roll rot90 round"
    " searchsorted shape sign sin sinc sinh size sort split sqrt square squeeze stack std"
    " subtract sum swapaxes take tan tanh tile transpose trapezoid trim_zeros true_divide trunc"
    " uint16 uint32 uint8 unique unwrap vander var vstack where zeros zeros_like"
)
_MATH = _words(
    "acos asin atan atan2 ceil comb cos cosh degrees e exp fabs floor fmod gcd hypot inf isclose"
    " isfinite isinf isnan log log10 log1p log2 nan pi pow radians sin sinh sqrt tan tanh tau"
    " trunc"
)
MODULES: dict[str, frozenset[str]] = {
    "pedalboard": _PEDALBOARD,
    "pedalboard.io": frozenset({"AudioFile", "StreamResampler"}),
    "soundfile": frozenset({"read", "write", "info", "SoundFile", "blocks"}),
    "numpy": _NUMPY,
    "numpy.fft": _words("fft ifft rfft irfft fftfreq rfftfreq fftshift ifftshift"),
    "numpy.random": frozenset({"default_rng"}),
    "math": _MATH,
}
"""Modules that may be imported, and the names in them that may be used. Missing on purpose: all
that loads plugins, opens devices, or reads and writes other files than sound."""

_OF_ARRAYS = (
    "T all any argmax argmin argsort astype clip conj copy cumsum diagonal dot dtype fill flatten"
    " imag item max mean min ndim nonzero prod ptp ravel real repeat reshape resize round shape"
    " size sort squeeze std sum swapaxes take tolist transpose var"
)
_OF_RANDOM = "standard_normal normal uniform integers random choice permutation shuffle"
_OF_FILES = (
    "read write close seek tell frames samplerate num_channels channels duration resampled_to"
    " process reset subtype flush exact_duration_known file_dtype name blocks"
)
_OF_TEXT_AND_LISTS = (
    "append extend insert pop index count items keys values get update lower upper strip split"
    " join startswith endswith replace"
)
_OF_PLUGINS = (
    "append insert remove process reset attack_ms release_ms threshold_db ratio gain_db"
    " cutoff_frequency_hz cutoff_hz q room_size damping wet_level dry_level width freeze_mode"
    " delay_seconds feedback mix rate_hz depth centre_delay_ms centre_frequency_hz drive_db"
    " semitones bit_depth ceiling_db lookahead_ms true_peak resonance drive mode vbr_quality"
    " target_sample_rate quality impulse_response_filename"
)
MEMBERS = _words(" ".join((_OF_ARRAYS, _OF_RANDOM, _OF_FILES, _OF_TEXT_AND_LISTS, _OF_PLUGINS)))
"""Names that may stand after a dot behind a value. No `format`: it reaches any
attribute by name."""

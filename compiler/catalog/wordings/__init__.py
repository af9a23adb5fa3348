"""What people say for some of the audio tools: the longer rows of `audio_phrases`."""

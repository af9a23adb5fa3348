"""What the headers of sound files say beside the shape: how much sound is to follow, and which
speaker each channel is for."""

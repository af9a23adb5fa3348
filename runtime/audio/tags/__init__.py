"""What a sound file says beside its samples: fields, cover, chapters."""

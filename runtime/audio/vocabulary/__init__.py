"""What people say for sound: phrases, the requests made of them, the plans that follow."""

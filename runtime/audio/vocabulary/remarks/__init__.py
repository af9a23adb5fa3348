"""What people say around a wish: reasons, greetings, purposes, headings, and what points back."""

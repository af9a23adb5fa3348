"""The composition root: options and configuration become one `Services` value."""

"""Details of a wish: names without quotes, and how something is done."""

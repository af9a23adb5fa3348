"""Tables of checkpoints: savers on flowc's connections, and rows read, ordered and dropped."""

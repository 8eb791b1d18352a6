"""The trusted end of a confined process: it starts one, limits it, and reads what it sends."""

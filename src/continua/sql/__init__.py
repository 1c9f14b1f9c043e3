"""From text to statements to bound logical plans."""

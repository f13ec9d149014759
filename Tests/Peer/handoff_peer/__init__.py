"""A second implementation of handoffd's protocol, written from Docs/Protocol.md, Docs/Circle.md, Docs/Simulation.md and
the .proto files alone.

The modules up to `gatt` compute and decide, and send nothing: the vectors in Docs/vectors check them. `session`,
`pairing_request` and `device` use a channel and a radio, of which `air` (the simulated one) and `bluetooth` (Bumble)
are two.
"""

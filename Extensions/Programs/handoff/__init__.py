"""What the programs beside this package share, and what each of them is made of."""

import time

# When the program has begun, before it imports what may take long.
STARTED = time.monotonic()

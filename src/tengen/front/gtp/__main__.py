"""``python -m tengen.front.gtp``: the same as ``tengen gtp``."""

import sys

from tengen.front.gtp import main

sys.exit(main(sys.argv[1:]))

EXTRA_DIST += examples/quickstart examples/README.md

include examples/trainer.mk

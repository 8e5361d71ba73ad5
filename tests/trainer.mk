# Tests of trainer.

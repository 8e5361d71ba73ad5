# The reference trainer.

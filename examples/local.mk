include examples/trainer.mk

EXTRA_DIST += examples/quickstart examples/README.md

include examples/trainer.mk

EXTRA_DIST += examples/cluster/cluster examples/cluster/slurm.sh examples/cluster/README.md examples/slurm/mpirun.sh examples/slurm/srun.sh

EXTRA_DIST += examples/quickstart examples/which-gpus examples/README.md

include examples/trainer.mk

EXTRA_DIST += examples/pytorch/README.md examples/pytorch/digits.py examples/pytorch/loop.py examples/pytorch/slurm.sh examples/pytorch/torchrun \
	examples/pytorch/train.py
EXTRA_DIST += examples/kubernetes/job.yaml
EXTRA_DIST += examples/cluster/cluster examples/cluster/slurm.sh examples/cluster/study examples/cluster/README.md examples/slurm/mpirun.sh examples/slurm/srun.sh
EXTRA_DIST += examples/ci/README.md examples/ci/gitlab-ci.yml examples/ci/github.yml examples/notebook/runs.ipynb

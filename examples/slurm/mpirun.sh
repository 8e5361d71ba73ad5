#!/bin/sh
#SBATCH --job-name=tacho-mpirun
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#
# Records a training under Slurm, `tacho record` around mpirun: one tacho for
# the job, on its first node. mpirun asks Slurm for the nodes and starts its
# daemons there by srun; tacho sees to it that ranks everywhere are recorded.
#
#	sbatch mpirun.sh                          # tacho-trainer
#	TRAIN="./my-train --epochs 3" sbatch --nodes=8 mpirun.sh
#
# The run's folder must lie where all nodes see it: here below the folder that
# sbatch was called from. With node-local disks, `--spool DIR` cannot be given
# here, since tacho runs on one node only: see srun.sh.
# The job's exit status is the training's.
exec tacho record -o "run-$SLURM_JOB_ID" -- mpirun ${TRAIN:-tacho-trainer}

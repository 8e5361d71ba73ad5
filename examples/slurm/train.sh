#!/bin/sh
#SBATCH --job-name=tacho-train
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#
# Records a training under Slurm. `tacho record` goes around mpirun; the run
# lies on the shared file system, in the folder that sbatch was called from.
# TRAIN is the command to record.
exec tacho record -o "run-$SLURM_JOB_ID" -- mpirun ${TRAIN:-tacho-trainer}

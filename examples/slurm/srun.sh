#!/bin/sh
#SBATCH --job-name=tacho-srun
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#
# Records a training under Slurm, srun around `tacho record`: one tacho per
# rank. The first makes the run's folder, the last to end merges and analyses
# on its node, so nothing is needed outside the ranks.
#
#	sbatch srun.sh                            # tacho-trainer
#	MPI=pmi2 TRAIN="./my-train --epochs 3" sbatch --nodes=8 srun.sh
#
# MPI is the way that the ranks find each other (`srun --mpi=list`): pmix for
# Open MPI, pmi2 for MPICH, Intel MPI and MVAPICH. Where ranks of Open MPI now and
# then crash in MPI_Init, with and without tacho (seen with Slurm 22.05), try
# `export SLURM_PMIX_FENCE=tree`.
#
# The run's folder must lie where all nodes see it: here below the folder that
# sbatch was called from. Where that file system is slow or shared by many,
# SPOOL=DIR writes events to a node-local folder (SPOOL=/tmp) and brings them
# to the run at the end.
# `tacho record -o RUN -- srun --mpi=… COMMAND`, around srun, works too.
# The job's exit status is the training's.
exec srun --mpi="${MPI:-pmix}" \
	tacho record -o "run-$SLURM_JOB_ID" ${SPOOL:+--spool "$SPOOL"} -- ${TRAIN:-tacho-trainer}

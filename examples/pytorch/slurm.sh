#!/bin/sh
#SBATCH --job-name=tacho-pytorch
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#
# Records train.py under Slurm, srun around `tacho record`: one tacho per rank, no torchrun.
#
#	sbatch slurm.sh                           # in this folder
#	TRAIN="loop.py --epochs 9" sbatch --nodes=8 slurm.sh
#
# Where that name is not one of the network that gradients shall go by: MASTER_ADDR=ADDRESS of the
# first node, and GLOO_SOCKET_IFNAME=INTERFACE. With GPUs add --gpus-per-task=1. The folder that sbatch was called from must lie where all nodes see
# it: the run's folder and the data set are made there.
MASTER_ADDR=${MASTER_ADDR:-$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)}
MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))
export MASTER_ADDR MASTER_PORT
exec srun tacho record -o "run-$SLURM_JOB_ID" ${SPOOL:+--spool "$SPOOL"} -- python3 ${TRAIN:-train.py}

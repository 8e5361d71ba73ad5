/* collective_op.c - see collective_op.h. */
#include "config.h"

#include <otf2/otf2.h>

#include "model/collective_op.h"

const struct collective_op collective_ops[COLLECTIVE_OPS] = {
	[OTF2_COLLECTIVE_OP_BARRIER] = { "barrier", GATE_ALL, 1, false },
	[OTF2_COLLECTIVE_OP_BCAST] = { "broadcast", GATE_ROOT, 1, false },
	[OTF2_COLLECTIVE_OP_GATHER] = { "gather", GATE_AT_ROOT, 1, true },
	[OTF2_COLLECTIVE_OP_GATHERV] = { "gather", GATE_AT_ROOT, 1, true },
	[OTF2_COLLECTIVE_OP_SCATTER] = { "scatter", GATE_ROOT, 1, true },
	[OTF2_COLLECTIVE_OP_SCATTERV] = { "scatter", GATE_ROOT, 1, true },
	[OTF2_COLLECTIVE_OP_ALLGATHER] = { "allgather", GATE_ALL, 1, true },
	[OTF2_COLLECTIVE_OP_ALLGATHERV] = { "allgather", GATE_ALL, 1, true },
	[OTF2_COLLECTIVE_OP_ALLTOALL] = { "alltoall", GATE_ALL, 1, true },
	[OTF2_COLLECTIVE_OP_ALLTOALLV] = { "alltoall", GATE_ALL, 1, true },
	[OTF2_COLLECTIVE_OP_ALLTOALLW] = { "alltoall", GATE_ALL, 1, true },
	[OTF2_COLLECTIVE_OP_ALLREDUCE] = { "allreduce", GATE_ALL, 2, true },
	[OTF2_COLLECTIVE_OP_REDUCE] = { "reduce", GATE_AT_ROOT, 1, false },
	[OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = { "reducescatter", GATE_ALL, 1, true },
	[OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = { "reducescatter", GATE_ALL, 1, true },
	[OTF2_COLLECTIVE_OP_SCAN] = { "scan", GATE_LOWER, 1, false },
	[OTF2_COLLECTIVE_OP_EXSCAN] = { "exscan", GATE_LOWER, 1, false },
	[OTF2_COLLECTIVE_OP_CREATE_HANDLE] = { "create", GATE_ALL, 1, false },
	[OTF2_COLLECTIVE_OP_DESTROY_HANDLE] = { "destroy", GATE_NONE, 1, false },
	[OTF2_COLLECTIVE_OP_ALLOCATE] = { "allocate", GATE_ALL, 1, false },
	[OTF2_COLLECTIVE_OP_DEALLOCATE] = { "deallocate", GATE_ALL, 1, false },
	[OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE] = { "create", GATE_ALL, 1, false },
	[OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE] = { "destroy", GATE_ALL, 1, false },
	[OP_NEIGHBOURS | OTF2_COLLECTIVE_OP_ALLGATHER] = { "allgather", GATE_NEIGHBOURS },
	[OP_NEIGHBOURS | OTF2_COLLECTIVE_OP_ALLGATHERV] = { "allgather", GATE_NEIGHBOURS },
	[OP_NEIGHBOURS | OTF2_COLLECTIVE_OP_ALLTOALL] = { "alltoall", GATE_NEIGHBOURS },
	[OP_NEIGHBOURS | OTF2_COLLECTIVE_OP_ALLTOALLV] = { "alltoall", GATE_NEIGHBOURS },
	[OP_NEIGHBOURS | OTF2_COLLECTIVE_OP_ALLTOALLW] = { "alltoall", GATE_NEIGHBOURS },
	[OP_FILES] = { "file", GATE_ALL, 1, false },
};

/* comm_place.c - the position of a process in a communicator; see model.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/model.h"

uint32_t model_comm_place(struct model *model, uint32_t comm, uint32_t process)
{
	struct comm *in = &model->comms.at[comm];

	if (!in->ranks) {
		in->ranks = malloc((model->processes.n + 1) * sizeof(*in->ranks));
		if (!in->ranks)
			return MODEL_NONE;
		memset(in->ranks, 0xff, (model->processes.n + 1) * sizeof(*in->ranks));
		for (uint32_t i = 0; i < in->nall; i++)
			if (in->members[i] != MODEL_NONE)
				in->ranks[in->members[i]] = i;
	}
	return process == MODEL_NONE ? MODEL_NONE : in->ranks[process];
}

uint32_t model_comm_rank(struct model *model, uint32_t comm, uint32_t process)
{
	uint32_t place = model_comm_place(model, comm, process);

	return place < model->comms.at[comm].nmembers ? place : MODEL_NONE;
}

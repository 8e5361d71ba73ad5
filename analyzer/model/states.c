/* states.c - the names of states, see states.h. */
#include "config.h"

#include <string.h>

#include "model/states.h"

const char *const host_state_names[HOST_STATE_COUNT] = {
#define STATE(id, name) [HOST_##id] = name,
	HOST_STATES(STATE)
#undef STATE
};

const char *const device_state_names[DEVICE_STATE_COUNT] = {
#define STATE(id, name) [DEVICE_##id] = name,
	DEVICE_STATES(STATE)
#undef STATE
};

void host_whole(const int64_t spent[HOST_STATE_COUNT], const int64_t summed[HOST_ABSENT],
	int64_t whole[HOST_STATE_COUNT])
{
	int64_t left = spent[HOST_SUMMED];

	memcpy(whole, spent, HOST_STATE_COUNT * sizeof(*whole));
	whole[HOST_SUMMED] = 0;
	for (int state = 0; state < HOST_ABSENT; state++) {
		int64_t ns = summed[state] < left ? summed[state] : left;

		whole[state] += ns;
		left -= ns;
	}
	whole[HOST_USEFUL] += left;
}

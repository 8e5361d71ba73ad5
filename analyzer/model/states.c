/* states.c - the names of states, see states.h. */
#include "config.h"

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

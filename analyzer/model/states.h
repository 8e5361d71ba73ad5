/* states.h - what a host thread or a device is in at each time, and how the database calls it. */
#ifndef ANALYZER_STATES_H
#define ANALYZER_STATES_H

#include "tacho/trace.h"

enum device_state {
#define STATE(id, name) DEVICE_##id,
	DEVICE_STATES(STATE)
#undef STATE
		DEVICE_STATE_COUNT
};

extern const char *const host_state_names[HOST_STATE_COUNT];
extern const char *const device_state_names[DEVICE_STATE_COUNT];

#endif

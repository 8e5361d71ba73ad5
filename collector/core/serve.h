/* serve.h - the work of the helper: chunks, rings, heartbeat, clock pairs, environment, sources. */
#ifndef COLLECTOR_SERVE_H
#define COLLECTOR_SERVE_H

#include "core/helper.h"

extern const struct helper_work tacho_serve HIDDEN;

#endif

/* mark.h - markers, for the rest of the library. */
#ifndef COLLECTOR_MARK_H
#define COLLECTOR_MARK_H

#include "span.h"

/* In a forked child: forgets the names, whose definitions are in the parent's file. */
void mark_forked(void) HIDDEN;

#endif

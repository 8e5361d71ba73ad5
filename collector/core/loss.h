/* loss.h - why a spool could not be made or could not grow. */
#ifndef COLLECTOR_LOSS_H
#define COLLECTOR_LOSS_H

#include "core/span.h"

/*
 * The reason that is counted for an errno of opening, growing or mapping a file of the process's
 * folder; EDOM represents a limit of tacho's own. May be called anywhere.
 */
enum spool_loss loss_of_error(int error) HIDDEN;

#endif

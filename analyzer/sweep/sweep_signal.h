/* sweep_signal.h - signals that end a sweep, and with it the run in progress. */
#ifndef ANALYZER_SWEEP_SIGNAL_H
#define ANALYZER_SWEEP_SIGNAL_H

#include <signal.h>

/* From now on signals that end the sweep end its run first. */
void sweep_signals_take(void);

/* The signal that is to end the sweep; 0: none. */
int sweep_signal(void);

/* The process group of the run in progress; 0: none. */
extern volatile sig_atomic_t sweep_signal_group;

#endif

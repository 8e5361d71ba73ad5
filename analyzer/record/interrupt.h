/*
 * interrupt.h - what tacho states when the user ends it (Ctrl-C, SIGTERM…) before its work is done: how
 * to continue later.
 */
#ifndef ANALYZER_INTERRUPT_H
#define ANALYZER_INTERRUPT_H

/* From now on an end by a signal states what interrupt_say() has set last. Ignored signals stay so. */
void interrupt_take(void);

/* The sentence from now on, as for printf; NULL: none. Not for signal handlers. */
void interrupt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/*
 * log.h - messages on stderr, prefixed "tacho: ". Results go to stdout and do not pass here. The
 * function that detects a failure reports it once, with the object and the remedy.
 */
#ifndef ANALYZER_LOG_H
#define ANALYZER_LOG_H

enum log_level { LOG_QUIET, LOG_NORMAL, LOG_VERBOSE };

/* Set by -q and -v; LOG_NORMAL at start. Errors are shown at every level. */
extern enum log_level log_level;

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Progress of something longer than a second: on a terminal one line that is
 * rewritten, elsewhere nothing. `done` of `total`; done == total clears it.
 */
void log_progress(const char *what, unsigned long done, unsigned long total);

#endif

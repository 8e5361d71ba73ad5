/* text.h - text of unknown origin (regions, files, hosts, labels) made fit for a terminal. */
#ifndef ANALYZER_TEXT_H
#define ANALYZER_TEXT_H

#include <stddef.h>

/*
 * A copy of `n` bytes that is valid UTF-8 and prints on one line: control
 * characters become their pictures (U+2400…), what is not UTF-8 or turns the
 * writing direction becomes U+FFFD. The caller frees it; NULL without memory.
 */
char *text_clean(const char *s, size_t n);

#endif

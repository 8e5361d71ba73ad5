/* text.h - text of unknown origin (regions, files, hosts) made fit for a terminal; numbers; ranks. */
#ifndef ANALYZER_TEXT_H
#define ANALYZER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* TEXT_NUMBER: bytes of any number, with its end. */
enum { TEXT_MALFORMED = 0xfffd, TEXT_NUMBER = 32 };

/*
 * A copy of `n` bytes that is valid UTF-8 and prints on one line: control characters become their
 * pictures (U+2400…), invalid UTF-8 and changes of the writing direction become U+FFFD. The caller
 * frees it; NULL without memory.
 */
char *text_clean(const char *s, size_t n);

/* Length of the UTF-8 sequence at `s`, and its character; TEXT_MALFORMED where it is none. */
size_t text_character(const char *s, size_t n, uint32_t *c);

/*
 * Writes `n` bytes as a field of CSV, in quotes where needed; invalid UTF-8 becomes U+FFFD, since
 * readers stop at it.
 */
void text_put_csv(FILE *out, const char *s, size_t n);

/* Whether a terminal shows a character, and does not obey it. */
bool text_is_visible(uint32_t c);

/*
 * The number with as few digits as read back as the same double, in `text` (TEXT_NUMBER bytes), which
 * is returned.
 */
char *text_number(char *text, double value);

/*
 * Whether the text is a time with its unit (7ns, 3us, 20ms, 1.5s, 10m, 2h), which goes to *ns. Only 0 needs
 * no unit: a number alone would be seconds to one reader and nanoseconds to another.
 */
bool text_time(const char *text, int64_t *ns);

/* Prints it in single quotes, as one word of a shell. */
void text_quote(FILE *out, const char *text);

/* Is rank `rank` in a list like 0,4-7? -1: that is no list. */
int rank_listed(const char *list, int64_t rank);

#endif

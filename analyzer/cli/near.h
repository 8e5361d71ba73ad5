/* near.h - nearest match for a mistyped word, by edit distance. */
#ifndef ANALYZER_NEAR_H
#define ANALYZER_NEAR_H

#include <stddef.h>

/*
 * Begins as { .word = WORD }; near_try() follows for each word that there is. The best is the one with
 * the fewest letters wrong, missing, superfluous or swapped, or one that begins with `word`.
 */
struct near {
	const char *word, *best; /* best NULL: none is near */
	size_t distance;
};
void near_try(struct near *near, const char *candidate);

/* ": did you mean BEST?" with `dashes` before it, or ""; valid until the next call. */
const char *near_words(const struct near *near, const char *dashes);

#endif

/* near.c - see near.h. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/near.h"

static int minimum(int a, int b)
{
	return a < b ? a : b;
}

/* Letters that are wrong, missing, superfluous or swapped with the next one. */
static size_t distance_of(const char *a, const char *b)
{
	enum { MOST = 32 };
	int at[MOST + 1][MOST + 1], n = (int)strlen(a), m = (int)strlen(b);

	if (n > MOST || m > MOST)
		return MOST;
	for (int i = 0; i <= n; i++)
		for (int j = 0; j <= m; j++) {
			if (!i || !j) {
				at[i][j] = i + j;
				continue;
			}
			at[i][j] = minimum(minimum(at[i - 1][j], at[i][j - 1]) + 1,
				at[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				at[i][j] = minimum(at[i][j], at[i - 2][j - 2] + 1);
		}
	return at[n][m];
}

void near_try(struct near *near, const char *candidate)
{
	size_t n = strlen(near->word), distance;

	distance = n && strncmp(near->word, candidate, n) == 0 ? 1
							       : distance_of(near->word, candidate);
	if (distance > (n < 4 ? 1 : n < 9 ? 2 : 3) || (near->best && near->distance <= distance))
		return;
	near->best = candidate;
	near->distance = distance;
}

const char *near_words(const struct near *near, const char *dashes)
{
	static char text[64];

	text[0] = '\0';
	if (near->best)
		snprintf(text, sizeof(text), ": did you mean %s%s?", dashes, near->best);
	return text;
}

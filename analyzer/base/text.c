/* text.c - see text.h. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"

#define REPLACEMENT 0xfffd

/* Length of the UTF-8 sequence at `s` and its character, REPLACEMENT for anything malformed. */
static size_t utf8_next(const unsigned char *s, size_t n, uint32_t *c)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80 ? 1
		: s[0] < 0xc2	 ? 0
		: s[0] < 0xe0	 ? 2
		: s[0] < 0xf0	 ? 3
		: s[0] < 0xf5	 ? 4
				 : 0;

	*c = REPLACEMENT;
	if (len == 0 || len > n)
		return 1;
	if (len == 1) {
		*c = s[0];
		return 1;
	}
	uint32_t value = s[0] & (0x7f >> len);

	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 1;
		value = value << 6 | (s[i] & 0x3f);
	}
	if (value >= smallest[len] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff))
		*c = value;
	return len;
}

static uint32_t visible(uint32_t c)
{
	if (c < 0x20)
		return 0x2400 + c;
	if (c == 0x7f)
		return 0x2421;
	if ((c >= 0x80 && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
		(c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff ||
		c == 0xfffe || c == 0xffff)
		return REPLACEMENT;
	return c;
}

static char *utf8_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = c;
	} else if (c < 0x800) {
		*to++ = 0xc0 | c >> 6;
		*to++ = 0x80 | (c & 0x3f);
	} else if (c < 0x10000) {
		*to++ = 0xe0 | c >> 12;
		*to++ = 0x80 | (c >> 6 & 0x3f);
		*to++ = 0x80 | (c & 0x3f);
	} else {
		*to++ = 0xf0 | c >> 18;
		*to++ = 0x80 | (c >> 12 & 0x3f);
		*to++ = 0x80 | (c >> 6 & 0x3f);
		*to++ = 0x80 | (c & 0x3f);
	}
	return to;
}

char *text_clean(const char *s, size_t n)
{
	char *copy = malloc(3 * n + 1), *to = copy; /* a byte becomes three at most */
	uint32_t c;

	if (!copy)
		return NULL;
	for (size_t i = 0; i < n;) {
		i += utf8_next((const unsigned char *)s + i, n - i, &c);
		to = utf8_put(to, visible(c));
	}
	*to = '\0';
	return copy;
}

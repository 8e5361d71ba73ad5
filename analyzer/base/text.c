/* text.c - see text.h. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

size_t text_character(const char *text, size_t n, uint32_t *c)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80 ? 1
		: s[0] < 0xc2	 ? 0
		: s[0] < 0xe0	 ? 2
		: s[0] < 0xf0	 ? 3
		: s[0] < 0xf5	 ? 4
				 : 0;

	*c = TEXT_MALFORMED;
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
		return TEXT_MALFORMED;
	return c;
}

bool text_is_visible(uint32_t c)
{
	return visible(c) == c;
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
		i += text_character(s + i, n - i, &c);
		to = utf8_put(to, visible(c));
	}
	*to = '\0';
	return copy;
}

void text_put_csv(FILE *out, const char *s, size_t n)
{
	bool quoted = memchr(s, ',', n) || memchr(s, '"', n) || memchr(s, '\n', n) ||
		memchr(s, '\r', n);
	size_t length;
	uint32_t c;

	fputs(quoted ? "\"" : "", out);
	for (size_t i = 0; i < n; i += length) {
		length = text_character(s + i, n - i, &c);
		if (c == TEXT_MALFORMED)
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(s + i, 1, length, out);
		fputs(c == '"' ? "\"" : "", out);
	}
	fputs(quoted ? "\"" : "", out);
}

/* 1e+05 → 1e5 */
static void exponent_shorten(char *text)
{
	char *from = strchr(text, 'e'), *to;

	if (!from)
		return;
	to = ++from;
	if (*from == '-')
		to++;
	from += *from == '-' || *from == '+';
	while (*from == '0' && from[1])
		from++;
	memmove(to, from, strlen(from) + 1);
}

char *text_number(char *text, double value)
{
	/* 15 digits reproduce a number of up to 15 written digits; denormal numbers have fewer */
	int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG;

	do
		snprintf(text, TEXT_NUMBER, "%.*g", digits, value);
	while (digits++ < DBL_DECIMAL_DIG && strtod(text, NULL) != value);
	exponent_shorten(text);
	return text;
}

bool text_time(const char *text, int64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1e3 },
		{ "ms", 1e6 },
		{ "s", 1e9 },
		{ "m", 60e9 },
		{ "h", 3600e9 },
	};
	char *end;
	double number = strtod(text, &end);

	if (end == text)
		return false;
	if (number == 0 && !*end) {
		*ns = 0;
		return true;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(end, units[i].unit) == 0 && number * units[i].ns < 9e18 &&
			number * units[i].ns > -9e18) {
			*ns = (int64_t)(number * units[i].ns);
			return true;
		}
	return false;
}

void text_quote(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++)
		fputs(*text == '\'' ? "'\\''" : (char[]){ *text, '\0' }, out);
	fputc('\'', out);
}

int rank_listed(const char *list, int64_t rank)
{
	bool found = false;

	for (const char *at = list;;) {
		char *end;
		int64_t first = strtoll(at, &end, 10), last = first;

		if (end == at || *at == '-')
			return -1;
		if (*end == '-') {
			at = end + 1;
			last = strtoll(at, &end, 10);
			if (end == at || last < first)
				return -1;
		}
		found |= rank >= first && rank <= last;
		if (!*end)
			return found;
		if (*end != ',')
			return -1;
		at = end + 1;
	}
}

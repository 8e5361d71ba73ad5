/* format.c - see format.h. */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/format.h"

bool format_is_number(enum result_format format)
{
	static const bool numbers[] = {
#define FORMAT(id, name, number) number,
		RESULT_FORMATS(FORMAT)
#undef FORMAT
	};

	return numbers[format];
}

void text_html(FILE *out, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		case '\'': fputs("&#39;", out); break;
		default: fputc(*s, out);
		}
}

void text_url(FILE *out, const char *s)
{
	for (; *s; s++)
		if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
			(*s >= '0' && *s <= '9') || strchr("-._~", *s))
			fputc(*s, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*s);
}

void text_gnuplot(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++)
		switch (*s) {
		case '"': fputs("”", out); break;
		case '\'':
		case '`': fputs("’", out); break;
		case '\\': fputs("∖", out); break;
		case '%': fputs("％", out); break;
		default: fputc(*s, out);
		}
	fputc('"', out);
}

void text_base64(FILE *out, const char *s, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (i + k < n ? (unsigned char)s[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			fputc(i + k > n ? '=' : digits[bits >> (18 - 6 * k) & 0x3f], out);
	}
}

/* Three digits, as 5.13, 51.3, 513; thousands are set apart by commas. */
static void put_number(char *buf, size_t size, double value, int whole)
{
	char digits[400];
	size_t n = 0, len;
	int decimals = whole || fabs(value) >= 99.95 || value == 0 ? 0
		: fabs(value) >= 9.995				   ? 1
								   : 2;
	const char *from = digits;

	snprintf(digits, sizeof(digits), "%.*f", decimals, value);
	len = strcspn(digits, ".") - (digits[0] == '-');
	if (digits[0] == '-' && n + 1 < size)
		buf[n++] = *from++;
	for (size_t i = 0; *from && n + 2 < size; i++) {
		if (i > 0 && i < len && (len - i) % 3 == 0)
			buf[n++] = ',';
		buf[n++] = *from++;
	}
	buf[n] = '\0';
}

struct unit {
	double size;
	const char *name;
};

static void put_with_unit(char *buf, size_t size, double value, const struct unit *unit)
{
	size_t n;

	/* 0.9995: what would be shown as 1000 of a unit is 1 of the next */
	while (unit->size > 1 && fabs(value) < 0.9995 * unit->size)
		unit++;
	put_number(buf, size, value / unit->size, value == floor(value) && unit->size <= 1);
	n = strlen(buf);
	snprintf(buf + n, size - n, " %s", unit->name);
}

const char *number_format(char *buf, size_t size, enum result_format format, double value)
{
	static const struct unit times[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" },
		{ 1, "ns" } };
	static const struct unit bytes[] = { { 1e15, "PB" }, { 1e12, "TB" }, { 1e9, "GB" },
		{ 1e6, "MB" }, { 1e3, "kB" }, { 1, "B" } };
	static const struct unit rates[] = { { 1e12, "TB/s" }, { 1e9, "GB/s" }, { 1e6, "MB/s" },
		{ 1e3, "kB/s" }, { 1, "B/s" } };

	if (!isfinite(value))
		snprintf(buf, size, "–");
	else if (format == FORMAT_NS)
		put_with_unit(buf, size, value, times);
	else if (format == FORMAT_SECONDS)
		put_with_unit(buf, size, 1e9 * value, times);
	else if (format == FORMAT_BYTES)
		put_with_unit(buf, size, value, bytes);
	else if (format == FORMAT_RATE)
		put_with_unit(buf, size, value, rates);
	else if (format == FORMAT_COUNT)
		put_number(buf, size, value, 1);
	else if (format == FORMAT_EFFICIENCY)
		snprintf(buf, size, "%.2f", value);
	else if (format == FORMAT_PERCENT || format == FORMAT_SHARE) {
		double percent = format == FORMAT_PERCENT ? 100 * value : value;

		snprintf(buf, size,
			percent == 0		       ? "0 %%"
				: fabs(percent) < 0.05 ? "<0.1 %%"
				: fabs(percent) < 9.95 ? "%.1f %%"
						       : "%.0f %%",
			percent);
	} else if (value != 0 && fabs(value) < 0.005) {
		snprintf(buf, size, value < 0 ? ">-0.01" : "<0.01");
	} else {
		put_number(buf, size, value, 0);
	}
	return buf;
}

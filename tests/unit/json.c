/*
 * json.c - prints JSON (json.h) with numbers and texts of all kinds, for tests/json.sh, which reads it
 * back.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

enum { RANDOM = 20000 };

/* By their bits, as hexadecimal, and by the writer. */
static void number_put(struct json *json, double value)
{
	char exact[64];

	snprintf(exact, sizeof(exact), "%a", value);
	json_object(json, NULL, JSON_INLINE);
	json_text(json, "exact", exact);
	json_number(json, "number", value);
	json_end(json);
}

static uint64_t random_next(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static void numbers_put(struct json *json)
{
	static const double some[] = { 0, -0.0, 0.1, 0.3, 1, -1, 10, 100, 1e5, 1e15, 1e16, 1e17,
		123456789012345678., 0.1 + 0.2, 1. / 3, 2. / 3, 5e-324, 2.2250738585072014e-308,
		2.225073858507201e-308, 1.7976931348623157e308, 4.35, 9007199254740993., 1e21, 1e22,
		1e23, 1e-5, 1e-7 };

	json_array(json, "numbers", JSON_LINES);
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		number_put(json, some[i]);
	for (int i = 0; i < RANDOM; i++) {
		uint64_t bits = random_next();
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (isfinite(value))
			number_put(json, value);
		number_put(json, (double)(bits >> 40) / 1000);
	}
	json_end(json);
}

int main(void)
{
	static const char *const texts[] = { "", "plain", "\"quoted\\\"", "line\nend\ttab\r",
		"\x1b[31m\x7f\x01", "\xc2\x80\xc2\x9b[2J", "µ – … 漢字 \xf0\x9f\x98\x80",
		"\xe2\x80\xae"
		"reversed\xe2\x81\xa6",
		"\xff\xfe\xc3", "\xed\xa0\x80", "\xe0\x80\xaf", "\xf4\x90\x80\x80" };
	struct json json = { .out = stdout };

	json_object(&json, NULL, JSON_LINES);
	numbers_put(&json);
	json_array(&json, "texts", JSON_LINES);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		json_text(&json, NULL, texts[i]);
	json_end(&json);
	json_array(&json, "nothing", JSON_INLINE);
	json_number(&json, NULL, NAN);
	json_number(&json, NULL, INFINITY);
	json_number(&json, NULL, -INFINITY);
	json_null(&json, NULL);
	json_end(&json);
	json_array(&json, "integers", JSON_INLINE);
	json_integer(&json, NULL, INT64_MIN);
	json_integer(&json, NULL, INT64_MAX);
	json_end(&json);
	json_array(&json, "empty", JSON_LINES);
	json_end(&json);
	json_object(&json, "a \"key\"\n", JSON_INLINE);
	json_bool(&json, "true", true);
	json_bool(&json, "false", false);
	json_object(&json, "empty", JSON_INLINE);
	json_end(&json);
	json_raw(&json, "raw", "[1,2]");
	json_end(&json);
	json_end(&json);
	return fflush(stdout) == 0 ? 0 : 1;
}

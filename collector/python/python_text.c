/* python_text.c - see python_text.h. */
#include "config.h"

#include <string.h>

#include "core/memory.h"
#include "python/python_text.h"

#define TEXT_LENGTH  16
#define TEXT_STATE   32
#define TEXT_HEAD    40
#define TEXT_MOST    (1 << 16) /* characters: no name is longer */
#define COMPACT_OLD  72	       /* head of a text that is not ASCII, up to 3.11 and after it */
#define COMPACT_NEW  56
#define COMPACT_FROM 48 /* heads of ASCII texts that go with the former */
#define UNITS	     1024

/* Bits of the state. */
static unsigned state_kind(uint32_t state)
{
	return state >> 2 & 7;
}
static bool state_is_compact(uint32_t state)
{
	return state >> 5 & 1;
}
static bool state_is_ascii(uint32_t state)
{
	return state >> 6 & 1;
}

/* Appends a character; where it continues, or NULL when it does not fit. */
static char *character_put(char *to, const char *end, uint32_t c)
{
	static const unsigned char lead[] = { [2] = 0xc0, [3] = 0xe0, [4] = 0xf0 };
	unsigned n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (end - to <= (ptrdiff_t)n)
		return NULL;
	if (n == 1) {
		*to = (char)c;
		return to + 1;
	}
	for (unsigned i = n - 1; i > 0; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(lead[n] | c);
	return to + n;
}

static uint32_t unit_at(const unsigned char *units, unsigned kind, size_t i)
{
	uint32_t c = 0;

	memcpy(&c, units + i * kind, kind);
	return c;
}

/* Control characters would end a line, or a field, of what is written from this. */
static uint32_t character_plain(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff
		? '?'
		: c;
}

int text_read(const struct python_runtime *python, uint64_t at, char *to, size_t size)
{
	unsigned char head[TEXT_HEAD], units[UNITS];
	const char *end = to + size;
	uint64_t type, length;
	uint32_t state;
	unsigned kind;
	int data = python->layout.text_head;

	if (memory_read(at, head, sizeof(head)) < 0)
		return -1;
	memcpy(&type, head + OBJECT_TYPE, sizeof(type));
	memcpy(&length, head + TEXT_LENGTH, sizeof(length));
	memcpy(&state, head + TEXT_STATE, sizeof(state));
	kind = state_kind(state);
	if (type != python->text_type || length > TEXT_MOST || !state_is_compact(state) ||
		(kind != 1 && kind != 2 && kind != 4))
		return -1;
	if (!state_is_ascii(state))
		data = data == COMPACT_FROM ? COMPACT_OLD : COMPACT_NEW;
	if (length > UNITS / kind)
		length = UNITS / kind;
	if (memory_read(at + (uint64_t)data, units, length * kind) < 0)
		return -1;
	for (size_t i = 0; i < length; i++) {
		char *next = character_put(to, end, character_plain(unit_at(units, kind, i)));

		if (!next)
			break;
		to = next;
	}
	*to = '\0';
	return 0;
}

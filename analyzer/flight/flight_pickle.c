/*
 * flight_pickle.c - the instructions of a pickle that build numbers, texts, lists and dicts, as
 * PyTorch (protocol 2, with tags of types) and Python (up to 5) write them. Any instruction that
 * would make a call ends reading.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flight/flight_value.h"

typedef ARRAY_OF(struct value *) stack_type;

struct pickle {
	struct values *values;
	const unsigned char *at, *end;
	size_t size;
	stack_type stack, memo;
	bool done;
};

/* The next n bytes; NULL: the file has fewer. */
static const unsigned char *take(struct pickle *p, uint64_t n)
{
	const unsigned char *at = p->at;

	if (n > (uint64_t)(p->end - p->at)) {
		p->values->wrong = "it ends too early";
		return NULL;
	}
	p->at += n;
	return at;
}

static uint64_t little(const unsigned char *at, unsigned n)
{
	uint64_t value = 0;

	while (at && n--)
		value = value << 8 | at[n];
	return value;
}

static int wrong(struct pickle *p, const char *text)
{
	if (!p->values->wrong)
		p->values->wrong = text;
	return -1;
}

static int push(struct pickle *p, struct value *value)
{
	struct value **at = value ? ARRAY_ADD(&p->stack) : NULL;

	if (!at)
		return wrong(p, "out of memory");
	*at = value;
	return 0;
}

static struct value *top(struct pickle *p)
{
	return p->stack.n ? p->stack.at[p->stack.n - 1] : NULL;
}

/* A number of n bytes, of which the last has the sign if `is_signed`. */
static int push_number(struct pickle *p, unsigned n, bool is_signed)
{
	const unsigned char *at = take(p, n);
	struct value *value = at ? value_new(p->values, VALUE_NUMBER) : NULL;
	uint64_t number = little(at, n < 8 ? n : 8);

	if (!value)
		return -1;
	if (is_signed && n && n < 8 && number >> (8 * n - 1))
		number |= UINT64_MAX << (8 * n);
	value->number = (int64_t)number;
	return push(p, value);
}

static int push_plain(struct pickle *p, enum value_kind kind, int64_t number)
{
	struct value *value = value_new(p->values, kind);

	if (!value)
		return -1;
	value->number = number;
	return push(p, value);
}

static int push_text(struct pickle *p, unsigned length_bytes)
{
	uint64_t n = little(take(p, length_bytes), length_bytes);
	const unsigned char *at = p->values->wrong ? NULL : take(p, n);

	return at ? push(p, value_text(p->values, (const char *)at, n)) : -1;
}

static int push_float(struct pickle *p)
{
	const unsigned char *at = take(p, 8);
	uint64_t bits = 0;
	double number;

	for (int i = 0; at && i < 8; i++)
		bits = bits << 8 | at[i];
	memcpy(&number, &bits, sizeof(number));
	return at
		? push_plain(p, VALUE_NUMBER, number > -9e18 && number < 9e18 ? (int64_t)number : 0)
		: -1;
}

/* The place of the last mark; SIZE_MAX: none. */
static size_t mark_find(struct pickle *p)
{
	size_t i = p->stack.n;

	while (i && p->stack.at[i - 1]->kind != VALUE_MARK)
		i--;
	if (!i)
		wrong(p, "a list in it has no beginning");
	return i ? i - 1 : SIZE_MAX;
}

/* Appends the values from position `from` on to the value before it, which must be of that kind. */
static int gather(struct pickle *p, size_t from, size_t skip, enum value_kind kind)
{
	struct value *to = from != SIZE_MAX && from ? p->stack.at[from - 1] : NULL;

	if (!to || to->kind != kind || (kind == VALUE_DICT && (p->stack.n - from - skip) % 2))
		return wrong(p, "its parts do not fit together");
	for (size_t i = from + skip; i < p->stack.n; i++)
		if (value_add(p->values, to, p->stack.at[i]) < 0)
			return -1;
	p->stack.n = from;
	return 0;
}

/* Makes a tuple of the values from this position on. */
static int tuple(struct pickle *p, size_t from, size_t skip)
{
	struct value *value = value_new(p->values, VALUE_LIST);

	if (!value || from == SIZE_MAX || from + skip > p->stack.n)
		return wrong(p, "its parts do not fit together");
	for (size_t i = from + skip; i < p->stack.n; i++)
		if (value_add(p->values, value, p->stack.at[i]) < 0)
			return -1;
	p->stack.n = from;
	return push(p, value);
}

static int last_tuple(struct pickle *p, size_t n)
{
	return tuple(p, p->stack.n < n ? SIZE_MAX : p->stack.n - n, 0);
}

static int last_gather(struct pickle *p, size_t n, enum value_kind kind)
{
	return gather(p, p->stack.n < n ? SIZE_MAX : p->stack.n - n, 0, kind);
}

static int memo_put(struct pickle *p, uint64_t number)
{
	if (!p->stack.n || number > p->size)
		return wrong(p, "it refers to a place that it does not have");
	while (p->memo.n <= number) {
		struct value **at = ARRAY_ADD(&p->memo);

		if (!at)
			return wrong(p, "out of memory");
		*at = NULL;
	}
	p->memo.at[number] = top(p);
	return 0;
}

static int memo_get(struct pickle *p, uint64_t number)
{
	if (p->values->wrong || number >= p->memo.n || !p->memo.at[number])
		return wrong(p, "it refers to a place that it does not have");
	return push(p, p->memo.at[number]);
}

/* Two lines: a module and a name in it. */
static int global(struct pickle *p)
{
	char name[200];
	const unsigned char *first = memchr(p->at, '\n', (size_t)(p->end - p->at));
	const unsigned char *second = first ? memchr(first + 1, '\n', (size_t)(p->end - first - 1))
					    : NULL;
	struct value *value = second ? value_new(p->values, VALUE_GLOBAL) : NULL;

	if (!value)
		return wrong(p, "it ends too early");
	snprintf(name, sizeof(name), "%.*s.%.*s", (int)(first - p->at < 90 ? first - p->at : 90),
		(const char *)p->at, (int)(second - first - 1 < 90 ? second - first - 1 : 90),
		(const char *)first + 1);
	p->at = second + 1;
	value->text = strdup(name);
	return value->text ? push(p, value) : wrong(p, "out of memory");
}

/* PyTorch's writer passes lists and dicts through functions that set their type: they stay as they are. */
static int reduce(struct pickle *p)
{
	static const char *const known[] = { "restore_type_tag", "build_intlist",
		"build_doublelist", "build_boollist", "build_tensorlist" };
	struct value *arguments = top(p),
		     *function = p->stack.n > 1 ? p->stack.at[p->stack.n - 2] : NULL;
	static const char module[] = "torch.jit._pickle.";

	if (!function || function->kind != VALUE_GLOBAL || !value_at(arguments, 0))
		return wrong(p, "its parts do not fit together");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strncmp(function->text, module, sizeof(module) - 1) == 0 &&
			strcmp(function->text + sizeof(module) - 1, known[i]) == 0) {
			p->stack.n -= 2;
			return push(p, arguments->items.at[0]);
		}
	snprintf(p->values->text, sizeof(p->values->text),
		"Python would call %s to read it, which no dump needs", function->text);
	return wrong(p, p->values->text);
}

static int pop(struct pickle *p)
{
	if (!p->stack.n)
		return wrong(p, "its parts do not fit together");
	p->stack.n--;
	return 0;
}

static int build(struct pickle *p, unsigned char code)
{
	switch (code) {
	case '}': return push_plain(p, VALUE_DICT, 0);
	case ']':
	case ')': return push_plain(p, VALUE_LIST, 0);
	case '(': return push_plain(p, VALUE_MARK, 0);
	case 't': return tuple(p, mark_find(p), 1);
	case 'e': return gather(p, mark_find(p), 1, VALUE_LIST);
	case 'u': return gather(p, mark_find(p), 1, VALUE_DICT);
	case 'a': return last_gather(p, 1, VALUE_LIST);
	case 's': return last_gather(p, 2, VALUE_DICT);
	case 0x85: return last_tuple(p, 1);
	case 0x86: return last_tuple(p, 2);
	case 0x87: return last_tuple(p, 3);
	case 'c': return global(p);
	case 'R': return reduce(p);
	case '0': return pop(p);
	default: break;
	}
	snprintf(p->values->text, sizeof(p->values->text),
		"it has the instruction 0x%02x, which no dump needs", code);
	return wrong(p, p->values->text);
}

static int instruction(struct pickle *p, unsigned char code)
{
	switch (code) {
	case 0x80: return take(p, 1) ? 0 : -1;
	case 0x95: return take(p, 8) ? 0 : -1;
	case '.': p->done = true; return 0;
	case 'N': return push_plain(p, VALUE_NONE, 0);
	case 0x88:
	case 0x89: return push_plain(p, VALUE_NUMBER, code == 0x88);
	case 'K': return push_number(p, 1, false);
	case 'M': return push_number(p, 2, false);
	case 'J': return push_number(p, 4, true);
	case 0x8a: return push_number(p, (unsigned)little(take(p, 1), 1), true);
	case 'G': return push_float(p);
	case 'X':
	case 'T':
	case 'B': return push_text(p, 4);
	case 'U':
	case 'C':
	case 0x8c: return push_text(p, 1);
	case 0x8d:
	case 0x8e: return push_text(p, 8);
	case 'q': return memo_put(p, little(take(p, 1), 1));
	case 'r': return memo_put(p, little(take(p, 4), 4));
	case 0x94: return memo_put(p, p->memo.n);
	case 'h': return memo_get(p, little(take(p, 1), 1));
	case 'j': return memo_get(p, little(take(p, 4), 4));
	default: return build(p, code);
	}
}

struct value *pickle_read(struct values *values, const unsigned char *data, size_t size)
{
	struct pickle p = { .values = values, .at = data, .end = data + size, .size = size };
	struct value *value = NULL;

	while (!p.done && !values->wrong) {
		const unsigned char *code = take(&p, 1);

		if (code)
			instruction(&p, *code);
	}
	if (!values->wrong && p.stack.n == 1)
		value = p.stack.at[0];
	else
		wrong(&p, "its parts do not fit together");
	free(p.stack.at);
	free(p.memo.at);
	return value;
}

/*
 * attach_frames.c - see attach_frames.h. The format is DWARF's call frame information with the
 * encodings that GCC and Clang use on x86-64. The bytes come from a file, so each is checked.
 */
#include "config.h"

#include <string.h>

#include "attach/attach_frames.h"

#define ENCODING_INDEX 0x3b /* of the sorted table: 4 bytes, signed, from the index */
#define ENCODING_CODE  0x1b /* of addresses: 4 bytes, signed, from where they are */
#define REMEMBERED     8

/* A part that is read from its begin; `failed` once it was read beyond its end. */
struct part_reader {
	const unsigned char *at, *end;
	bool failed;
};

static uint64_t bytes_take(struct part_reader *r, size_t n)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < n) {
		r->failed = true;
		r->at = r->end;
		return 0;
	}
	memcpy(&value, r->at, n);
	r->at += n;
	return value;
}

static uint64_t number_get(struct part_reader *r, bool is_signed)
{
	uint64_t value = 0, byte = 0x80;
	unsigned shift = 0;

	while (byte & 0x80 && shift < 63 && !r->failed) {
		byte = bytes_take(r, 1);
		value |= (byte & 0x7f) << shift;
		shift += 7;
	}
	if (is_signed && byte & 0x40)
		value |= ~(uint64_t)0 << shift;
	return value;
}

static void bytes_pass(struct part_reader *r, uint64_t n)
{
	if (n > (size_t)(r->end - r->at))
		r->failed = true;
	r->at = r->failed ? r->end : r->at + n;
}

/* From an address to the end of its segment. */
static struct part_reader reader_at(const struct frame_tables *t, uint64_t address)
{
	struct part_reader r = { .failed = true };

	if (address < t->code || address - t->code >= t->code_size || t->code_file > t->size ||
		t->code_size > t->size - t->code_file)
		return r;
	r.at = t->at + t->code_file + (address - t->code);
	r.end = t->at + t->code_file + t->code_size;
	r.failed = false;
	return r;
}

/* Begin of the entry for an address, by the sorted table; 0: there is none. */
static uint64_t entry_find(const struct frame_tables *t, uint64_t pc)
{
	struct part_reader r = reader_at(t, t->index);
	uint64_t head = bytes_take(&r, 4), n;
	size_t low = 0, high;
	int32_t pair[2];

	bytes_take(&r, 4);
	n = bytes_take(&r, 4);
	if (r.failed || head >> 24 != ENCODING_INDEX || (head >> 8 & 0xff) != ENCODING_CODE ||
		n > (size_t)(r.end - r.at) / sizeof(pair))
		return 0;
	for (high = n; high - low > 1;) {
		size_t middle = (low + high) / 2;

		memcpy(pair, r.at + middle * sizeof(pair), sizeof(pair));
		if (t->index + (uint64_t)(int64_t)pair[0] <= pc)
			low = middle;
		else
			high = middle;
	}
	if (!n)
		return 0;
	memcpy(pair, r.at + low * sizeof(pair), sizeof(pair));
	return t->index + (uint64_t)(int64_t)pair[1];
}

struct program {
	uint64_t code_unit;
	int64_t data_unit;
	struct part_reader first,
		own; /* instructions of the common entry, then of the function's */
};

/* Limits a reader to the entry that it is at. */
static bool entry_begin(struct part_reader *r)
{
	uint64_t size = bytes_take(r, 4);

	if (r->failed || size == 0xffffffff || size > (size_t)(r->end - r->at))
		return false;
	r->end = r->at + size;
	return true;
}

/* What a character of the augmentation has in the common entry. False: it is not known. */
static bool augmentation_take(struct part_reader *r, char what)
{
	unsigned encoding;

	switch (what) {
	case 'R': return bytes_take(r, 1) == ENCODING_CODE;
	case 'L': bytes_take(r, 1); return true;
	case 'P':
		encoding = (unsigned)bytes_take(r, 1);
		bytes_pass(r, (encoding & 0x0f) == 0 || (encoding & 0x0f) == 4 ? 8 : 4);
		return true;
	case 'S': return true;
	default: return false;
	}
}

static bool common_read(const struct frame_tables *t, uint64_t address, struct program *program)
{
	struct part_reader r = reader_at(t, address);
	const char *augmentation;
	uint64_t version, length;

	if (!entry_begin(&r) || bytes_take(&r, 4) != 0)
		return false;
	version = bytes_take(&r, 1);
	augmentation = (const char *)r.at;
	length = strnlen(augmentation, (size_t)(r.end - r.at));
	bytes_pass(&r, length + 1);
	program->code_unit = number_get(&r, false);
	program->data_unit = (int64_t)number_get(&r, true);
	if (version == 1)
		bytes_take(&r, 1);
	else
		number_get(&r, false);
	if (r.failed || augmentation[0] != 'z')
		return false;
	number_get(&r, false);
	for (const char *at = augmentation + 1; *at; at++)
		if (!augmentation_take(&r, *at))
			return false;
	program->first = r;
	return !r.failed;
}

/* Reads both entries of the function at `pc`; its begin goes to *begin. */
static bool program_read(const struct frame_tables *t, uint64_t pc, struct program *program,
	uint64_t *begin)
{
	uint64_t address = t->index ? entry_find(t, pc) : 0, common, at, size;
	struct part_reader r = reader_at(t, address);

	if (!address || !entry_begin(&r))
		return false;
	common = address + 4 - bytes_take(&r, 4);
	at = address + 8;
	*begin = at + (uint64_t)(int64_t)(int32_t)bytes_take(&r, 4);
	size = bytes_take(&r, 4);
	if (r.failed || pc < *begin || pc - *begin >= size || !common_read(t, common, program))
		return false;
	bytes_pass(&r, number_get(&r, false));
	program->own = r;
	return !r.failed;
}

static void register_saved(struct frame_rule *rule, uint64_t which, int64_t offset)
{
	if (which == FRAME_RBP) {
		rule->has_rbp = true;
		rule->rbp_at = offset;
	}
	if (which == FRAME_RETURN && offset != -8)
		rule->cfa_register = UINT8_MAX; /* no function that a compiler made */
}

static void register_lost(struct frame_rule *rule, uint64_t which)
{
	if (which == FRAME_RBP)
		rule->has_rbp = false;
}

/* One of the instructions with an operand in their first byte, or about places. True: it was one. */
static bool step_short(struct part_reader *r, unsigned op, const struct program *p, uint64_t *place,
	struct frame_rule *rule)
{
	switch (op >> 6 ? op & 0xc0 : op) {
	case 0x40: *place += (op & 0x3f) * p->code_unit; return true;
	case 0x80:
		register_saved(rule, op & 0x3f, (int64_t)number_get(r, false) * p->data_unit);
		return true;
	case 0xc0: register_lost(rule, op & 0x3f); return true;
	case 0x00: return true;
	case 0x02: *place += bytes_take(r, 1) * p->code_unit; return true;
	case 0x03: *place += bytes_take(r, 2) * p->code_unit; return true;
	case 0x04: *place += bytes_take(r, 4) * p->code_unit; return true;
	default: return false;
	}
}

static bool step_cfa(struct part_reader *r, unsigned op, const struct program *p,
	struct frame_rule *rule)
{
	switch (op) {
	case 0x0c:
		rule->cfa_register = (unsigned)number_get(r, false);
		rule->cfa_offset = (int64_t)number_get(r, false);
		return true;
	case 0x0d: rule->cfa_register = (unsigned)number_get(r, false); return true;
	case 0x0e: rule->cfa_offset = (int64_t)number_get(r, false); return true;
	case 0x0f:
		bytes_pass(r, number_get(r, false));
		rule->cfa_register = UINT8_MAX; /* an expression, as in tables of jumps */
		return true;
	case 0x12:
		rule->cfa_register = (unsigned)number_get(r, false);
		rule->cfa_offset = (int64_t)number_get(r, true) * p->data_unit;
		return true;
	case 0x13: rule->cfa_offset = (int64_t)number_get(r, true) * p->data_unit; return true;
	case 0x2e: number_get(r, false); return true;
	default: return false;
	}
}

static bool step_register(struct part_reader *r, unsigned op, const struct program *p,
	struct frame_rule *rule)
{
	uint64_t which = number_get(r, false);

	switch (op) {
	case 0x05:
		register_saved(rule, which, (int64_t)number_get(r, false) * p->data_unit);
		return true;
	case 0x11:
		register_saved(rule, which, (int64_t)number_get(r, true) * p->data_unit);
		return true;
	case 0x07:
		rule->is_outermost |= which == FRAME_RETURN;
		register_lost(rule, which);
		return true;
	case 0x06:
	case 0x08: register_lost(rule, which); return true;
	case 0x09: number_get(r, false); return true;
	case 0x10:
	case 0x16:
		bytes_pass(r, number_get(r, false));
		rule->is_outermost |= which == FRAME_RETURN; /* a signal's frame */
		return true;
	default: return false;
	}
}

/* Carries out instructions up to the place `until`. False: one is not known. */
static bool run(struct part_reader r, const struct program *p, uint64_t until,
	struct frame_rule *rule)
{
	struct frame_rule kept[REMEMBERED];
	unsigned nkept = 0, op;
	uint64_t place = 0;

	while (r.at < r.end && place <= until) {
		struct frame_rule before = *rule;

		op = (unsigned)bytes_take(&r, 1);
		if (op == 0x0a && nkept < REMEMBERED)
			kept[nkept++] = *rule;
		else if (op == 0x0b && nkept)
			*rule = kept[--nkept];
		else if (!step_short(&r, op, p, &place, rule) && !step_cfa(&r, op, p, rule) &&
			!step_register(&r, op, p, rule))
			return false;
		if (place > until)
			*rule = before;
	}
	return !r.failed;
}

bool frame_rule_find(const struct frame_tables *tables, uint64_t pc, struct frame_rule *rule)
{
	struct program program;
	uint64_t begin;

	*rule = (struct frame_rule){ .cfa_register = UINT8_MAX };
	return program_read(tables, pc, &program, &begin) &&
		run(program.first, &program, UINT64_MAX, rule) &&
		run(program.own, &program, pc - begin, rule) && rule->cfa_register != UINT8_MAX;
}

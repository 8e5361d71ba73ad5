/* kineto_event.c - see kineto_event.h: the members of an event, and their meaning. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "kineto/kineto_event.h"

static bool ends(const struct json_in *in, const char *suffix)
{
	size_t n = strlen(suffix);

	return in->length >= n && memcmp(in->text + in->length - n, suffix, n) == 0;
}

/* Older names are beside today's; runtimes of other makers have their own names. */
static enum kineto_class class_of(const struct json_in *in)
{
	static const struct {
		const char *name;
		enum kineto_class class;
	} classes[] = {
		{ "cpu_op", KINETO_OP },
		{ "Operator", KINETO_OP },
		{ "user_annotation", KINETO_ANNOTATION },
		{ "python_function", KINETO_PYTHON },
		{ "kernel", KINETO_KERNEL },
		{ "Kernel", KINETO_KERNEL },
		{ "gpu_memcpy", KINETO_COPY },
		{ "gpu_memset", KINETO_COPY },
		{ "Memcpy", KINETO_COPY },
		{ "Memset", KINETO_COPY },
		{ "Runtime", KINETO_CALL },
		{ "cuda_sync", KINETO_SYNC },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (json_in_is(in, classes[i].name))
			return classes[i].class;
	return ends(in, "_runtime") || ends(in, "_driver") ? KINETO_CALL : KINETO_NONE;
}

static int64_t integer(const struct json_in *in, enum json_piece piece)
{
	int64_t value;

	return (piece == JSON_IN_NUMBER || piece == JSON_IN_TEXT) && json_in_integer(in, 0, &value)
		? value
		: NO_NUMBER;
}

static int64_t nanoseconds(const struct json_in *in, enum json_piece piece)
{
	int64_t value;

	return (piece == JSON_IN_NUMBER || piece == JSON_IN_TEXT) && json_in_integer(in, 3, &value)
		? value
		: NO_NUMBER;
}

/* What a key of the arguments is stored in. */
struct key_target {
	int64_t *number;
	char *text;
	size_t size;
};

static struct key_target place_of(const struct json_in *in, struct kineto_raw *raw)
{
#define NUMBER(member, key)                                                                        \
	if (json_in_is(in, key))                                                                   \
		return (struct key_target){ &raw->member, NULL, 0 };
	KINETO_NUMBERS(NUMBER)
#undef NUMBER
#define TEXT(member, key, longest)                                                                 \
	if (json_in_is(in, key))                                                                   \
		return (struct key_target){ NULL, raw->member, longest };
	KINETO_TEXTS(TEXT)
#undef TEXT
	return (struct key_target){ 0 };
}

/* The array of a value, as text, where it is none in quotes. */
static bool array_copy(struct json_in *in, char *to, size_t size)
{
	enum json_piece piece;
	size_t n = 0;

	while ((piece = json_in_next(in)) == JSON_IN_NUMBER || piece == JSON_IN_TEXT)
		if (n + in->length + 4 < size) {
			memcpy(to + n, n ? ", " : "[", 2);
			n += n ? 2 : 1;
			memcpy(to + n, in->text, in->length);
			n += in->length;
		}
	memcpy(to + n, "]", 2);
	return piece == JSON_IN_ARRAY_END;
}

static bool value_read(struct json_in *in, const struct key_target *place)
{
	unsigned depth = in->depth;
	enum json_piece piece;

	if (!place->number && !place->text)
		return json_in_skip(in);
	piece = json_in_next(in);
	if (place->number)
		*place->number = integer(in, piece);
	else if (piece == JSON_IN_TEXT || piece == JSON_IN_NUMBER)
		json_in_copy(in, place->text, place->size);
	else if (piece == JSON_IN_ARRAY)
		return array_copy(in, place->text, place->size);
	while (piece > JSON_IN_BAD && in->depth > depth)
		piece = json_in_next(in);
	return piece > JSON_IN_BAD;
}

static bool arguments_read(struct json_in *in, struct kineto_raw *raw)
{
	enum json_piece piece = json_in_next(in);
	unsigned depth = in->depth;

	if (piece != JSON_IN_OBJECT) { /* of another kind: nothing in it is of use */
		for (depth--; piece > JSON_IN_BAD && in->depth > depth; piece = json_in_next(in))
			;
		return piece > JSON_IN_BAD;
	}
	while ((piece = json_in_next(in)) == JSON_IN_KEY) {
		struct key_target place = place_of(in, raw);

		if (!value_read(in, &place))
			return false;
	}
	return piece == JSON_IN_OBJECT_END;
}

static bool has_use(const struct kineto_raw *raw)
{
	return !raw->has_class || raw->class > KINETO_PYTHON;
}

enum member { NAME, CATEGORY, PHASE, PID, TID, START, LENGTH, ARGUMENTS, OTHER };

static enum member member_of(const struct json_in *in)
{
	return json_in_is(in, "ph")	? PHASE
		: json_in_is(in, "cat") ? CATEGORY
					: json_in_is(in, "name")
		? NAME
		: json_in_is(in, "pid")	 ? PID
		: json_in_is(in, "tid")	 ? TID
		: json_in_is(in, "ts")	 ? START
		: json_in_is(in, "dur")	 ? LENGTH
		: json_in_is(in, "args") ? ARGUMENTS
					 : OTHER;
}

static bool member_read(struct json_in *in, struct kineto_raw *raw)
{
	struct key_target name = { NULL, raw->name, sizeof(raw->name) };
	enum member key = member_of(in);
	enum json_piece piece;

	if (key == OTHER || (key == ARGUMENTS && !has_use(raw)))
		return json_in_skip(in);
	if (key == ARGUMENTS)
		return arguments_read(in, raw);
	if (key == NAME)
		return value_read(in, &name);
	piece = json_in_next(in);
	if (piece != JSON_IN_TEXT && piece != JSON_IN_NUMBER && piece != JSON_IN_WORD) {
		in->wrong = in->wrong ? in->wrong : "an event in it has lists for numbers";
		return false;
	}
	switch (key) {
	case CATEGORY:
		raw->class = class_of(in);
		raw->has_class = true;
		break;
	case PHASE: raw->is_complete = json_in_is(in, "X"); break;
	case PID:
		raw->pid = integer(in, piece);
		raw->is_plain_op = json_in_is(in, "CPU functions");
		break;
	case TID: raw->tid = integer(in, piece); break;
	case START: raw->start = nanoseconds(in, piece); break;
	default: raw->length = nanoseconds(in, piece);
	}
	return true;
}

void kineto_raw_clear(struct kineto_raw *raw)
{
	raw->class = KINETO_NONE;
	raw->has_class = raw->is_complete = raw->is_plain_op = false;
	raw->name[0] = '\0';
	raw->pid = raw->tid = raw->start = raw->length = NO_NUMBER;
#define NUMBER(member, key) raw->member = NO_NUMBER;
	KINETO_NUMBERS(NUMBER)
#undef NUMBER
#define TEXT(member, key, longest) raw->member[0] = '\0';
	KINETO_TEXTS(TEXT)
#undef TEXT
}

bool kineto_raw_read(struct json_in *in, struct kineto_raw *raw)
{
	enum json_piece piece;

	kineto_raw_clear(raw);
	while ((piece = json_in_next(in)) == JSON_IN_KEY)
		if (!member_read(in, raw))
			return false;
	if (!raw->has_class && raw->is_plain_op)
		raw->class = KINETO_OP;
	return piece == JSON_IN_OBJECT_END;
}

/* python_code.c - see python_code.h. One thread uses it. */
#include "config.h"

#include <string.h>

#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"
#include "python/python_code.h"
#include "python/python_lines.h"
#include "core/memory.h"
#include "python/python_text.h"

#define CODES	   4096 /* objects known at a time; powers of two */
#define CODES_MOST 3072
#define NAMES	   16384 /* functions defined in all */
#define NAMES_MOST 12288
#define LINES	   8192	       /* instructions whose line is known at a time */
#define TABLE_MOST (128 << 10) /* bytes of a code object's table of lines */

#define FILE_ROOM 1024
#define NAME_ROOM 256

static struct code_memory {
	struct python_code codes[CODES];
	struct {
		uint64_t hash; /* 0: none */
		uint32_t id;
	} names[NAMES];
	struct {
		uint32_t id, offset, line;
	} lines[LINES];
	unsigned char table[TABLE_MOST];
	unsigned ncodes, nnames, nnew;
} * memory;

static uint64_t mix(uint64_t x)
{
	x *= 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

static uint64_t hash_add(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash * 0x100000001b3u;
}

/* The number of a function, which code objects that are made again and again have in common. */
static uint32_t name_number(const char *function, const char *file, uint32_t first_line)
{
	uint64_t hash = hash_add(hash_add(0xcbf29ce484222325u ^ first_line, function), file) | 1;
	struct spool_def_python_code body = { .first_line = first_line };
	struct def def = { .type = DEF_PYTHON_CODE,
		.body = &body,
		.nbody = sizeof(body),
		.key = function,
		.text = file };
	size_t at = mix(hash) % NAMES;

	for (; memory->names[at].hash; at = (at + 1) % NAMES)
		if (memory->names[at].hash == hash)
			return memory->names[at].id;
	if (memory->nnames >= NAMES_MOST)
		return 0;
	def.id = process_allot(DEF_PYTHON_CODE);
	if (process_define(&def) < 0)
		return 0;
	memory->names[at].hash = hash;
	memory->names[at].id = def.id;
	memory->nnames++;
	return def.id;
}

uint32_t code_number(const char *function, const char *file)
{
	return name_number(function, file, 0);
}

size_t code_span(const struct python_layout *layout)
{
	int last = layout->code_lines > layout->code_name ? layout->code_lines : layout->code_name;

	return (size_t)(last > layout->code_file ? last : layout->code_file) + 8;
}

static uint64_t word_at(const unsigned char *bytes, int offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

struct python_print code_print(const struct python_layout *layout, const unsigned char *bytes)
{
	struct python_print print = { .type = word_at(bytes, OBJECT_TYPE),
		.file = word_at(bytes, layout->code_file),
		.name = word_at(bytes, layout->code_name),
		.lines = word_at(bytes, layout->code_lines) };

	memcpy(&print.first_line, bytes + layout->code_first_line, sizeof(print.first_line));
	return print;
}

static bool print_is(const struct python_print *a, const struct python_print *b)
{
	return a->type == b->type && a->file == b->file && a->name == b->name &&
		a->lines == b->lines && a->first_line == b->first_line;
}

/* Whether PyTorch calls a module (nn.Module) by this function: then its first local variable is the module. */
static bool calls_module(const char *file, const char *function)
{
	static const char end[] = "/torch/nn/modules/module.py";
	const char *dot = strrchr(function, '.'), *last = dot ? dot + 1 : function;
	size_t n = strlen(file);

	return n >= sizeof(end) - 1 && !strcmp(file + n - (sizeof(end) - 1), end) &&
		(!strcmp(last, "_call_impl") || !strcmp(last, "_wrapped_call_impl") ||
			!strcmp(last, "__call__"));
}

/* Reads the names of a code object into its entry. */
static int code_read(const struct python_runtime *python, struct python_code *code)
{
	char file[FILE_ROOM], name[NAME_ROOM];

	if (text_read(python, code->print.file, file, sizeof(file)) < 0 ||
		text_read(python, code->print.name, name, sizeof(name)) < 0)
		return -1;
	code->is_lasting = file[0] != '<' && name[0] != '<';
	code->calls_module = calls_module(file, name);
	code->hidden = !strncmp(file, "<frozen importlib", 17);
	code->id = name_number(name, file, code->print.first_line);
	return 0;
}

const struct python_code *code_find(const struct python_runtime *python, uint64_t at,
	const struct python_print *print)
{
	struct python_code *code, fresh = { .at = at, .print = *print };
	size_t place = mix(at) % CODES;

	if (print->type != python->code_type)
		return NULL;
	for (code = &memory->codes[place]; code->at && code->at != at; code = &memory->codes[place])
		place = (place + 1) % CODES;
	if (code->at && print_is(&code->print, print))
		return code;
	if (code_read(python, &fresh) < 0)
		return NULL;
	if (!code->at && memory->ncodes >= CODES_MOST) { /* begins anew; numbers stay */
		memset(memory->codes, 0, sizeof(memory->codes));
		memory->ncodes = 0;
		code = &memory->codes[mix(at) % CODES];
	}
	memory->ncodes += !code->at;
	memory->nnew++;
	fresh.is_new = true;
	*code = fresh;
	return code;
}

bool code_is_new(void)
{
	return memory->nnew;
}

void code_settle(bool stood)
{
	for (size_t i = 0; memory->nnew && i < CODES; i++) {
		if (!memory->codes[i].is_new)
			continue;
		memory->codes[i].is_new = false;
		if (!stood) /* no print is like this one, so it is read again */
			memory->codes[i].print = (struct python_print){ 0 };
		memory->nnew--;
	}
	memory->nnew = 0;
}

/* Reads the object's table of lines; its size, 0 when there is none. */
static size_t table_read(const struct python_runtime *python, uint64_t at)
{
	unsigned char head[BYTES_DATA];
	uint64_t size;

	if (memory_read(at, head, sizeof(head)) < 0 ||
		word_at(head, OBJECT_TYPE) != python->bytes_type)
		return 0;
	size = word_at(head, BYTES_SIZE);
	if (!size || size > TABLE_MOST || memory_read(at + BYTES_DATA, memory->table, size) < 0)
		return 0;
	return size;
}

uint32_t code_line(const struct python_runtime *python, const struct python_code *code,
	uint32_t offset)
{
	size_t at = mix((uint64_t)code->id << 32 | offset) % LINES, size;
	uint32_t line;

	if (code->id && code->is_lasting && memory->lines[at].id == code->id &&
		memory->lines[at].offset == offset)
		return memory->lines[at].line;
	size = table_read(python, code->print.lines);
	line = size ? lines_look(python->layout.minor, memory->table, size, code->print.first_line,
			      offset)
		    : 0;
	if (code->id) {
		memory->lines[at].id = code->id;
		memory->lines[at].offset = offset;
		memory->lines[at].line = line;
	}
	return line;
}

int code_start(void)
{
	memory = sys_map_anew(memory, sizeof(*memory));
	return memory ? 0 : -1;
}

/* python_layout.c - see python_layout.h. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "python/python_layout.h"
#include "core/memory.h"

static const struct python_layout layouts[] = {
#define LAYOUT(...) { __VA_ARGS__ },
#include "python/python_layout.def"
#undef LAYOUT
};

/*
 * Found by the loader as it loads us, where the program or a library that it links has them. A look-up
 * at run time would wait for every dlopen of the program.
 */
#define SYMBOL(member, name) extern char name __attribute__((weak, visibility("default")));
PYTHON_SYMBOLS(SYMBOL)
#undef SYMBOL

const struct python_symbols *tacho_python_symbols;

static struct python_symbols symbols_get(void)
{
	if (tacho_python_symbols)
		return *tacho_python_symbols;
	return (struct python_symbols){
#define SYMBOL(member, name) .member = (uintptr_t)&name,
		PYTHON_SYMBOLS(SYMBOL)
#undef SYMBOL
	};
}

#define RELEASE_CANDIDATE 0xc0u	  /* from here on layouts stay as they are */
#define VERSION_DEBUG	  0x030du /* from 3.13 on offsets are told */

/* Begin of _PyRuntime in 3.13: struct _Py_DebugOffsets, in words of 8 bytes. */
enum debug_word {
	DEBUG_COOKIE,
	DEBUG_VERSION,
	DEBUG_FREE_THREADED,
	DEBUG_INTERPRETERS = 5,
	DEBUG_INTERPRETER_NEXT = 8,
	DEBUG_INTERPRETER_THREAD,
	DEBUG_THREAD_NEXT = 21,
	DEBUG_THREAD_INTERPRETER,
	DEBUG_THREAD_FRAME,
	DEBUG_THREAD_ID,
	DEBUG_FRAME_SIZE = 28,
	DEBUG_FRAME_PREVIOUS,
	DEBUG_FRAME_CODE,
	DEBUG_FRAME_INSTRUCTION,
	DEBUG_FRAME_OWNER = 33,
	DEBUG_CODE_FILE = 35,
	DEBUG_CODE_NAME = 37,
	DEBUG_CODE_LINES,
	DEBUG_CODE_FIRST_LINE,
	DEBUG_CODE_INSTRUCTIONS = 43,
	DEBUG_TEXT_HEAD = 70,
	DEBUG_WORDS,
};
#define DEBUG_COOKIE_TEXT "xdebugpy"

/* PY_VERSION_HEX; of older ones the minor version alone, by what they had first. 0: none, or too old. */
static uint32_t version_find(const struct python_symbols *symbols)
{
	uint64_t version = 0;

	if (!symbols->runtime)
		return 0;
	if (symbols->version)
		return memory_read(symbols->version, &version, sizeof(version)) < 0
			? 0
			: (uint32_t)version;
	return symbols->send	      ? 0x030a00f0
		: symbols->get_code   ? 0x030900f0
		: symbols->positional ? 0x030800f0
				      : 0x030700f0;
}

static int told_layout(struct python_layout *layout, uint64_t runtime, uint32_t version)
{
	uint64_t word[DEBUG_WORDS];

	if (memory_read(runtime, word, sizeof(word)) < 0 ||
		memcmp(&word[DEBUG_COOKIE], DEBUG_COOKIE_TEXT, sizeof(word[0])) != 0 ||
		word[DEBUG_VERSION] != version || word[DEBUG_FREE_THREADED])
		return -1;
	for (int i = DEBUG_INTERPRETERS; i < DEBUG_WORDS; i++)
		if (word[i] > 1 << 20)
			return -1;
	*layout = (struct python_layout){
		.minor = (int)(version >> 16 & 0xff),
		.runtime_interpreter = (int)word[DEBUG_INTERPRETERS],
		.interpreter_next = (int)word[DEBUG_INTERPRETER_NEXT],
		.interpreter_thread = (int)word[DEBUG_INTERPRETER_THREAD],
		.thread_next = (int)word[DEBUG_THREAD_NEXT],
		.thread_interpreter = (int)word[DEBUG_THREAD_INTERPRETER],
		.thread_id = (int)word[DEBUG_THREAD_ID],
		.thread_frame = (int)word[DEBUG_THREAD_FRAME],
		.cframe_frame = LAYOUT_NONE,
		.frame_size = (int)word[DEBUG_FRAME_SIZE],
		.frame_previous = (int)word[DEBUG_FRAME_PREVIOUS],
		.frame_code = (int)word[DEBUG_FRAME_CODE],
		.frame_instruction = (int)word[DEBUG_FRAME_INSTRUCTION],
		.frame_owner = (int)word[DEBUG_FRAME_OWNER],
		.code_file = (int)word[DEBUG_CODE_FILE],
		.code_name = (int)word[DEBUG_CODE_NAME],
		.code_first_line = (int)word[DEBUG_CODE_FIRST_LINE],
		.code_lines = (int)word[DEBUG_CODE_LINES],
		.code_instructions = (int)word[DEBUG_CODE_INSTRUCTIONS],
		.text_head = (int)word[DEBUG_TEXT_HEAD],
	};
	return 0;
}

static int layout_find(struct python_layout *layout, uint64_t runtime, uint32_t version)
{
	int minor = (int)(version >> 16 & 0xff);

	if (sizeof(void *) != 8 || (version & 0xff) < RELEASE_CANDIDATE)
		return -1;
	if (version >> 16 == VERSION_DEBUG)
		return told_layout(layout, runtime, version);
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts) && version >> 24 == 3; i++)
		if (layouts[i].minor == minor) {
			*layout = layouts[i];
			return 0;
		}
	return -1;
}

enum python_found python_find(struct python_runtime *python)
{
	struct python_symbols symbols = symbols_get();
	uint32_t version = version_find(&symbols);
	int n;

	if (!version)
		return PYTHON_NONE;
	n = snprintf(python->version, sizeof(python->version), "%u.%u", version >> 24,
		version >> 16 & 0xff);
	if (symbols.version)
		snprintf(python->version + n, sizeof(python->version) - (size_t)n, ".%u",
			version >> 8 & 0xff);
	python->runtime = symbols.runtime;
	python->code_type = symbols.code_type;
	python->text_type = symbols.text_type;
	python->bytes_type = symbols.bytes_type;
	if (layout_find(&python->layout, python->runtime, version) < 0 || !python->code_type ||
		!python->text_type || !python->bytes_type)
		return PYTHON_STRANGE;
	return PYTHON_FOUND;
}

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

#define RELEASE_CANDIDATE 0xc0u /* from here on layouts stay as they are */

/*
 * From 3.13 on _PyRuntime begins with struct _Py_DebugOffsets, in words of 8 bytes: a cookie, the version, whether
 * there is no lock, then offsets.
 */
enum debug_word {
	DEBUG_COOKIE,
	DEBUG_VERSION,
	DEBUG_FREE_THREADED,
	DEBUG_OFFSETS,
	DEBUG_WORDS = 81
};

/* Which words have the offsets. */
static const struct python_layout told[] = {
#define TOLD(...) { __VA_ARGS__ },
#include "python/python_told.def"
#undef TOLD
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

static int told_layout(struct python_layout *layout, const struct python_layout *words,
	uint64_t runtime, uint32_t version)
{
	uint64_t word[DEBUG_WORDS];

	if (memory_read(runtime, word, sizeof(word)) < 0 ||
		memcmp(&word[DEBUG_COOKIE], DEBUG_COOKIE_TEXT, sizeof(word[0])) != 0 ||
		word[DEBUG_VERSION] != version)
		return -1;
	for (int i = DEBUG_OFFSETS; i <= words->text_head; i++)
		if (word[i] > 1 << 20)
			return -1;
#define WORD(member) .member = (int)word[words->member]
	*layout = (struct python_layout){
		.minor = words->minor,
		WORD(runtime_interpreter),
		WORD(interpreter_next),
		WORD(interpreter_thread),
		WORD(thread_next),
		WORD(thread_interpreter),
		WORD(thread_id),
		WORD(thread_frame),
		.cframe_frame = LAYOUT_NONE,
		WORD(frame_size),
		WORD(frame_previous),
		WORD(frame_code),
		WORD(frame_instruction),
		WORD(frame_owner),
		WORD(frame_local),
		WORD(code_file),
		WORD(code_name),
		WORD(code_first_line),
		WORD(code_lines),
		WORD(code_instructions),
		WORD(text_head),
	};
#undef WORD
	return 0;
}

/* Whether threads of this interpreter share no lock (PEP 703): objects and frames have other layouts. */
static bool is_free_threaded(uint64_t runtime, uint32_t version)
{
	uint64_t word[DEBUG_FREE_THREADED + 1];

	return memory_read(runtime, word, sizeof(word)) == 0 &&
		!memcmp(&word[DEBUG_COOKIE], DEBUG_COOKIE_TEXT, sizeof(word[0])) &&
		word[DEBUG_VERSION] == version && word[DEBUG_FREE_THREADED];
}

static int layout_find(struct python_layout *layout, uint64_t runtime, uint32_t version)
{
	int minor = (int)(version >> 16 & 0xff);

	if (sizeof(void *) != 8 || (version & 0xff) < RELEASE_CANDIDATE)
		return -1;
	for (size_t i = 0; i < sizeof(told) / sizeof(*told) && version >> 24 == 3; i++)
		if (told[i].minor == minor)
			return told_layout(layout, &told[i], runtime, version);
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
	python->dict_type = symbols.dict_type;
	python->ordered_type = symbols.ordered_type;
	python->cell_type = symbols.cell_type;
	if (is_free_threaded(python->runtime, version))
		return PYTHON_FREE_THREADED;
	if (layout_find(&python->layout, python->runtime, version) < 0 || !python->code_type ||
		!python->text_type || !python->bytes_type)
		return PYTHON_STRANGE;
	return PYTHON_FOUND;
}

/*
 * python_layout.h - which CPython the process has, and where its structs have what. Nothing of it is
 * called: what is read is memory.
 */
#ifndef COLLECTOR_PYTHON_LAYOUT_H
#define COLLECTOR_PYTHON_LAYOUT_H

#include "core/span.h"

#define LAYOUT_NONE (-1) /* the version has no such member */

/* Offsets in bytes; see python_layout.def. */
struct python_layout {
	int minor; /* of 3.minor */
	int runtime_interpreter;
	int interpreter_next, interpreter_thread;
	int thread_next, thread_interpreter, thread_id, thread_frame;
	int cframe_frame;
	int frame_size, frame_previous, frame_code, frame_instruction, frame_owner, frame_local;
	int code_file, code_name, code_first_line, code_lines, code_instructions;
	int text_head;
};

/* The interpreter, as far as symbols tell: addresses in this process. */
struct python_runtime {
	struct python_layout layout;
	uint64_t runtime; /* _PyRuntime */
	/* types, by which objects are known */
	uint64_t code_type, text_type, bytes_type, dict_type, ordered_type, cell_type;
	char version[24]; /* "3.11.2" */
};

/*
 * Addresses of symbols by which an interpreter and its version are known; 0: it has none. SYMBOL(member,
 * name)
 */
#define PYTHON_SYMBOLS(SYMBOL)                                                                     \
	SYMBOL(runtime, _PyRuntime)                                                                \
	SYMBOL(version, Py_Version)		      /* 3.11 on */                                \
	SYMBOL(send, PyIter_Send)		      /* 3.10 on */                                \
	SYMBOL(get_code, PyFrame_GetCode)	      /* 3.9 on */                                 \
	SYMBOL(positional, PyCode_NewWithPosOnlyArgs) /* 3.8 on */                                 \
	SYMBOL(code_type, PyCode_Type)                                                             \
	SYMBOL(text_type, PyUnicode_Type)                                                          \
	SYMBOL(bytes_type, PyBytes_Type)                                                           \
	SYMBOL(dict_type, PyDict_Type)                                                             \
	SYMBOL(ordered_type, PyODict_Type)                                                         \
	SYMBOL(cell_type, PyCell_Type)

struct python_symbols {
#define SYMBOL(member, name) uint64_t member;
	PYTHON_SYMBOLS(SYMBOL)
#undef SYMBOL
};

/* Those of another process, which attach/ has found; NULL: this one's are meant. */
extern const struct python_symbols *tacho_python_symbols HIDDEN;

/* PYTHON_STRANGE: there is one, of a version that is not known, or FREE_THREADED; `version` then states which. */
enum python_found { PYTHON_NONE, PYTHON_STRANGE, PYTHON_FREE_THREADED, PYTHON_FOUND };

enum python_found python_find(struct python_runtime *python) HIDDEN;

#endif

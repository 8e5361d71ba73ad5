/* Compares collector/python/python_layout.def with the headers of one CPython, member by member. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#include "internal/pycore_pystate.h"
#if PY_VERSION_HEX >= 0x03090000
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_code.h"
#include "internal/pycore_frame.h"
#endif

#if PY_VERSION_HEX >= 0x030b0000
#define FIRST_THREAD offsetof(PyInterpreterState, threads.head)
#define THREAD_FRAME offsetof(PyThreadState, cframe)
#define CFRAME_FRAME ((int)offsetof(_PyCFrame, current_frame))
#define FRAME	     _PyInterpreterFrame
#define PREVIOUS     previous
#define INSTRUCTION  prev_instr
#define OWNER	     ((int)offsetof(_PyInterpreterFrame, owner))
#define LOCAL	     ((int)offsetof(_PyInterpreterFrame, localsplus))
#define FRAME_SIZE   sizeof(_PyInterpreterFrame)
#define NAME	     co_qualname
#define FIRST	     ((int)offsetof(PyCodeObject, co_code_adaptive))
#else
#define FIRST_THREAD offsetof(PyInterpreterState, tstate_head)
#define THREAD_FRAME offsetof(PyThreadState, frame)
#define CFRAME_FRAME (-1)
#define FRAME	     PyFrameObject
#define PREVIOUS     f_back
#define INSTRUCTION  f_lasti
#define OWNER	     (-1)
/* the table's size is up to the last member that is read */
#define LOCAL	     ((int)offsetof(PyFrameObject, f_localsplus))
#define FRAME_SIZE   (offsetof(PyFrameObject, f_localsplus) + sizeof(PyObject *))
#define NAME	     co_name
#define FIRST	     (-1)
#endif
#if PY_VERSION_HEX >= 0x030a0000
#define LINES co_linetable
#else
#define LINES co_lnotab
#endif

static int bad;

static void same(const char *what, int table, int header)
{
	if (table != header) {
		printf("%s is at %d, by the table at %d\n", what, header, table);
		bad = 1;
	}
}

static void compare(int minor, int runtime, int next_interpreter, int first_thread, int next_thread,
	int interpreter, int id, int frame, int cframe, int size, int previous, int code,
	int instruction, int owner, int local, int file, int name, int first_line, int lines,
	int first, int head)
{
	if (minor != PY_MINOR_VERSION)
		return;
	bad = 0;
	same("interpreters.head", runtime, offsetof(_PyRuntimeState, interpreters.head));
	same("next interpreter", next_interpreter, offsetof(PyInterpreterState, next));
	same("first thread", first_thread, FIRST_THREAD);
	same("next thread", next_thread, offsetof(PyThreadState, next));
	same("interp", interpreter, offsetof(PyThreadState, interp));
	same("thread_id", id, offsetof(PyThreadState, thread_id));
	same("frame of the thread", frame, THREAD_FRAME);
	same("current_frame", cframe, CFRAME_FRAME);
	same("size of a frame", size, FRAME_SIZE);
	same("previous frame", previous, offsetof(FRAME, PREVIOUS));
	same("code of a frame", code, offsetof(FRAME, f_code));
	same("instruction", instruction, offsetof(FRAME, INSTRUCTION));
	same("owner", owner, OWNER);
	same("first local variable", local, LOCAL);
	same("co_filename", file, offsetof(PyCodeObject, co_filename));
	same("name", name, offsetof(PyCodeObject, NAME));
	same("co_firstlineno", first_line, offsetof(PyCodeObject, co_firstlineno));
	same("table of lines", lines, offsetof(PyCodeObject, LINES));
	same("first instruction", first, FIRST);
	same("head of a text", head, sizeof(PyASCIIObject));
	same("type of an object", 8, offsetof(PyObject, ob_type));
	same("size of bytes", 16, offsetof(PyVarObject, ob_size));
	same("bytes", 32, offsetof(PyBytesObject, ob_sval));
	same("length of a text", 16, offsetof(PyASCIIObject, length));
	same("state of a text", 32, offsetof(PyASCIIObject, state));
	same("text that is not ASCII", head == 48 ? 72 : 56, sizeof(PyCompactUnicodeObject));
}

int main(void)
{
	bad = -1; /* no line of the table is this version's */
#define LAYOUT(...) compare(__VA_ARGS__);
#include "python/python_layout.def"
#undef LAYOUT
	if (bad < 0)
		printf("the table has no Python 3.%d\n", PY_MINOR_VERSION);
	return bad != 0;
}

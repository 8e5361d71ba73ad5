/*
 * free_threaded.c - exports the marks of a free-threaded CPython 3.13.5, and writes "done" after
 * half a second of calls.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

uint64_t _PyRuntime[81] = { [1] = 0x030d05f0, [2] = 1 };
const unsigned long Py_Version = 0x030d05f0;
uint64_t PyCode_Type[64], PyUnicode_Type[64], PyBytes_Type[64];

int main(void)
{
	memcpy(_PyRuntime, "xdebugpy", 8);
	for (int i = 0; i < 500; i++) {
		if (write(STDERR_FILENO, "", 0) < 0)
			return 1;
		usleep(1000);
	}
	puts("done");
	return 0;
}

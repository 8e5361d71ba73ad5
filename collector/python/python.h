/*
 * python.h - which lines of Python the process's threads are in, seen from outside: the helper
 * inspects their stacks TACHO_PYTHON_HZ times a second (50; 0: never) and adds up how long each was
 * seen where. It takes no lock of Python's, calls nothing of it and stops nobody.
 */
#ifndef COLLECTOR_PYTHON_H
#define COLLECTOR_PYTHON_H

#include "core/source.h"

extern const struct source tacho_python_source HIDDEN;

#endif

/*
 * python_module.h - modules of PyTorch (nn.Module): by which name a module that another one calls is found there,
 * as in named_modules(). Read from the objects' dicts; nothing is called.
 */
#ifndef COLLECTOR_PYTHON_MODULE_H
#define COLLECTOR_PYTHON_MODULE_H

#include "python/python_layout.h"

/* The module in a local variable, which may be in a cell; 0: there is none. */
uint64_t module_of_local(const struct python_runtime *python, uint64_t local) HIDDEN;

/*
 * Number (DEF_PYTHON_CODE) of the name under which `parent`, or a container in it, has `module` ("conv1", "layers.3");
 * 0: it is not found there.
 */
uint32_t module_name(const struct python_runtime *python, uint64_t parent, uint64_t module) HIDDEN;

/* Whether a name was read since the last module_settle(), by which it is kept or forgotten. */
bool module_is_new(void) HIDDEN;
void module_settle(bool stood) HIDDEN;

/* 0, or -1 without memory; forgets everything. */
int module_start(void) HIDDEN;

#endif

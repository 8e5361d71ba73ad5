/* python_file.h - the owner of a Python file, from its path. */
#ifndef ANALYZER_PYTHON_FILE_H
#define ANALYZER_PYTHON_FILE_H

#include <stdbool.h>

/* Whether the file belongs to Python or to packages installed for it, not to the user's program. */
bool python_file_is_library(const char *file);

/* Whether it is no file: its functions are names under which modules of PyTorch have other ones. */
bool python_file_names_module(const char *file);

#endif

/* text_function.h - names of C++ functions, which templates make hundreds of letters long. */
#ifndef ANALYZER_TEXT_FUNCTION_H
#define ANALYZER_TEXT_FUNCTION_H

#include <stdbool.h>

/* True if it has the form of a C++ function name with parameters or template arguments. */
bool text_is_function(const char *name);

/*
 * The short name: without result, parameters and namespaces; a lambda gets the name of its
 * function. Any other text is copied. The caller frees it; NULL without memory.
 */
char *text_function(const char *name);

#endif

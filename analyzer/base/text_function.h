/* text_function.h - names of C++ functions, which templates make hundreds of letters long. */
#ifndef ANALYZER_TEXT_FUNCTION_H
#define ANALYZER_TEXT_FUNCTION_H

#include <stdbool.h>

/* Whether it looks like the name of a C++ function with parameters or template arguments. */
bool text_is_function(const char *name);

/*
 * The name as people say it: without result, parameters and namespaces, of a lambda the function
 * that has it. Any other text is copied. The caller frees it; NULL without memory.
 */
char *text_function(const char *name);

#endif

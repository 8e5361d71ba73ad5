/* attach_symbols.h - addresses of symbols in another process, by its mappings and the files behind them. */
#ifndef COLLECTOR_ATTACH_SYMBOLS_H
#define COLLECTOR_ATTACH_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

/*
 * Sets value[i] to the address of the symbol names[i] in process `pid`, 0 if it has none. Searches
 * files with `part` in their name ("python") and uses the first that defines names[0].
 */
void symbols_find(uint32_t pid, const char *part, const char *const *names, uint64_t *values,
	size_t n) HIDDEN;

#endif

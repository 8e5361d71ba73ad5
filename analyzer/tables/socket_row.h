/* socket_row.h - rows of the table socket: bytes between processes, by connection. */
#ifndef ANALYZER_SOCKET_ROW_H
#define ANALYZER_SOCKET_ROW_H

#include "tables/io_file.h"

/*
 * Notes what a process has sent until `t` through a file, if that is a socket with an end that may be
 * recorded. 0, or -1 without memory.
 */
int socket_sent(const struct model *model, uint32_t file, struct io_use *use, int64_t t,
	uint64_t bytes);

/* Once all uses of files are known. */
void socket_rows_write(struct db *db, const struct model *model, const struct io_table *tables);

#endif

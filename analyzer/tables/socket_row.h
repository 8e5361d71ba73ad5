/* socket_row.h - rows of the table socket: bytes between processes, by connection. */
#ifndef ANALYZER_SOCKET_ROW_H
#define ANALYZER_SOCKET_ROW_H

#include "tables/io_file.h"

/*
 * Notes the bytes that a process has sent until `t` through a file, if the file is a socket whose
 * peer may be recorded. 0, or -1 without memory.
 */
int socket_sent(const struct model *model, uint32_t file, struct io_use *use, int64_t t,
	uint64_t bytes);

/*
 * What the main thread of a process waited through sockets for another one, by their ids: until that
 * began to send, and from then on.
 */
void socket_wait_put(struct db *db, int64_t process, int64_t peer, uint64_t waits, int64_t late,
	int64_t transfer);

/* Once all uses of files are known. */
void socket_rows_write(struct db *db, const struct model *model, const struct io_table *tables);

#endif

/* socket_row.h - rows of the table socket: bytes between processes, by connection. */
#ifndef ANALYZER_SOCKET_ROW_H
#define ANALYZER_SOCKET_ROW_H

#include "tables/io_file.h"

/* Once all uses of files are known. */
void socket_rows_write(struct db *db, const struct model *model, const struct io_table *tables);

#endif

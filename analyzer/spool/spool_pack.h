/*
 * spool_pack.h - the spools of a node in one file: a shared file system has one file per node then, and a
 * merge opens one. `tacho record --spool` makes it as it brings spools from a node's own disk; libtacho
 * never does, as each of its files has to be there after a kill -9.
 *
 * A pack is a list of parts, one per tacho that has brought something. A part is a struct pack_part, its
 * struct pack_file entries, their names ("<folder>/<file>", each with a NUL), and the files' bytes, each
 * file from a page's begin on. The part counts once its magic is written, and its size leads to the next.
 */
#ifndef ANALYZER_SPOOL_PACK_H
#define ANALYZER_SPOOL_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PACK_END   ".pack"    /* of the file's name */
#define PACK_MAGIC "TACHOPCK" /* written last */
#define PACK_PAGE  4096u

struct pack_part {
	char magic[8];
	uint32_t version; /* SPOOL_VERSION */
	uint32_t nfiles;
	uint64_t names; /* bytes */
	uint64_t size;	/* of the part, a multiple of PACK_PAGE */
};

struct pack_file {
	uint64_t at, size; /* bytes; `at` from the part's begin */
	uint64_t name;	   /* place among the names */
};

/* Whether an entry of RUN/spool is a pack and no folder of a process. */
bool spool_pack_is(const char *name);

/* A file of a process, in its folder or in a pack. */
struct spool_file {
	int fd; /* -1: it is none */
	bool is_packed;
	uint64_t at, size; /* its bytes in `fd` */
};

/*
 * Opens RUN/spool/<folder>/<file>, or RUN/spool/<pack>/<folder>/<file>. -1 with errno. Closing one of a
 * pack costs nothing: the last packs that were used stay open.
 */
int spool_file_open(const char *path, struct spool_file *file);
void spool_file_close(struct spool_file *file);

/* As pread(). */
ssize_t spool_file_read(const struct spool_file *file, void *to, size_t n, uint64_t at);

/*
 * Calls visit() with the name of each file of a folder (RUN/spool/<folder> or that of a pack), or of each
 * folder of a pack (RUN/spool/<pack>), until it returns other than 0, which is returned. Nothing where
 * there is no such folder.
 */
int spool_names_visit(const char *path, int (*visit)(void *arg, const char *name), void *arg);

/* Bytes of the parts of a pack that are whole: the next one begins there. */
uint64_t spool_pack_end(int fd);

#endif

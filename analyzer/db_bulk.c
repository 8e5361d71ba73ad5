/*
 * db_bulk.c - see db_bulk.h. Rows come in the order of the key, so that the tree is built from its
 * leaves: a page that is full is written behind the end of the file, and its last row goes up to
 * stand between it and the next one. To SQLite this is another program that has written between
 * two transactions: it finds a new number of changes in the file's header, and forgets what it
 * knows of the pages.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db_bulk.h"
#include "guard.h"
#include "log.h"

enum {
	LEVELS = 12,			/* at least two rows a page: 2^12 times as many pages as fit */
	BATCH = 1 << 18,		/* bytes written at once */
	COLUMNS = 20,
	HEADER = 100,			/* bytes of the file's, and where in it: */
	AT_PAGE_SIZE = 16, AT_RESERVED = 20, AT_CHANGES = 24, AT_PAGES = 28, AT_FORMAT = 44,
	AT_VACUUM = 52, AT_ENCODING = 56, AT_VALID_FOR = 92,
	LEAF = 10, INTERIOR = 2,	/* types of pages of tables without rowid */
	LOCKED_BYTE = 1 << 30,		/* SQLite never uses the page that it is in */
};

/* A page that is being filled, from its end; `last`: bytes of the last cell. */
struct level { uint8_t *page; size_t ncells, top, last; };

struct row { uint8_t *at; size_t n; };

struct bulk {
	int file;
	const char *path;
	uint32_t page_size, root, npages, next;	/* next: number of a new page */
	uint8_t header[HEADER];
	struct level levels[LEVELS];
	size_t nlevels, most;			/* most: bytes of a row that fits */
	uint8_t *batch, *cell;
	size_t nbatch;
	uint32_t batch_first;			/* number of its first page */
	struct row row, before;
	bool needed[COLUMNS];			/* columns that cannot be NULL */
	bool failed;				/* reported */
};

static uint32_t get(const uint8_t *at, int n)
{
	uint32_t value = 0;

	for (int i = 0; i < n; i++)
		value = value << 8 | at[i];
	return value;
}

static void set(uint8_t *at, int n, uint64_t value)
{
	for (int i = n; i > 0; i--, value >>= 8)
		at[i - 1] = (uint8_t)value;
}

/* Seven bits a byte, the highest first. Returns how many bytes. */
static size_t varint_put(uint8_t *at, uint32_t value)
{
	size_t n = value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : 4;

	for (size_t i = n; i > 0; i--, value >>= 7)
		at[i - 1] = (uint8_t)((value & 127) | (i < n ? 128 : 0));
	return n;
}

static size_t varint_get(const uint8_t *at, uint32_t *value)
{
	size_t n = 0;

	for (*value = 0; n < 4; n++) {
		*value = *value << 7 | (at[n] & 127);
		if (at[n] < 128)
			return n + 1;
	}
	return n;
}

/* --- rows --- */

/* Bytes of integers by their type, and how an integer is stored: types 8 and 9 are 0 and 1. */
static const uint8_t integer_bytes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };

static uint32_t integer_type(int64_t value)
{
	uint64_t size = (uint64_t)(value < 0 ? ~value : value);

	return value == 0 ? 8 : value == 1 ? 9 : size < 1u << 7 ? 1 : size < 1u << 15 ? 2 :
		size < 1u << 23 ? 3 : size < 1u << 31 ? 4 : size < UINT64_C(1) << 47 ? 5 : 6;
}

/* A value on its way into a row. */
struct stored { uint32_t type; size_t n; uint64_t bits; const char *text; };

static struct stored stored_integer(int64_t value)
{
	uint32_t type = integer_type(value);

	return (struct stored){ type, integer_bytes[type], (uint64_t)value, NULL };
}

static struct stored stored_text(const char *text)
{
	size_t n = strlen(text);

	return (struct stored){ (uint32_t)(13 + 2 * n), n, 0, text };
}

/* Whole numbers of real columns are stored as integers, as SQLite has it. */
static struct stored stored_real(double value)
{
	struct stored stored = { 7, 8, 0, NULL };

	if (fabs(value) < 1e14 && value == (double)(int64_t)value)
		return stored_integer((int64_t)value);
	memcpy(&stored.bits, &value, sizeof(value));
	return stored;
}

static struct stored stored_value(char type, const union db_value *value)
{
	switch (type) {
	case 'i': return stored_integer(value->i);
	case 'd': return isnan(value->d) ? (struct stored){ 0 } : stored_real(value->d);
	case 's': return value->s ? stored_text(value->s) : (struct stored){ 0 };
	default: return (struct stored){ 0 };
	}
}

/* False: it is too long, or lacks something. */
static bool row_set(struct bulk *bulk, const char *columns, const char *types,
		const union db_value *values)
{
	struct stored stored[COLUMNS];
	size_t n = 0, head = 1, body = 0, at;

	for (; columns[n]; n++) {
		stored[n] = columns[n] == '1' ? stored_integer(1) :
			columns[n] == '-' ? stored_text("") : stored_value(*types++, values++);
		if (stored[n].n > bulk->most || (bulk->needed[n] && !stored[n].type))
			return false;
		body += stored[n].n;
		head += varint_put((uint8_t[4]){ 0 }, stored[n].type);
	}
	bulk->row.n = head + body;
	if (head > 127 || bulk->row.n > bulk->most)
		return false;
	bulk->row.at[0] = (uint8_t)head;
	at = 1;
	for (size_t i = 0; i < n; i++)
		at += varint_put(bulk->row.at + at, stored[i].type);
	for (size_t i = 0; i < n; at += stored[i++].n) {
		if (stored[i].text)
			memcpy(bulk->row.at + at, stored[i].text, stored[i].n);
		else
			set(bulk->row.at + at, (int)stored[i].n, stored[i].bits);
	}
	return true;
}

static int64_t integer_of(uint32_t type, const uint8_t *at)
{
	int n = integer_bytes[type];
	uint64_t value = n && at[0] & 128 ? UINT64_MAX : 0;

	for (int i = 0; i < n; i++)
		value = value << 8 | at[i];
	return type >= 8 ? type - 8 : (int64_t)value;
}

/* Whether the first columns of one row, integers and texts, are before those of the other. */
static bool is_before(const uint8_t *a, const uint8_t *b, int nkey)
{
	const uint8_t *head_a = a + 1, *head_b = b + 1, *body_a = a + a[0], *body_b = b + b[0];

	for (int i = 0; i < nkey; i++) {
		uint32_t x, y;

		head_a += varint_get(head_a, &x);
		head_b += varint_get(head_b, &y);
		if (x >= 13 && y >= 13) {
			size_t nx = (x - 13) / 2, ny = (y - 13) / 2;
			int order = memcmp(body_a, body_b, nx < ny ? nx : ny);

			if (order || nx != ny)
				return order ? order < 0 : nx < ny;
			body_a += nx;
			body_b += ny;
		} else if (x && y && x < 10 && y < 10 && x != 7 && y != 7) {
			int64_t p = integer_of(x, body_a), q = integer_of(y, body_b);

			if (p != q)
				return p < q;
			body_a += integer_bytes[x];
			body_b += integer_bytes[y];
		} else {
			return false;
		}
	}
	return false;
}

/* --- pages --- */

static void file_write(struct bulk *bulk, const void *bytes, size_t n, uint64_t at)
{
	const char *from = bytes;

	while (n > 0 && !bulk->failed) {
		ssize_t put = pwrite(bulk->file, from, n, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			log_error("cannot write %s: %s", bulk->path, strerror(errno));
			bulk->failed = true;
			return;
		}
		from += put;
		at += (uint64_t)put;
		n -= (size_t)put;
	}
}

static void batch_write(struct bulk *bulk)
{
	file_write(bulk, bulk->batch, bulk->nbatch,
		(uint64_t)(bulk->batch_first - 1) * bulk->page_size);
	bulk->nbatch = 0;
}

static uint32_t page_number(struct bulk *bulk)
{
	if (bulk->next == LOCKED_BYTE / bulk->page_size + 1)
		bulk->next++;
	return bulk->next++;
}

/* The page is full, and the next of its level begins; `right`: child behind all its cells. */
static void page_write(struct bulk *bulk, size_t depth, uint32_t right, uint32_t number)
{
	struct level *level = &bulk->levels[depth];

	level->page[0] = depth ? INTERIOR : LEAF;
	set(level->page + 1, 2, 0);
	set(level->page + 3, 2, level->ncells);
	set(level->page + 5, 2, level->top);
	level->page[7] = 0;
	if (depth)
		set(level->page + 8, 4, right);
	if (bulk->nbatch && (bulk->nbatch == BATCH ||
		number != bulk->batch_first + bulk->nbatch / bulk->page_size))
		batch_write(bulk);
	if (!bulk->nbatch)
		bulk->batch_first = number;
	memcpy(bulk->batch + bulk->nbatch, level->page, bulk->page_size);
	bulk->nbatch += bulk->page_size;
	memset(level->page, 0, bulk->page_size);
	level->ncells = 0;
	level->top = bulk->page_size;
}

static size_t pointers_end(const struct level *level, size_t depth)
{
	return (depth ? 12 : 8) + 2 * level->ncells;
}

static void cell_add(struct level *level, size_t depth, const uint8_t *cell, size_t n)
{
	size_t at = pointers_end(level, depth);

	level->top -= n;
	level->last = n;
	memcpy(level->page + level->top, cell, n);
	set(level->page + at, 2, level->top);
	level->ncells++;
}

/* NULL: without memory. */
static struct level *level_of(struct bulk *bulk, size_t depth)
{
	struct level *level = depth < LEVELS ? &bulk->levels[depth] : NULL;

	if (!level || level->page)
		return level;
	level->page = calloc(1, bulk->page_size);
	level->top = bulk->page_size;
	bulk->nlevels += level->page != NULL;
	return level->page ? level : NULL;
}

/*
 * Adds a cell, which in an interior page begins with the child before it. Where there is no room,
 * the last cell goes up instead, to stand behind this page: so the next page is never empty.
 */
static bool cell_put(struct bulk *bulk, size_t depth, const uint8_t *cell, size_t n)
{
	struct level *level = level_of(bulk, depth);
	uint8_t up[4 + 4 + (1 << 14)];

	if (!level)
		return false;
	if (pointers_end(level, depth) + 2 + n > level->top) {
		size_t child = depth ? 4 : 0, last = level->last;
		uint32_t number = page_number(bulk);
		uint32_t right = depth ? get(level->page + level->top, 4) : 0;

		memcpy(up + 4, level->page + level->top + child, last - child);
		set(up, 4, number);
		set(level->page + pointers_end(level, depth) - 2, 2, 0);
		memset(level->page + level->top, 0, last);
		level->top += last;
		level->ncells--;
		page_write(bulk, depth, right, number);
		if (!cell_put(bulk, depth + 1, up, last - child + 4))
			return false;
	}
	cell_add(level, depth, cell, n);
	return true;
}

/* The last page of each level is the child behind all of the level above; the uppermost is root. */
static void tree_end(struct bulk *bulk)
{
	uint32_t right = 0;

	for (size_t depth = 0; depth < bulk->nlevels; depth++) {
		uint32_t number = depth + 1 < bulk->nlevels ? page_number(bulk) : bulk->root;

		page_write(bulk, depth, right, number);
		right = number;
	}
	batch_write(bulk);
}

static bool rows_take(struct bulk *bulk, const struct db_table *to, const struct db_rows *rows)
{
	union db_value values[COLUMNS];
	size_t n = 0;

	while (rows->next(rows->user, values)) {
		struct row before = bulk->row;
		size_t head;

		bulk->row = bulk->before;
		bulk->before = before;
		guard->progress++;
		if (!row_set(bulk, to->columns, rows->types, values) ||
			(n++ && !is_before(bulk->before.at, bulk->row.at, to->nkey)))
			return false;
		head = varint_put(bulk->cell, (uint32_t)bulk->row.n);
		memcpy(bulk->cell + head, bulk->row.at, bulk->row.n);
		if (!cell_put(bulk, 0, bulk->cell, head + bulk->row.n) || bulk->failed)
			return false;
	}
	return n > 0;
}

/* --- the file --- */

static int64_t ask(struct db *db, const char *sql, const char *name)
{
	sqlite3_stmt *select = NULL;
	int64_t value = -1;

	if (sqlite3_prepare_v2(db->handle, sql, -1, &select, NULL) == SQLITE_OK &&
		sqlite3_bind_text(select, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
		sqlite3_step(select) == SQLITE_ROW)
		value = sqlite3_column_int64(select, 0);
	sqlite3_finalize(select);
	return value;
}

/* The table has the columns that are expected. */
static bool columns_read(struct bulk *bulk, struct db *db, const struct db_table *to)
{
	sqlite3_stmt *select = NULL;
	size_t n = 0, nkey = 0;

	if (sqlite3_prepare_v2(db->handle, "select \"notnull\", pk from pragma_table_info(?1) "
		"order by pk = 0, pk, cid", -1, &select, NULL) == SQLITE_OK &&
		sqlite3_bind_text(select, 1, to->name, -1, SQLITE_STATIC) == SQLITE_OK)
		for (; n < COLUMNS && sqlite3_step(select) == SQLITE_ROW; n++) {
			nkey += sqlite3_column_int(select, 1) > 0;
			bulk->needed[n] = sqlite3_column_int(select, 0) ||
				sqlite3_column_int(select, 1);
		}
	sqlite3_finalize(select);
	return n == strlen(to->columns) && nkey == (size_t)to->nkey;
}

/* The table is empty and as it is expected, and so is the file. */
static bool is_usual(struct bulk *bulk, struct db *db, const struct db_table *to)
{
	uint8_t head[8];
	int64_t root = ask(db, "select rootpage from sqlite_schema where type = 'table' "
		"and name = ?1 and not exists (select 1 from sqlite_schema "
		"where type in ('index', 'trigger') and tbl_name = ?1)", to->name);

	if (root < 2 || !columns_read(bulk, db, to) ||
		pread(bulk->file, bulk->header, HEADER, 0) != HEADER)
		return false;
	bulk->root = (uint32_t)root;
	bulk->page_size = get(bulk->header + AT_PAGE_SIZE, 2);
	bulk->npages = get(bulk->header + AT_PAGES, 4);
	bulk->next = bulk->npages + 1;
	bulk->most = (bulk->page_size - 12) * 64 / 255 - 23;
	return bulk->page_size >= 512 && bulk->page_size <= 1 << 15 &&
		bulk->header[AT_RESERVED] == 0 && get(bulk->header + AT_FORMAT, 4) == 4 &&
		get(bulk->header + AT_VACUUM, 4) == 0 && get(bulk->header + AT_ENCODING, 4) == 1 &&
		get(bulk->header + AT_CHANGES, 4) == get(bulk->header + AT_VALID_FOR, 4) &&
		lseek(bulk->file, 0, SEEK_END) == (off_t)bulk->npages * bulk->page_size &&
		pread(bulk->file, head, sizeof(head), (off_t)(root - 1) * bulk->page_size) ==
		sizeof(head) && head[0] == LEAF && get(head + 3, 2) == 0;
}

static void header_write(struct bulk *bulk)
{
	uint32_t changes = get(bulk->header + AT_CHANGES, 4) + 1;

	set(bulk->header + AT_CHANGES, 4, changes);
	set(bulk->header + AT_VALID_FOR, 4, changes);
	set(bulk->header + AT_PAGES, 4, bulk->next - 1);
	file_write(bulk, bulk->header, HEADER, 0);
}

static int table_write(struct bulk *bulk, struct db *db, const struct db_table *to,
		const struct db_rows *rows)
{
	if (!is_usual(bulk, db, to))
		return 0;
	bulk->batch = malloc(BATCH);
	bulk->cell = malloc(bulk->page_size);
	bulk->row.at = malloc(bulk->page_size);
	bulk->before.at = malloc(bulk->page_size);
	if (bulk->batch && bulk->cell && bulk->row.at && bulk->before.at &&
		rows_take(bulk, to, rows)) {
		tree_end(bulk);
		header_write(bulk);
		return bulk->failed ? -1 : 1;
	}
	return bulk->failed || ftruncate(bulk->file, (off_t)bulk->npages * bulk->page_size) < 0 ?
		-1 : 0;
}

int db_bulk_put(struct db *db, const struct db_table *to, const struct db_rows *rows)
{
	struct bulk bulk = { .path = db->temporary, .file = -1 };
	int ret;

	if (!db->temporary)
		return 0;
	if (sqlite3_exec(db->handle, "commit", NULL, NULL, NULL) != SQLITE_OK) {
		log_error("cannot write %s: %s", db->temporary, sqlite3_errmsg(db->handle));
		return -1;
	}
	bulk.file = open(db->temporary, O_RDWR | O_CLOEXEC);
	ret = bulk.file < 0 ? 0 : table_write(&bulk, db, to, rows);
	if (bulk.file >= 0)
		close(bulk.file);
	for (size_t i = 0; i < bulk.nlevels; i++)
		free(bulk.levels[i].page);
	free(bulk.batch);
	free(bulk.cell);
	free(bulk.row.at);
	free(bulk.before.at);
	if (sqlite3_exec(db->handle, "begin", NULL, NULL, NULL) == SQLITE_OK)
		return ret;
	log_error("cannot write %s: %s", db->temporary, sqlite3_errmsg(db->handle));
	return -1;
}

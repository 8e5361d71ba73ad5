/*
 * mpi_dump.c - prints the MPI records and communicators of spool folders, one
 * line each, for the tests to compare:
 *
 *	rank function fields…
 *
 * Ranks are those of MPI_COMM_WORLD's definition. Completions name the call
 * that they complete, found as merge does: by number and time. usage: mpi_dump FOLDER…
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tacho/regions.h"
#include "tacho/runs.h"
#include "tacho/spool.h"

static const char *const names[REGION_COUNT] = {
#define CALL(name, ...) [REGION_##name] = #name,
#include "tacho/mpi_calls.def"
#include "tacho/io_calls.def"
#include "tacho/wait_calls.def"
#include "tacho/cuda_calls.def"
#include "tacho/nccl_calls.def"
#include "tacho/torch_calls.def"
#undef CALL
};

static int rank;

static const char *file_map(const char *folder, const char *name, size_t *size)
{
	char path[4096];
	struct stat st;
	void *map = NULL;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
		*size = (size_t)st.st_size;
		map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* Files that MPI opened, numbered from 1 whatever else the process opened. */
#define FILES_MAX 64
static uint32_t files[FILES_MAX];
static int nfiles;

static int file_number(uint32_t id)
{
	for (int i = 0; i < nfiles; i++)
		if (files[i] == id)
			return i + 1;
	return 0;
}

static int low(uint64_t pair)
{
	return (int32_t)pair;
}
static int high(uint64_t pair)
{
	return (int32_t)(pair >> 32);
}

/* Requests in flight, by which a completion finds its call. */
#define FLIGHT_MAX 65536
static struct flight {
	uint32_t number;
	unsigned region;
} flights[FLIGHT_MAX];
static int nflights;

static void flight_begin(uint32_t number, unsigned region)
{
	if (number && nflights < FLIGHT_MAX)
		flights[nflights++] = (struct flight){ number, region };
}

/* The oldest start of that number. */
static unsigned flight_end(uint32_t number)
{
	unsigned region = REGION_NONE;

	for (int i = 0; i < nflights; i++)
		if (flights[i].number == number) {
			region = flights[i].region;
			memmove(&flights[i], &flights[i + 1],
				sizeof(flights[0]) * (size_t)(--nflights - i));
			break;
		}
	return region;
}

static int is_receive(unsigned region)
{
	return region == REGION_MPI_Irecv || region == REGION_MPI_Irecv_c ||
		region == REGION_MPI_Imrecv || region == REGION_MPI_Imrecv_c ||
		region == REGION_MPI_Recv_init || region == REGION_MPI_Recv_init_c ||
		region == REGION_MPI_Precv_init;
}

static int is_io(unsigned region)
{
	return region && strncmp(names[region], "MPI_File_i", 10) == 0;
}

/*
 * Bytes, source and tag only where they mean something: of MPI_Isendrecv MPICH gives none.
 */
static void done_print(const uint64_t *w, uint32_t n, int wide)
{
	for (uint32_t i = 0; i < n; i++, w += wide ? 2 : 1) {
		unsigned region = flight_end((uint32_t)w[0]);

		printf(" [%s", region ? strchr(names[region], '_') + 1 : "?");
		if (is_receive(region) || is_io(region))
			printf(" %d", high(w[0]));
		if (is_receive(region) && wide && high(w[0]) != -1)
			printf(" from %d tag %d", low(w[1]), high(w[1]));
		printf("]");
	}
}

static const char *posted(uint32_t number)
{
	return number ? "posted" : "done";
}

static void record_print(const uint64_t *w)
{
	static int is_continued;
	uint32_t a = spool_a(w[0]), number = 0;
	unsigned region = spool_region(w[0]), type = spool_type(w[0]);

	if (!is_continued)
		printf("%d %s ", rank, names[region]);
	is_continued = 0;
	switch (type) {
	case SPOOL_CALL: printf("call comm %u", a); break;
	case SPOOL_P2P:
		number = (uint32_t)high(w[4]);
		printf("comm %u peer %d tag %d bytes %u %s", a, low(w[3]), high(w[3]),
			(uint32_t)w[4], posted(number));
		break;
	case SPOOL_STARTED:
		if (spool_words(w[2]) > 6) {
			number = (uint32_t)high(w[5]);
			printf("comm %u sent %" PRIu64 " received %" PRIu64
			       " root %d start %d of %d",
				a, w[3], w[4], low(w[5]), low(w[6]), high(w[6]));
			break;
		} /* FALLTHROUGH */
	case SPOOL_P2P_LONG:
		number = (uint32_t)w[5];
		printf("comm %u peer %d tag %d bytes %" PRIu64 " %s", a, low(w[3]), high(w[3]),
			w[4], type == SPOOL_STARTED ? "started" : posted(number));
		break;
	case SPOOL_SENDRECV:
		printf("comm %u to %d tag %d bytes %" PRIu64 " from %d tag %d bytes %" PRIu64, a,
			low(w[3]), high(w[3]), w[4], low(w[5]), high(w[5]), w[6]);
		if (spool_words(w[2]) > 7) {
			number = (uint32_t)w[7];
			printf(" posted");
		}
		break;
	case SPOOL_COLL:
		printf("comm %u sent %" PRIu64 " received %" PRIu64 " root -1", a, w[3], w[3]);
		break;
	case SPOOL_COLL_FULL:
		number = (uint32_t)high(w[5]);
		printf("comm %u sent %" PRIu64 " received %" PRIu64 " root %d", a, w[3], w[4],
			low(w[5]));
		break;
	case SPOOL_DONE_MORE:
		done_print(w + 3, a, 1);
		is_continued = 1;
		return;
	case SPOOL_DONE:
	case SPOOL_DONE_SHORT: done_print(w + 3, a, type == SPOOL_DONE); break;
	case SPOOL_RMA:
		number = (uint32_t)high(w[3]);
		printf("window %u target %d bytes %" PRIu64, a, low(w[3]), w[4]);
		if (spool_words(w[2]) > 5 && (int)low(w[3]) >= 0)
			printf(" returned %" PRIu64, w[5]);
		break;
	case SPOOL_IO_PLAIN: printf("file %d bytes %" PRId64, file_number(a), (int64_t)w[3]); break;
	case SPOOL_IO_LONG:
		number = spool_words(w[2]) > 5 ? (uint32_t)w[5] : 0;
		printf("file %d bytes %" PRId64 " offset %" PRId64, file_number(a), (int64_t)w[3],
			(int64_t)w[4]);
		break;
	default: printf("type %u", type);
	}
	flight_begin(number, region);
	printf("\n");
}

/* All records of a process, in the order in which calls ended. */
#define RECORDS_MAX (1 << 20)
static const uint64_t *records[RECORDS_MAX];
static int nrecords;

static void thread_read(const char *file, size_t size)
{
	const uint64_t *w = (const uint64_t *)(file + SPOOL_HEAD_SIZE);
	const uint64_t *end = (const uint64_t *)(file + size);

	while (w + 3 <= end && w[0]) {
		if (spool_type(w[0]) == SPOOL_PAD) {
			w += spool_a(w[0]) / 8;
			continue;
		}
		if (region_class(spool_region(w[0])) == REGION_CLASS_MPI && nrecords < RECORDS_MAX)
			records[nrecords++] = w;
		w += spool_words(w[2]);
	}
}

static int record_compare(const void *a, const void *b)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;
	uint64_t ends_x = x[1] + spool_duration(x[2]), ends_y = y[1] + spool_duration(y[2]);

	if (ends_x != ends_y)
		return ends_x < ends_y ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void records_print(void)
{
	qsort(records, (size_t)nrecords, sizeof(records[0]), record_compare);
	for (int i = 0; i < nrecords; i++)
		record_print(records[i]);
	nrecords = nflights = 0;
}

static void comm_print(const struct spool_def *def, const struct spool_def_comm *comm)
{
	const struct spool_run *run = (const struct spool_run *)(comm + 1);
	uint32_t in_run = 0;

	if (comm->kind == COMM_WORLD)
		rank = comm->rank;
	printf("%d def comm %u kind %u parent %u rank %d creation %x members", rank, def->id,
		comm->kind, comm->parent, comm->rank, comm->creation);
	for (uint32_t i = 0; i < comm->size + comm->nremote; i++) {
		printf("%s%d", i == comm->size ? " | " : " ",
			(int)(run->first + in_run * run->step));
		if (++in_run == run->n) {
			run++;
			in_run = 0;
		}
	}
	printf("\n");
}

static void definitions_print(const char *file, size_t size)
{
	const char *at = file;

	while (at + sizeof(struct spool_def) <= file + size) {
		const struct spool_def *def = (const struct spool_def *)at;
		const char *text = at + def->size - (def->text + 7) / 8 * 8;

		if (def->size < sizeof(*def) || at + def->size > file + size)
			return;
		if (def->type == DEF_COMM)
			comm_print(def, (const struct spool_def_comm *)(def + 1));
		else if (def->type == DEF_COMM_NAME)
			printf("%d def name %u %.*s\n", rank, def->id, (int)def->text, text);
		else if (def->type == DEF_COMM_FREE)
			printf("%d def free %u\n", rank, def->id);
		else if (def->type == DEF_WINDOW)
			printf("%d def window %u comm %" PRIu64 "\n", rank, def->id,
				*(const uint64_t *)(def + 1));
		else if (def->type == DEF_HANDLE && nfiles < FILES_MAX &&
			((const struct spool_def_handle *)(def + 1))->kind == HANDLE_MPI_FILE)
			printf("%d def file %.*s\n", rank, (int)def->text, text),
				files[nfiles++] = def->id;
		else if (def->type == DEF_PROPERTY &&
			memmem(text, def->text, "process.mpi_library", 19))
			printf("%d def library %.*s\n", rank, (int)def->text - 20, text + 20);
		at += def->size;
	}
}

int main(int argc, char **argv)
{
	char name[32];
	const char *file;
	size_t size = 0;

	for (int i = 1; i < argc; i++) {
		rank = -1;
		nfiles = 0;
		file = file_map(argv[i], "process", &size);
		if (!file)
			return 1;
		definitions_print(file, size);
		for (int n = 0; n < 256; n++) {
			snprintf(name, sizeof(name), "thread.%d", n);
			file = file_map(argv[i], name, &size);
			if (file)
				thread_read(file, size);
		}
		records_print();
	}
	return 0;
}

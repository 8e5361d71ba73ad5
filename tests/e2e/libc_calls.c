/*
 * libc_calls.c - moves known numbers of bytes by libc's less common calls, each on a separate file
 * in the working folder, and prints "FILE read written" for each.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

static char data[4000];

static void expect(const char *file, int read, int written)
{
	fprintf(stderr, "%s %d %d\n", file, read, written);
}

static int file_open(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		err(1, "%s", name);
	return fd;
}

static FILE *stream_open(const char *name, const char *mode)
{
	FILE *fp = fopen(name, mode);

	if (!fp)
		err(1, "%s", name);
	return fp;
}

static ssize_t aio_wait(struct aiocb *cb)
{
	const struct aiocb *list[] = { cb };

	while (aio_error(cb) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	return aio_return(cb);
}

static void asynchronous(void)
{
	int fd = file_open("aio");
	struct aiocb cb = { .aio_fildes = fd, .aio_buf = data, .aio_nbytes = 1000 };
	struct aiocb more = { .aio_fildes = fd,
		.aio_buf = data,
		.aio_nbytes = 500,
		.aio_offset = 1000,
		.aio_lio_opcode = LIO_WRITE };
	struct aiocb *list[] = { &more };

	if (aio_write(&cb) || aio_wait(&cb) != 1000)
		err(1, "aio_write");
	if (lio_listio(LIO_WAIT, list, 1, NULL) || aio_return(&more) != 500)
		err(1, "lio_listio");
	cb.aio_nbytes = 700;
	if (aio_read(&cb) || aio_wait(&cb) != 700)
		err(1, "aio_read");
	close(fd);
	expect("aio", 700, 1500);
}

static void list_print(int fd, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vdprintf(fd, format, list);
	va_end(list);
}

static void formats(void)
{
	int fd = file_open("dprintf"), number, other;
	FILE *fp;
	char word[100];

	dprintf(fd, "%d\n", 12345);
	list_print(fd, "%s", "abc");
	close(fd);
	expect("dprintf", 0, 9);

	fp = stream_open("scanf", "w+");
	for (int i = 0; i < 2000; i++)
		fputs_unlocked("1234 ", fp);
	rewind(fp);
	for (int i = 0; i < 1999; i++)
		if (fscanf(fp, "%d", &number) != 1 || number != 1234)
			errx(1, "fscanf");
	if (fscanf(fp, "%99s%n", word, &other) != 1)
		errx(1, "fscanf");
	fclose(fp);
	/* the last space stays */
	expect("scanf", 9999, 10000);
}

static void lines(void)
{
	FILE *fp = stream_open("lines", "w+");
	char line[100], *longer = NULL;
	wchar_t wide[100];
	size_t room = 0;

	fputs_unlocked("first\nsecond\nthird\n", fp);
	fflush_unlocked(fp);
	rewind(fp);
	if (!fgets_unlocked(line, 100, fp) || getline(&longer, &room, fp) != 7)
		errx(1, "fgets_unlocked");
	free(longer);
	fclose(fp);
	expect("lines", 13, 19);

	fp = stream_open("wide", "w+");
	fputws(L"gr\u00fc\u00dfe\n", fp);
	fwprintf(fp, L"%d\n", 77);
	rewind(fp);
	if (!fgetws(wide, 100, fp) || wcslen(wide) != 6)
		errx(1, "fgetws");
	fclose(fp);
	expect("wide", 8, 11);

	if (!freopen("stdout", "w", stdout))
		err(1, "freopen");
	printf("%s\n", "ten bytes");
	puts("11 bytes..");
	fclose(stdout);
	expect("stdout", 0, 21);
}

static void temporary(void)
{
	char name[] = "temporaryXXXXXX.part";
	int fd = mkostemps(name, 5, O_CLOEXEC);

	if (fd < 0 || write(fd, data, 300) != 300)
		err(1, "mkostemps");
	flock(fd, LOCK_EX);
	close(fd);
	expect(name, 0, 300);
}

static void messages(void)
{
	int ends[2], pipes[2], fd = file_open("tee");
	struct iovec part = { data, 600 };
	struct mmsghdr out[2] = { { .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } },
		{ .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } } };

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) || sendmmsg(ends[0], out, 2, 0) != 2 ||
		recvmmsg(ends[1], out, 2, MSG_DONTWAIT, NULL) != 2)
		err(1, "sendmmsg");
	if (pipe(pipes) || vmsplice(pipes[1], &part, 1, 0) != 600 ||
		splice(pipes[0], NULL, fd, NULL, 600, 0) != 600)
		err(1, "vmsplice");
	close(fd);
	expect("tee", 0, 600);
	fprintf(stderr, "socket 1200 1200\n");
}

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	asynchronous();
	formats();
	lines();
	temporary();
	messages();
	return 0;
}

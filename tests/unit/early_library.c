/*
 * early_library.c - a library with a constructor that makes a thread-specific value and reads a
 * file, as libraries of sanitizers and linear algebra do. It runs before the constructor of a
 * preloaded library. `early_kept` is true while the value is unchanged.
 */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

int early_kept(void);

static pthread_key_t key;
static int value;

__attribute__((constructor)) static void early(void)
{
	char byte;
	int fd;

	pthread_key_create(&key, NULL);
	pthread_setspecific(key, &value);
	fd = open("/proc/self/status", O_RDONLY);
	if (fd >= 0) {
		if (read(fd, &byte, 1) < 0)
			value = 1;
		close(fd);
	}
}

int early_kept(void)
{
	return pthread_getspecific(key) == &value && value == 0;
}

/*
 * early_patch.c - a library with a constructor that writes over libc's munmap and madvise, as UCX
 * does to learn of unmapped memory: here with a trap, and for a third of a second in which the
 * recording library's thread begins its work. That thread must not come by there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int early_kept(void);

static int is_patched;

/* The instruction that traps, or the original one. */
static void poke(unsigned char *code, unsigned char byte)
{
	uintptr_t page = (uintptr_t)code & ~(uintptr_t)4095;

	if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
		*code = byte;
	mprotect((void *)page, 4096, PROT_READ | PROT_EXEC);
}

__attribute__((constructor)) static void patch(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	unsigned char *unmap = libc ? dlsym(libc, "munmap") : NULL;
	unsigned char *advise = libc ? dlsym(libc, "madvise") : NULL;
	unsigned char old_unmap, old_advise;
	char byte;
	int fd;

	if (!unmap || !advise)
		return;
	old_unmap = *unmap;
	old_advise = *advise;
	poke(unmap, 0xcc);
	poke(advise, 0xcc);
	is_patched = *unmap == 0xcc && *advise == 0xcc;
	fd = open("/proc/self/status", O_RDONLY); /* what begins the recording */
	is_patched &= fd >= 0 && read(fd, &byte, 1) == 1;
	close(fd);
	usleep(300000);
	poke(unmap, old_unmap);
	poke(advise, old_advise);
}

int early_kept(void)
{
	return is_patched;
}

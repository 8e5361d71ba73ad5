/*
 * vfork.c - which of the two sides of a vfork a thread is on. The child works in its parent's memory, with
 * the thread's variables, and only its number differs. Asking for that is a system call, so it is asked
 * only once the thread has called vfork, until it turns out to be the parent again.
 */
#include "config.h"

#include <errno.h>

#include "core/known.h"
#include "core/process.h"
#include "core/real.h"
#include "core/sys.h"

#if defined(__x86_64__) || defined(__aarch64__)
#define CALLED __attribute__((visibility("hidden"), used)) /* by the assembly */

__thread uint8_t tacho_vforked CALLED __attribute__((tls_model("initial-exec")));
CALLED void *tacho_vfork_find(void);

void *tacho_vfork_find(void)
{
	static void *_Atomic found;
	int saved = errno;

	tacho_vforked = 1;
	if (!atomic_load(&found))
		atomic_store(&found, real_libc("vfork"));
	errno = saved;
	return atomic_load(&found);
}

/* In assembler, as it must leave no frame: both sides return from here. */
__asm__(".text\n"
	".globl tacho_wrap_vfork\n"
	".hidden tacho_wrap_vfork\n"
	".type tacho_wrap_vfork, @function\n"
	"tacho_wrap_vfork:\n"
	"	.cfi_startproc\n"
#if defined(__x86_64__)
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call tacho_vfork_find\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jmp *%rax\n"
#else
	"	stp x29, x30, [sp, #-16]!\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset x29, -16\n"
	"	.cfi_offset x30, -8\n"
	"	mov x29, sp\n"
	"	bl tacho_vfork_find\n"
	"	mov x16, x0\n"
	"	ldp x29, x30, [sp], #16\n"
	"	.cfi_restore x29\n"
	"	.cfi_restore x30\n"
	"	.cfi_def_cfa_offset 0\n"
	"	br x16\n"
#endif
	"	.cfi_endproc\n"
	".size tacho_wrap_vfork, . - tacho_wrap_vfork\n");

bool vfork_is_over(void)
{
	if (likely(!tacho_vforked))
		return true;
	if (tacho_process.pid != sys_pid())
		return false;
	tacho_vforked = 0;
	return true;
}
#else
bool vfork_is_over(void)
{
	return tacho_process.pid == sys_pid();
}
#endif

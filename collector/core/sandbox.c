/*
 * sandbox.c - see sandbox.h. Recording ends before the call that locks the program in: a filter may
 * kill for any system call, strict mode does for all but four, and after PR_SET_TSC reading the time
 * stamp counter is a fault.
 */
#include "config.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "core/gate.h"
#include "core/helper.h"
#include "core/process.h"
#include "core/real.h"
#include "core/rule.h"
#include "core/sandbox.h"
#include "core/sys.h"

/* A child made by vfork works in its parent's memory, where nothing is to end. */
static bool borrows_memory(void)
{
	return tacho_process.is_open && tacho_process.pid != sys_pid() &&
		atomic_load(tacho_gate) != GATE_UNDECIDED;
}

static void enter(const char *what)
{
	int saved = errno;

	if (sandbox_is_on() || borrows_memory())
		return;
	if (tacho_process.is_open && tacho_process.pid == sys_pid()) {
		gate_close();
		say_once(SAY_SANDBOX, "recording of process %u ends, as it %s", tacho_process.pid,
			what);
		helper_stop();
		process_lose(LOSS_SANDBOX);
		process_end(END_EXIT, 0);
	} else if (join_would()) {
		say_start();
		say_once(SAY_SANDBOX, "%s is not recorded, as it %s", program_invocation_short_name,
			what);
	}
	gate_close();
	tacho_sandboxed = true;
	errno = saved;
}

/* Calls that only ask whether there is seccomp fail, and lock nothing in. */
static void look_seccomp(unsigned long mode, unsigned long flags, unsigned long filter)
{
	if ((mode == SECCOMP_SET_MODE_STRICT && !flags) ||
		(mode == SECCOMP_SET_MODE_FILTER && filter))
		enter("limits its system calls (seccomp)");
}

static void look_prctl(unsigned long option, unsigned long value, unsigned long filter)
{
	if (option == PR_SET_SECCOMP && value == SECCOMP_MODE_STRICT)
		look_seccomp(SECCOMP_SET_MODE_STRICT, 0, 0);
	if (option == PR_SET_SECCOMP && value == SECCOMP_MODE_FILTER)
		look_seccomp(SECCOMP_SET_MODE_FILTER, 0, filter);
	if (option == PR_SET_TSC && value == PR_TSC_SIGSEGV)
		enter("forbids itself the time stamp counter (PR_SET_TSC)");
}

HIDDEN void sandbox_look(long number, unsigned long a, unsigned long b, unsigned long c);

void sandbox_look(long number, unsigned long a, unsigned long b, unsigned long c)
{
	if (number == SYS_prctl)
		look_prctl(a, b, c);
	else
		look_seccomp(a, b, c);
}

TACHO_WRAP(prctl)
int prctl(int option, ...)
{
	unsigned long a[4];
	va_list args;

	va_start(args, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(args, unsigned long);
	va_end(args);
	look_prctl((unsigned long)option, a[0], a[1]);
	return (int)syscall(SYS_prctl, option, a[0], a[1], a[2], a[3]);
}

#if defined(__x86_64__)
/*
 * libc's own system call, with a check for two of the numbers. In assembler, as it must leave no
 * frame: a task that SYS_clone makes returns from here on its own stack.
 */
__asm__(".text\n"
	".globl tacho_wrap_syscall\n"
	".hidden tacho_wrap_syscall\n"
	".type tacho_wrap_syscall, @function\n"
	"tacho_wrap_syscall:\n"
	"	.cfi_startproc\n"
	"	cmpq $157, %rdi\n"
	"	je 2f\n"
	"	cmpq $317, %rdi\n"
	"	je 2f\n"
	"1:	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	movq %rcx, %rdx\n"
	"	movq %r8, %r10\n"
	"	movq %r9, %r8\n"
	"	movq 8(%rsp), %r9\n"
	"	syscall\n"
	"	cmpq $-4095, %rax\n"
	"	jae 3f\n"
	"	ret\n"
	"2:	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rdx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rcx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r8\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r9\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call sandbox_look\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r9\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r8\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rcx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jmp 1b\n"
	"3:	negl %eax\n"
	"	pushq %rax\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call *__errno_location@GOTPCREL(%rip)\n"
	"	popq %rdx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	movl %edx, (%rax)\n"
	"	movq $-1, %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size tacho_wrap_syscall, . - tacho_wrap_syscall\n");
_Static_assert(SYS_prctl == 157 && SYS_seccomp == 317, "the numbers in the code above");
#else
long syscall(long number, ...)
{
	__typeof__(&syscall) real = (__typeof__(&syscall))real_libc("syscall");
	unsigned long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, unsigned long);
	va_end(args);
	if (number == SYS_prctl || number == SYS_seccomp)
		sandbox_look(number, a[0], a[1], a[2]);
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
#endif

static long filters_at_start;

/*
 * Counts the filters on this process; before Linux 5.9 whether there are any. A filter could kill a
 * task, and a descriptor in the program's table must not meet its threads: so the program asks
 * while it is loaded, and only in a run that is under filters itself.
 */
__attribute__((constructor)) static void filters_count(void)
{
	const char *known = getenv("TACHO_FILTERS");
	char text[4096], *at;
	ssize_t n;
	int fd;

	if (!getenv("TACHO_DIR") || !known || syscall(SYS_prctl, PR_GET_SECCOMP) <= 0)
		return;
	filters_at_start = 1;
	if (strtol(known, NULL, 10) < 1)
		return;
	fd = sys_open("/proc/self/status", O_RDONLY, 0);
	n = fd < 0 ? 0 : sys_read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		sys_close(fd);
	text[n < 0 ? 0 : n] = '\0';
	at = strstr(text, "Seccomp_filters:");
	if (!at)
		at = strstr(text, "Seccomp:");
	filters_at_start = at ? strtol(strchr(at, ':') + 1, NULL, 10) : 0;
}

bool sandbox_inherited(void)
{
	static _Atomic bool looked;
	const char *known = getenv("TACHO_FILTERS");
	int saved = errno, tsc = PR_TSC_ENABLE;

	if (sandbox_is_on() || atomic_exchange(&looked, true))
		return sandbox_is_on();
	if (known && filters_at_start > strtol(known, NULL, 10))
		enter("began with limits to its system calls (seccomp)");
	else if (!syscall(SYS_prctl, PR_GET_TSC, &tsc) && tsc == PR_TSC_SIGSEGV)
		enter("began without the time stamp counter (PR_SET_TSC)");
	errno = saved;
	return sandbox_is_on();
}

/*
 * dlsym.c - programs that find NCCL at run time (JAX and XLA, XGBoost, ctypes) get the wrappers,
 * and so do profilers that find CUPTI (cupti-python, Proton, FlashInfer's benchmarks):
 * cuda_rivals.c. Python's lookups of the begin of an extension module show that it has PyTorch
 * (torch_import.c).
 *
 * RATIONALE: RTLD_NEXT and RTLD_DEFAULT mean something else for every caller, and the loader knows
 * its caller by the return address. So names that are not ours must reach the loader's dlsym by a
 * jump, with an unchanged stack. A C compiler makes such a jump only when it optimises, hence the
 * assembly; it touches nothing but the first bytes of the name before it jumps on. Only names of
 * the table nccl_calls.def, of cuda_rivals.c and PyInit__C are ours; the library in which NCCL's
 * are looked up decides which NCCL they represent. RTLD_NEXT stays the loader's: its caller wraps
 * NCCL itself, and finds the next wrapper as without us.
 */
#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "core/dlsym.h"
#include "core/source.h"

/* For the assembly. */
#define CALLED __attribute__((visibility("hidden"), used))

/* The loader's dlsym; NULL until the first call. */
void *tacho_dlsym_next HIDDEN;
CALLED void *tacho_dlsym_find(void);
CALLED struct dlsym_answer tacho_dlsym_ours(void *handle, const char *name);

/* Finds it: the version of this libc that this machine's programs are linked with. */
void *tacho_dlsym_find(void)
{
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17" };
	void *found = NULL;

	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions) && !found; i++)
		found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	__atomic_store_n(&tacho_dlsym_next, found, __ATOMIC_RELAXED);
	return found;
}

void *dlsym_real(void *handle, const char *name)
{
	void *(*real)(void *, const char *) = __atomic_load_n(&tacho_dlsym_next, __ATOMIC_RELAXED);
	void *volatile found; /* no tail call */

	if (!real)
		real = tacho_dlsym_find();
	found = real(handle, name);
	return found;
}

bool dlsym_is_ours(void *symbol)
{
	Dl_info where, self;

	return dladdr(symbol, &where) && dladdr((void *)&tacho_dlsym_find, &self) &&
		where.dli_fbase == self.dli_fbase;
}

/* A name that begins with nccl, cupt or PyI, looked up in an object, or everywhere. */
struct dlsym_answer tacho_dlsym_ours(void *handle, const char *name)
{
	struct dlsym_answer answer = { .is_final = 0 };

	if (atomic_load_explicit(tacho_gate, memory_order_relaxed) == GATE_CLOSED)
		return answer;
	FOR_SOURCES (source) {
		if (source->lookup)
			answer = source->lookup(handle, name);
		if (answer.is_final)
			break;
	}
	return answer;
}

#if defined(__x86_64__)
__asm__(".text\n"
	".globl dlsym\n"
	".type dlsym, @function\n"
	".p2align 4\n"
	"dlsym:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	test	%rsi, %rsi\n"
	"	jz	1f\n"
	"	cmpb	$'P', (%rsi)\n"
	"	jne	5f\n"
	"	cmpb	$'y', 1(%rsi)\n"
	"	jne	1f\n"
	"	cmpb	$'I', 2(%rsi)\n"
	"	jne	1f\n"
	"	jmp	4f\n"
	"5:	cmpb	$'n', (%rsi)\n"
	"	jne	3f\n"
	"	cmpb	$'c', 1(%rsi)\n"
	"	jne	1f\n"
	"	cmpb	$'c', 2(%rsi)\n"
	"	jne	1f\n"
	"	cmpb	$'l', 3(%rsi)\n"
	"	jne	1f\n"
	"	jmp	4f\n"
	"3:	cmpb	$'c', (%rsi)\n"
	"	jne	1f\n"
	"	cmpb	$'u', 1(%rsi)\n"
	"	jne	1f\n"
	"	cmpb	$'p', 2(%rsi)\n"
	"	jne	1f\n"
	"	cmpb	$'t', 3(%rsi)\n"
	"	jne	1f\n"
	"4:	cmp	$-1, %rdi\n" /* RTLD_NEXT */
	"	je	1f\n"
	"	sub	$24, %rsp\n"
	"	.cfi_adjust_cfa_offset 24\n"
	"	mov	%rdi, (%rsp)\n"
	"	mov	%rsi, 8(%rsp)\n"
	"	call	tacho_dlsym_ours\n"
	"	mov	(%rsp), %rdi\n"
	"	mov	8(%rsp), %rsi\n"
	"	add	$24, %rsp\n"
	"	.cfi_adjust_cfa_offset -24\n"
	"	test	%rdx, %rdx\n"
	"	jz	1f\n"
	"	ret\n"
	"1:	mov	tacho_dlsym_next(%rip), %rax\n"
	"	test	%rax, %rax\n"
	"	jz	2f\n"
	"	jmp	*%rax\n"
	"2:	sub	$24, %rsp\n"
	"	.cfi_adjust_cfa_offset 24\n"
	"	mov	%rdi, (%rsp)\n"
	"	mov	%rsi, 8(%rsp)\n"
	"	call	tacho_dlsym_find\n"
	"	mov	(%rsp), %rdi\n"
	"	mov	8(%rsp), %rsi\n"
	"	add	$24, %rsp\n"
	"	.cfi_adjust_cfa_offset -24\n"
	"	jmp	*%rax\n"
	"	.cfi_endproc\n"
	"	.size dlsym, . - dlsym\n");
#else
/* Elsewhere the compiler makes the jump: the test collector_dlsym notices if it does not. */
__attribute__((optimize("O2"))) TACHO_EXPORT void *dlsym(void *restrict handle,
	const char *restrict name)
{
	void *(*real)(void *, const char *) = __atomic_load_n(&tacho_dlsym_next, __ATOMIC_RELAXED);
	const char *asked = name;

	/* a name that is not there is for libc to refuse; its header states that there is one */
	__asm__("" : "+r"(asked));
	if (asked &&
		(!strncmp(asked, "nccl", 4) || !strncmp(asked, "cupt", 4) ||
			!strncmp(asked, "PyI", 3)) &&
		handle != RTLD_NEXT) {
		struct dlsym_answer answer = tacho_dlsym_ours(handle, name);

		if (answer.is_final)
			return answer.symbol;
	}
	if (!real)
		real = tacho_dlsym_find();
	return real(handle, name);
}
#endif

/*
 * dlsym.c - programs that look NCCL up by themselves (JAX and XLA, XGBoost,
 * ctypes) get the wrappers, too.
 *
 * RATIONALE: RTLD_NEXT and RTLD_DEFAULT mean something else for every caller,
 * and the loader knows its caller by the return address. So what is not ours
 * must reach the loader's dlsym by a jump with the stack as it came in. A C
 * compiler makes such a jump only when it optimises, hence the assembly; it
 * touches nothing but the first bytes of the name before it jumps on. Only
 * names of the table nccl_calls.def are ours; what they are looked up in
 * decides which NCCL they stand for. RTLD_NEXT never is: whoever asks for it
 * wraps NCCL himself and finds the next one behind him, as without us.
 */
#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "core/dlsym.h"
#include "nccl/nccl.h"

/* In two registers: the symbol, and whether it is the answer. */
struct dlsym_answer {
	void *symbol;
	uint64_t is_final;
};

/* For the assembly. */
#define CALLED __attribute__((visibility("hidden"), used))

/* The loader's dlsym; NULL until the first call. */
void *tacho_dlsym_next HIDDEN;
CALLED void *tacho_dlsym_find(void);
CALLED struct dlsym_answer tacho_dlsym_nccl(void *handle, const char *name);

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

static bool is_ours(void *symbol)
{
	Dl_info where, self;

	return dladdr(symbol, &where) && dladdr((void *)&tacho_dlsym_find, &self) &&
		where.dli_fbase == self.dli_fbase;
}

/*
 * A name that begins with nccl, looked up in an object, or everywhere. Where
 * the wrapper itself is found there may be nothing after it: then the answer
 * is that there is no such function.
 */
struct dlsym_answer tacho_dlsym_nccl(void *handle, const char *name)
{
	static const struct dlsym_answer not_ours;
	unsigned region = nccl_region(name);
	struct nccl_library *library;
	void *found;

	if (!region || atomic_load_explicit(tacho_gate, memory_order_relaxed) == GATE_CLOSED)
		return not_ours;
	found = dlsym_real(handle, name);
	if (!found)
		return not_ours; /* asked again, it says so to the program */
	library = is_ours(found) ? nccl_library_of(region, NULL) : nccl_library_at(found);
	if (!library)
		return is_ours(found) ? (struct dlsym_answer){ .is_final = 1 } : not_ours;
	if (!nccl_real(library, region))
		return (struct dlsym_answer){ .is_final = 1 };
	return (struct dlsym_answer){ nccl_wrapper(region, library), 1 };
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
	"	cmpb	$'n', (%rsi)\n"
	"	jne	1f\n"
	"	cmpb	$'c', 1(%rsi)\n"
	"	jne	1f\n"
	"	cmpb	$'c', 2(%rsi)\n"
	"	jne	1f\n"
	"	cmpb	$'l', 3(%rsi)\n"
	"	jne	1f\n"
	"	cmp	$-1, %rdi\n" /* RTLD_NEXT */
	"	je	1f\n"
	"	sub	$24, %rsp\n"
	"	.cfi_adjust_cfa_offset 24\n"
	"	mov	%rdi, (%rsp)\n"
	"	mov	%rsi, 8(%rsp)\n"
	"	call	tacho_dlsym_nccl\n"
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

	/* a name that is not there is for libc to refuse; its header says that there is one */
	__asm__("" : "+r"(asked));
	if (asked && !strncmp(asked, "nccl", 4) && handle != RTLD_NEXT) {
		struct dlsym_answer answer = tacho_dlsym_nccl(handle, name);

		if (answer.is_final)
			return answer.symbol;
	}
	if (!real)
		real = tacho_dlsym_find();
	return real(handle, name);
}
#endif

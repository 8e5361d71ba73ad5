/*
 * entry.c - see entry.h. Which definition comes next is asked at the first call of a name. The
 * answer is one byte, which each call compares; the jumps leave registers and stack as they came in,
 * so whatever arguments the other function takes reach it.
 *
 * RATIONALE: indirect functions (STT_GNU_IFUNC) would cost a call nothing, but are resolved while
 * libraries are relocated, where nothing can be looked up yet. Writing a jump over the wrapper needs
 * text that may be written.
 */
#include "config.h"

#include <errno.h>

#include "core/entry.h"
#include "core/real.h"

#if defined(__x86_64__) || defined(__aarch64__)

#define CALLED __attribute__((visibility("hidden"), used)) /* by the assembly */

enum { IN_TABLES = REGION_CUDA_FIRST_ - REGION_IO_FIRST_ }; /* of I/O and of waiting */

enum other {
	OTHER_BEFORE = IN_TABLES - 1,
#define ENTRY(name) OTHER_##name,
	ENTRY_OTHERS(ENTRY)
#undef ENTRY
		ENTRIES
};

enum kind { KIND_UNKNOWN, KIND_OURS, KIND_FOREIGN };

/* By the number of the name: tables, then others. */
uint8_t tacho_entry_kind[ENTRIES] HIDDEN;
void *tacho_entry_foreign[ENTRIES] HIDDEN;
extern const int32_t tacho_entry_wrappers[ENTRIES] HIDDEN; /* where they are from here */

CALLED void *tacho_entry_find(unsigned entry);

static const char *name_of(unsigned entry)
{
	static const char *const others[] = {
#define ENTRY(name) #name,
		ENTRY_OTHERS(ENTRY)
#undef ENTRY
	};

	return entry < IN_TABLES ? region_name(REGION_IO_FIRST_ + entry)
				 : others[entry - IN_TABLES];
}

static void *wrapper_of(unsigned entry)
{
	return (char *)(uintptr_t)tacho_entry_wrappers + tacho_entry_wrappers[entry];
}

/* Looks the name up. Returns what the call jumps to. */
static void *entry_look(unsigned entry)
{
	int saved = errno;
	void *foreign = real_foreign(name_of(entry));

	if (foreign)
		__atomic_store_n(&tacho_entry_foreign[entry], foreign, __ATOMIC_RELAXED);
	__atomic_store_n(&tacho_entry_kind[entry], foreign ? KIND_FOREIGN : KIND_OURS,
		__ATOMIC_RELEASE);
	errno = saved;
	return foreign ? foreign : wrapper_of(entry);
}

/* Allocators map while the loader holds its locks, so these two are looked up at the start only. */
#define IS_MAPPING(entry)                                                                          \
	((entry) == REGION_mmap - REGION_IO_FIRST_ || (entry) == REGION_mmap64 - REGION_IO_FIRST_)

void *tacho_entry_find(unsigned entry)
{
	return IS_MAPPING(entry) ? wrapper_of(entry) : entry_look(entry);
}

/* Those by which signal handlers leave as well: they may have interrupted the loader. */
__attribute__((constructor)) static void early_look(void)
{
	for (unsigned entry = OTHER_longjmp; entry <= OTHER___longjmp_chk; entry++)
		entry_look(entry);
	entry_look(REGION_mmap - REGION_IO_FIRST_);
	entry_look(REGION_mmap64 - REGION_IO_FIRST_);
}

#define CALL(name, ...) ENTRY(name)
#define ENTRY(name)	"	.long tacho_wrap_" #name " - tacho_entry_wrappers\n"
__asm__(".pushsection .rodata\n"
	".p2align 2\n"
	".globl tacho_entry_wrappers\n"
	".hidden tacho_entry_wrappers\n"
	"tacho_entry_wrappers:\n"
#include "tacho/io_calls.def"
#include "tacho/wait_calls.def"
	ENTRY_OTHERS(ENTRY) ".popsection\n");
#undef ENTRY

#define EXPORTED(name)	   ".globl " #name "\n.type " #name ", @function\n.p2align 4\n" #name ":\n"
#define EXPORTED_END(name) ".size " #name ", . - " #name "\n.set tacho_entry_n, tacho_entry_n + 1\n"

#if defined(__x86_64__)
/* %r11 belongs to nobody at the begin of a function; %rax has the number of vector arguments. */
#define ENTRY(name)                                                                                \
	EXPORTED(name)                                                                             \
	"	cmpb $1, tacho_entry_kind + tacho_entry_n(%rip)\n"                                       \
	"	jne 1f\n"                                                                                \
	"	jmp tacho_wrap_" #name "\n"                                                        \
	"1:	movl $tacho_entry_n, %r11d\n"                                                          \
	"	jmp tacho_entry_other\n" EXPORTED_END(name)

__asm__(".text\n"
	".type tacho_entry_other, @function\n"
	".p2align 4\n"
	"tacho_entry_other:\n"
	"	.cfi_startproc\n"
	"	leaq tacho_entry_kind(%rip), %r10\n"
	"	cmpb $2, (%r10,%r11)\n"
	"	jne 1f\n"
	"	leaq tacho_entry_foreign(%rip), %r10\n"
	"	jmp *(%r10,%r11,8)\n"
	"1:	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	subq $192, %rsp\n"
	"	movq %rax, -8(%rbp)\n"
	"	movq %rdi, -16(%rbp)\n"
	"	movq %rsi, -24(%rbp)\n"
	"	movq %rdx, -32(%rbp)\n"
	"	movq %rcx, -40(%rbp)\n"
	"	movq %r8, -48(%rbp)\n"
	"	movq %r9, -56(%rbp)\n"
	"	movaps %xmm0, -192(%rbp)\n"
	"	movaps %xmm1, -176(%rbp)\n"
	"	movaps %xmm2, -160(%rbp)\n"
	"	movaps %xmm3, -144(%rbp)\n"
	"	movaps %xmm4, -128(%rbp)\n"
	"	movaps %xmm5, -112(%rbp)\n"
	"	movaps %xmm6, -96(%rbp)\n"
	"	movaps %xmm7, -80(%rbp)\n"
	"	movl %r11d, %edi\n"
	"	call tacho_entry_find\n"
	"	movq %rax, %r11\n"
	"	movq -8(%rbp), %rax\n"
	"	movq -16(%rbp), %rdi\n"
	"	movq -24(%rbp), %rsi\n"
	"	movq -32(%rbp), %rdx\n"
	"	movq -40(%rbp), %rcx\n"
	"	movq -48(%rbp), %r8\n"
	"	movq -56(%rbp), %r9\n"
	"	movaps -192(%rbp), %xmm0\n"
	"	movaps -176(%rbp), %xmm1\n"
	"	movaps -160(%rbp), %xmm2\n"
	"	movaps -144(%rbp), %xmm3\n"
	"	movaps -128(%rbp), %xmm4\n"
	"	movaps -112(%rbp), %xmm5\n"
	"	movaps -96(%rbp), %xmm6\n"
	"	movaps -80(%rbp), %xmm7\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	jmp *%r11\n"
	"	.cfi_endproc\n"
	".size tacho_entry_other, . - tacho_entry_other\n");
#else
/* x16 and x17 belong to nobody at the begin of a function; x8 has the place of a large result. */
#define ENTRY(name)                                                                                \
	EXPORTED(name)                                                                             \
	"	hint #34\n" /* bti c */                                                            \
	"	adrp x16, tacho_entry_kind + tacho_entry_n\n"                                            \
	"	ldrb w16, [x16, #:lo12:tacho_entry_kind + tacho_entry_n]\n"                              \
	"	cmp w16, #1\n"                                                                           \
	"	b.ne 1f\n"                                                                               \
	"	b tacho_wrap_" #name "\n"                                                          \
	"1:	movz w17, #tacho_entry_n\n"                                                            \
	"	b tacho_entry_other\n" EXPORTED_END(name)

__asm__(".text\n"
	".type tacho_entry_other, @function\n"
	".p2align 4\n"
	"tacho_entry_other:\n"
	"	.cfi_startproc\n"
	"	adrp x16, tacho_entry_kind\n"
	"	add x16, x16, #:lo12:tacho_entry_kind\n"
	"	ldrb w16, [x16, x17]\n"
	"	cmp w16, #2\n"
	"	b.ne 1f\n"
	"	adrp x16, tacho_entry_foreign\n"
	"	add x16, x16, #:lo12:tacho_entry_foreign\n"
	"	ldr x16, [x16, x17, lsl #3]\n"
	"	br x16\n"
	"1:	stp x29, x30, [sp, #-224]!\n"
	"	.cfi_def_cfa_offset 224\n"
	"	.cfi_offset x29, -224\n"
	"	.cfi_offset x30, -216\n"
	"	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n"
	"	stp x2, x3, [sp, #32]\n"
	"	stp x4, x5, [sp, #48]\n"
	"	stp x6, x7, [sp, #64]\n"
	"	str x8, [sp, #80]\n"
	"	stp q0, q1, [sp, #96]\n"
	"	stp q2, q3, [sp, #128]\n"
	"	stp q4, q5, [sp, #160]\n"
	"	stp q6, q7, [sp, #192]\n"
	"	mov w0, w17\n"
	"	bl tacho_entry_find\n"
	"	mov x16, x0\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x2, x3, [sp, #32]\n"
	"	ldp x4, x5, [sp, #48]\n"
	"	ldp x6, x7, [sp, #64]\n"
	"	ldr x8, [sp, #80]\n"
	"	ldp q0, q1, [sp, #96]\n"
	"	ldp q2, q3, [sp, #128]\n"
	"	ldp q4, q5, [sp, #160]\n"
	"	ldp q6, q7, [sp, #192]\n"
	"	ldp x29, x30, [sp], #224\n"
	"	.cfi_def_cfa_offset 0\n"
	"	br x16\n"
	"	.cfi_endproc\n"
	".size tacho_entry_other, . - tacho_entry_other\n");
#endif

__asm__(".text\n"
	".set tacho_entry_n, 0\n"
#include "tacho/io_calls.def"
#include "tacho/wait_calls.def"
	ENTRY_OTHERS(ENTRY));

#endif

/*
 * context.c - the thread-local variable through which other profilers find the labels of a thread
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Readers find the variable by its name among the dynamic symbols, and its place in a thread by the relocation with that
 * name, which should be a TLS descriptor. So the code has one access of that kind. All others use the alias, which
 * needs no call.
 */
#include "config.h"

#include "libcpaprof/target/context.h"

#include "libcpaprof/target/target.h"

extern __thread const struct context_record *_Atomic otel_thread_ctx_v1 __attribute__((visibility("default")));
__thread const struct context_record *_Atomic otel_thread_ctx_v1;
extern __thread const struct context_record *_Atomic cpi_thread_context __attribute__((alias("otel_thread_ctx_v1")));

const struct context_record *_Atomic cpi_context_record[LABELS_ENTRIES];

/* The variable that the dynamic linker finds first: the sequence of the ABI, which compilers emit only with options. */
static const void *context_found(void)
{
	const void *at;

#if defined(__x86_64__)
	/* the call must not write to the 128 bytes below the stack pointer, which the compiler may use */
	__asm__("subq $128, %%rsp\n\t"
		"leaq otel_thread_ctx_v1@tlsdesc(%%rip), %%rax\n\t"
		"call *otel_thread_ctx_v1@TLSCALL(%%rax)\n\t"
		"addq %%fs:0, %%rax\n\t"
		"addq $128, %%rsp"
		: "=a"(at)
		:
		: "cc", "memory");
#else
	register const void *x0 __asm__("x0");

	__asm__("adrp x0, :tlsdesc:otel_thread_ctx_v1\n\t"
		"ldr x1, [x0, :tlsdesc_lo12:otel_thread_ctx_v1]\n\t"
		"add x0, x0, :tlsdesc_lo12:otel_thread_ctx_v1\n\t"
		".tlsdesccall otel_thread_ctx_v1\n\t"
		"blr x1\n\t"
		"mrs x1, tpidr_el0\n\t"
		"add x0, x1, x0"
		: "=r"(x0)
		:
		: "x1", "x30", "cc", "memory");
	at = x0;
#endif
	return at;
}

bool cpi_context_is_found(void)
{
	return context_found() == &cpi_thread_context;
}

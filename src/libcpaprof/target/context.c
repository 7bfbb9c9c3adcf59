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

extern __thread const struct context_record *_Atomic otel_thread_ctx_v1
	__attribute__((visibility("default"), tls_model("global-dynamic")));
__thread const struct context_record *_Atomic otel_thread_ctx_v1;
extern __thread const struct context_record *_Atomic cpi_thread_context __attribute__((alias("otel_thread_ctx_v1")));

const struct context_record *_Atomic cpi_context_record[LABELS_ENTRIES];

/* The variable that the dynamic linker finds first by this name. */
static const void *context_found(void)
{
#if defined(__x86_64__)
	const void *at;

	/* the sequence of the ABI for TLS descriptors, which compilers emit only with options */
	__asm__("leaq otel_thread_ctx_v1@tlsdesc(%%rip), %%rax\n\t"
		"call *otel_thread_ctx_v1@TLSCALL(%%rax)\n\t"
		"addq %%fs:0, %%rax"
		: "=a"(at)
		:
		: "cc", "memory");
	return at;
#else
	return &otel_thread_ctx_v1;
#endif
}

bool cpi_context_is_found(void)
{
	return context_found() == &cpi_thread_context;
}

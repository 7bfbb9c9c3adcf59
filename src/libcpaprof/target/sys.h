/*
 * sys.h - system calls without the C library: no errno, no cancellation, no lock
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For signal handlers, and for code that runs before the C library is ready. Each function returns what the kernel
 * returns: -errno on failure.
 */
#ifndef LIBCPAPROF_TARGET_SYS_H
#define LIBCPAPROF_TARGET_SYS_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__x86_64__)
static inline long sys_call6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return rc;
}
#elif defined(__aarch64__)
static inline long sys_call6(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}
#else
#error "the runtime supports only x86-64 and aarch64"
#endif

static inline long sys_call(long n, long a, long b, long c, long d)
{
	return sys_call6(n, a, b, c, d, 0, 0);
}

enum { SYS_MASK_SIZE = 8 }; /* bytes of the kernel's signal sets */

static inline uint32_t sys_gettid(void)
{
	return (uint32_t)sys_call(SYS_gettid, 0, 0, 0, 0);
}

static inline uint32_t sys_getpid(void)
{
	return (uint32_t)sys_call(SYS_getpid, 0, 0, 0, 0);
}

/* set and old have the kernel's format: 64 signals, signal s is bit s - 1. */
static inline long sys_mask(int how, const uint64_t *set, uint64_t *old)
{
	return sys_call(SYS_rt_sigprocmask, how, (long)set, (long)old, SYS_MASK_SIZE);
}

static inline uint64_t sys_bit(int sig)
{
	return 1ULL << (sig - 1);
}

/* Can 8 bytes at an address be read? The kernel reads a set of signals there before it refuses the unknown operation. */
static inline bool sys_is_mapped(uint64_t addr)
{
	return sys_call(SYS_rt_sigprocmask, -1, (long)addr, 0, SYS_MASK_SIZE) != -EFAULT;
}

static inline uint64_t sys_now(clockid_t clock)
{
	struct timespec now = { 0 };

	sys_call(SYS_clock_gettime, clock, (long)&now, 0, 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif

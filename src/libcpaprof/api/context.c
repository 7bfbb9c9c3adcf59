/*
 * context.c - publishes the process context in a mapping of this process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Readers are other processes, which read the header, the message and the header again. There are two buffers for
 * messages, so that a reader of the previous one finds it intact, or sees that the header has changed.
 */
#include "config.h"

#include "libcpaprof/api/context.h"

#include "libcpaprof/api/options.h"
#include "libcpaprof/collector/read/maps.h"
#include "libcpaprof/collector/read/memory.h"
#include "libcpaprof/target/context.h"
#include "libcpaprof/target/env.h"
#include "libcpaprof/target/latch.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 1000 };

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

static _Atomic bool is_off; /* nothing is published any more */
static struct latch context_latch;
/* Guarded by the latch. */
static struct context_header *header; /* NULL: not published */
static uint32_t header_pid;           /* the process that has the mapping, which fork does not copy */
static uint8_t *buffers;              /* two of CONTEXT_PAYLOAD_MAX bytes */
static unsigned n_updates;
static bool has_begun, is_held_at_fork;
static int context_cancel_before; /* cancel state of the thread that holds the latch */

/* ThreadSanitizer sees the copies of texts here, but not the latch. In other programs these functions do not exist. */
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

static void context_lock(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	latch_acquire(&context_latch);
	if (__tsan_acquire)
		__tsan_acquire(&context_latch);
	context_cancel_before = before;
}

static void context_unlock(void)
{
	int before = context_cancel_before;

	if (__tsan_release)
		__tsan_release(&context_latch);
	latch_release(&context_latch);
	pthread_setcancelstate(before, NULL);
}

/* Stop the search at a mapping with a context that is not ours. */
static bool is_no_other(void *arg, const char *line)
{
	static const char *const names[] = { ("[anon_shmem:" CONTEXT_NAME "]"), ("[anon:" CONTEXT_NAME "]"),
					     ("/memfd:" CONTEXT_NAME) };
	bool *is_alone = arg;
	struct maps_line m;

	if (!maps_parse_line(line, &m) || m.start == (uint64_t)(uintptr_t)header)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		*is_alone &= strncmp(m.path, names[i], strlen(names[i])) != 0;
	return *is_alone;
}

/* Has no other library published a context, or exported the variable of thread contexts? */
static bool context_is_alone(void)
{
	static const char path[] = "/proc/self/maps";
	int fd = (int)sys_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
	bool is_alone = cpi_context_is_found();

	if (fd < 0)
		return is_alone;
	maps_read_lines(fd, is_no_other, &is_alone);
	sys_call(SYS_close, fd, 0, 0, 0);
	return is_alone;
}

/* Withdraw everything: another library publishes, or the program wants none. */
static void context_withdraw(void)
{
	atomic_store(&is_off, true);
	context_records_withdraw();
	if (header && header_pid == sys_getpid())
		sys_call(SYS_munmap, (long)header, sizeof(*header), 0, 0);
	header = NULL;
}

/* Map memory for the header, under the name by which readers find it even on kernels that cannot name memory. */
static int map_header(void)
{
	long fd = -EPERM, at = -ENOMEM;
	struct rlimit size;

	/* a larger file would end the program with SIGXFSZ */
	if (sys_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&size) == 0 && size.rlim_cur >= sizeof(*header))
		fd = sys_call(SYS_memfd_create, (long)CONTEXT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL,
			      0, 0);
	if (fd == -EINVAL) /* before Linux 6.3 */
		fd = sys_call(SYS_memfd_create, (long)CONTEXT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0);
	if (fd >= 0 && sys_call(SYS_ftruncate, fd, sizeof(*header), 0, 0) == 0)
		at = sys_call6(SYS_mmap, 0, sizeof(*header), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	else if (fd < 0)
		at = sys_call6(SYS_mmap, 0, sizeof(*header), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);
	if (fd >= 0)
		sys_call(SYS_close, fd, 0, 0, 0);
	if (at < 0 && at > -SEGMENT_PAGE)
		return (int)at;
	if (sys_call(SYS_madvise, at, sizeof(*header), MADV_DONTFORK, 0) < 0) {
		sys_call(SYS_munmap, at, sizeof(*header), 0, 0);
		return -ENOMEM;
	}
	header = (struct context_header *)at;
	header_pid = sys_getpid();
	return 0;
}

/* Encode the message. Returns its size; 0 if it is too large. */
static size_t context_encode(uint8_t *to)
{
	struct wire w;
	size_t mark;

	wire_begin(&w, to, CONTEXT_PAYLOAD_MAX, NULL, NULL);
	mark = wire_open(&w, CONTEXT_RESOURCE);
	context_attributes_write(&w);
	wire_close(&w, mark);
	context_records_write(&w);
	return wire_end(&w) ? w.len : 0;
}

/* The order of these writes is that of the OTEP. */
static void header_write(const uint8_t *payload, size_t size)
{
	uint64_t before = atomic_load(&header->published_ns), now = sys_now(CLOCK_BOOTTIME);

	atomic_store(&header->published_ns, 0);
	atomic_thread_fence(memory_order_seq_cst);
	memcpy(header->signature, CONTEXT_NAME, sizeof(header->signature));
	header->version = CONTEXT_VERSION;
	header->payload_size = (uint32_t)size;
	header->payload = (uint64_t)(uintptr_t)payload;
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store(&header->published_ns, now > before ? now : before + 1);
	/* also for readers that trace the call, so it is repeated, and may fail */
	sys_call6(SYS_prctl, PR_SET_VMA, PR_SET_VMA_ANON_NAME, (long)header, sizeof(*header), (long)CONTEXT_NAME, 0);
}

static int context_publish(void)
{
	uint8_t *to;
	size_t size;

	if (!buffers)
		buffers = memory_map((size_t)2 * CONTEXT_PAYLOAD_MAX);
	if (!buffers)
		return -ENOMEM;
	to = buffers + (n_updates % 2) * CONTEXT_PAYLOAD_MAX;
	size = context_encode(to);
	if (size == 0)
		return -EMSGSIZE;
	if (!header && map_header() < 0)
		return -ENOMEM;
	header_write(to, size);
	n_updates++;
	return 0;
}

int context_update(void)
{
	if (header && header_pid != sys_getpid()) /* a child whose fork handlers did not run */
		header = NULL;
	if (atomic_load(&cpi.is_sandboxed))
		return -EPERM;
	if (!context_is_alone()) {
		context_withdraw();
		return -EEXIST;
	}
	return context_publish();
}

static void context_before_fork(void)
{
	is_held_at_fork = latch_acquire_within(&context_latch, LOCK_WAIT_MS * UINT64_C(1000000));
}

static void context_in_parent(void)
{
	if (is_held_at_fork)
		latch_release(&context_latch);
}

/* The child publishes its own context, if its memory is consistent. */
static void context_in_child(void)
{
	bool was_published = header != NULL;

	context_latch = (struct latch){ .state = 1 };
	header = NULL;
	if (!is_held_at_fork) {
		context_withdraw();
	} else if (was_published) {
		context_attributes_renew();
		context_publish();
	}
	latch_release(&context_latch);
}

/* Prepare for the first publication. Returns false if nothing is to be published. */
static bool context_start(void)
{
	if (atomic_load(&is_off))
		return false;
	if (!has_begun) {
		has_begun = true;
		context_attributes_begin();
		pthread_atfork(context_before_fork, context_in_parent, context_in_child);
	}
	return true;
}

void context_begin(void)
{
	if (!api_options_flag("CPA_CONTEXT", true))
		atomic_store(&is_off, true);
	if (cpi.head || (!cpi_env_value_sig("OTEL_SERVICE_NAME") && !cpi_env_value_sig("OTEL_RESOURCE_ATTRIBUTES")))
		return; /* a program under cpa run may have a library that publishes its context later */
	context_lock();
	if (context_start())
		context_update();
	context_unlock();
}

void context_add_labels(cpa_labels l)
{
	if (cpi_context_of_sig(l) || atomic_load(&is_off))
		return;
	context_lock();
	if (!cpi_context_of_sig(l) && context_start()) {
		if (header || context_update() == 0)
			context_records_add(l);
		else
			context_withdraw();
	}
	context_unlock();
}

CPA_EXPORT int cpa_context_set(const char *const kv[], size_t pairs)
{
	int rc = -ECANCELED;

	context_lock();
	if (context_start())
		rc = context_attributes_set(kv, pairs);
	if (rc == 0)
		rc = context_update();
	context_unlock();
	return rc;
}

CPA_EXPORT void cpa_context_off(void)
{
	context_lock();
	context_withdraw();
	context_unlock();
}

/*
 * handle.c - cpa_http_handle: answers requests for a server of the program's own
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The calling thread does the work and sleeps between steps. All requests share the limits of one struct serve, which
 * is separate from that of our own server.
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpa/pprof.h"
#include "libcpaprof/api/http.h"

#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { HEADERS_MAX = 2048 };

/*
 * Created with the collector lock held, and never freed. A child of fork creates its own, because its parent may have
 * had requests in progress.
 */
static struct serve *serve;
static uint32_t serve_pid;

static __attribute__((noinline)) int get_serve(struct serve **out)
{
	static const struct serve_options options = { .wants_names = true };
	int rc;

	if (!collector_lock(0))
		return -EDEADLK;
	rc = collector_is_parent() ? -EBUSY : collector_open();
	if (rc == 0 && (!serve || serve_pid != sys_getpid()))
		rc = serve_new(host_self(), &options, &serve);
	if (rc == 0) {
		serve_pid = sys_getpid();
		*out = serve;
	}
	collector_unlock();
	return rc;
}

static void handle_sleep_until(uint64_t ns)
{
	const struct timespec at = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

/* Copy the header lines that fit completely. */
static void copy_headers(const struct serve_answer *a, char *to, size_t n)
{
	char all[HEADERS_MAX];
	size_t len = serve_headers(a, all, sizeof(all)), fits;
	int more;

	if (!to || n == 0)
		return;
	if (len >= sizeof(all))
		len = sizeof(all) - 1;
	more = a->no_length ? 0 : snprintf(all + len, sizeof(all) - len, "Content-Length: %zu\r\n", a->body.v.n);
	len += more > 0 && (size_t)more < sizeof(all) - len ? (size_t)more : 0;
	fits = len < n ? len : n - 1;
	while (fits > 0 && fits < len && all[fits - 1] != '\n')
		fits--;
	memcpy(to, all, fits);
	to[fits] = '\0';
}

static void end_job(void *job)
{
	serve_end(job);
}

/* write may end the calling thread, so a cleanup handler ends the job. */
static __attribute__((noinline)) int handle_answer(struct serve_job *job, bool head, cpa_write_fn write, void *arg,
						   int *status, char *headers, size_t n)
{
	const struct serve_answer *a = serve_answer(job);
	int rc = 0;

	pthread_cleanup_push(end_job, job);
	if (status)
		*status = a->status;
	copy_headers(a, headers, n);
	if (!head)
		rc = body_send(&a->body, write, arg);
	pthread_cleanup_pop(1);
	return rc;
}

CPA_EXPORT int cpa_http_handle(const char *method, const char *target, const void *body, size_t n_body,
			       cpa_write_fn write, void *arg, int *status, char *headers, size_t n)
{
	const struct serve_request r = {
		.method = method, .target = target, .body = body ? body : "", .n_body = n_body
	};
	struct serve *shared = NULL;
	struct serve_job *job = NULL;
	int rc, before;
	uint64_t at;

	if (!method || !target || !write || (!body && n_body))
		return -EINVAL;
	/* a thread cancelled while holding the collector lock would never release it */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	rc = get_serve(&shared);
	if (rc == 0)
		rc = serve_begin(shared, &r, &job);
	while (rc == 0 && (at = serve_step(job, false)))
		handle_sleep_until(at);
	pthread_setcancelstate(before, NULL);
	if (rc < 0)
		return rc;
	return handle_answer(job, strcmp(method, "HEAD") == 0, write, arg, status, headers, n);
}

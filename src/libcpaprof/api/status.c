/*
 * status.c - state of all profiles as JSON, and registration of threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpu.h"
#include "libcpaprof/api/http.h"

#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>

/* Output buffer: len counts all text, also that beyond n. */
struct status_json {
	char *to;
	size_t n, len;
};

__attribute__((format(printf, 2, 3))) static void api_status_put(struct status_json *j, const char *fmt, ...)
{
	size_t room = j->len < j->n ? j->n - j->len : 0;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(room ? j->to + j->len : NULL, room, fmt, args);
	va_end(args);
	j->len += n > 0 ? (size_t)n : 0;
}

static void api_status_put_text(struct status_json *j, const char *text)
{
	api_status_put(j, "\"");
	for (; *text; text++) {
		if ((unsigned char)*text < ' ')
			api_status_put(j, "\\u%04x", (unsigned)(unsigned char)*text);
		else
			api_status_put(j, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	}
	api_status_put(j, "\"");
}

static void put_cpu(struct status_json *j)
{
	struct process_info facts = { 0 };
	struct cpu_state s;
	struct process *p;

	cpu_get_state(&s);
	if (s.is_on && collector_lock(COLLECTOR_WAIT_MS)) {
		p = collector_process();
		if (p)
			process_info(p, &facts);
		collector_unlock();
	}
	if (collector_is_parent()) {
		s.is_on = atomic_load(&cpi.head->cpu) != 0;
		s.hz = cpi.head->hz;
	}
	api_status_put(
		j,
		"\"cpu\":{\"on\":%s,\"hz\":%u,\"start\":%lld,\"samples\":%llu,\"periods\":%llu,\"lost\":%llu,\"path\":",
		s.is_on ? "true" : "false", s.hz, (long long)s.start_s, (unsigned long long)facts.n_samples,
		(unsigned long long)facts.weight, (unsigned long long)facts.lost);
	api_status_put_text(j, s.path);
	api_status_put(j, "}");
}

static void put_http(struct status_json *j)
{
	char address[LISTEN_URL_MAX] = "";
	bool on = cpi_endpoint_get_address(address);

	api_status_put(j, "\"http\":{\"on\":%s,\"address\":", on ? "true" : "false");
	api_status_put_text(j, address);
	api_status_put(j, "}");
}

CPA_EXPORT int cpa_status(char *json, size_t n)
{
	struct segment_head *head = cpi.head;
	struct status_json j = { .to = json, .n = json ? n : 0 };

	api_status_put(&j, "{\"version\":");
	api_status_put_text(&j, cpa_version());
	api_status_put(&j, ",\"pid\":%u,\"collector\":\"%s\",", (unsigned)sys_getpid(),
		       !head                   ? "none"
		       : collector_is_parent() ? "parent"
					       : "self");
	put_cpu(&j);
	api_status_put(&j, ",\"heap\":{\"rate\":%llu},\"block\":{\"rate\":%llu},\"mutex\":{\"fraction\":%llu},",
		       head ? (unsigned long long)atomic_load(&head->heap_rate) : 0,
		       head ? (unsigned long long)atomic_load(&head->block_rate) : 0,
		       head ? (unsigned long long)atomic_load(&head->mutex_fraction) : 0);
	put_http(&j);
	api_status_put(&j, "}");
	return (int)j.len;
}

CPA_EXPORT const char *cpa_version(void)
{
	return PACKAGE_VERSION;
}

CPA_EXPORT void cpa_thread_register(const char *name)
{
	if (name)
		prctl(PR_SET_NAME, name);
	cpi_thread_add_missed();
}

CPA_EXPORT void cpa_thread_ignore(int on)
{
	cpi_thread_ignore(on != 0);
}

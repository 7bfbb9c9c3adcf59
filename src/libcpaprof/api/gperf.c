/*
 * gperf.c - the interface of gperftools, for programs linked with this library instead
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * This is a separate object file, so that only programs that need these names contain them. Signatures and file names
 * follow the headers profiler.h and heap-profiler.h of gperftools 2.10. The files are profile.proto. Thread filters are
 * not supported: if the program sets one, profiling does not start.
 */
#include "config.h"

#include "libcpaprof/api/cpa/pprof.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HEAP_RATE = 512 << 10, NAME_SIZE = 1024, STATUS_SIZE = 8192 };

struct ProfilerOptions {
	int (*filter_in_thread)(void *arg);
	void *filter_in_thread_arg;
};

struct ProfilerState {
	int enabled;
	time_t start_time;
	char profile_name[NAME_SIZE];
	int samples_gathered;
};

int ProfilerStart(const char *name);
int ProfilerStartWithOptions(const char *name, const struct ProfilerOptions *options);
void ProfilerStop(void);
void ProfilerFlush(void);
void ProfilerEnable(void);
void ProfilerDisable(void);
int ProfilingIsEnabledForAllThreads(void);
void ProfilerRegisterThread(void);
void ProfilerGetCurrentState(struct ProfilerState *state);
void HeapProfilerStart(const char *prefix);
int IsHeapProfilerRunning(void);
void HeapProfilerStop(void);
void HeapProfilerDump(const char *reason);
char *GetHeapProfile(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Guarded by lock. */
static char cpu_name[NAME_SIZE], heap_prefix[NAME_SIZE];
static time_t cpu_start;
static unsigned n_heaps;
static size_t rate_before;

int ProfilerStartWithOptions(const char *name, const struct ProfilerOptions *options)
{
	const cpa_cpu_opts o = { .size = sizeof(o), .flags = CPA_OVERWRITE };
	int rc;

	if (options && options->filter_in_thread)
		return 0;
	pthread_mutex_lock(&lock);
	rc = cpa_cpu_start_path(name, &o);
	if (rc == 0) {
		snprintf(cpu_name, sizeof(cpu_name), "%s", name);
		cpu_start = time(NULL);
	}
	pthread_mutex_unlock(&lock);
	return rc == 0;
}

int ProfilerStart(const char *name)
{
	return ProfilerStartWithOptions(name, NULL);
}

void ProfilerStop(void)
{
	cpa_cpu_stop();
}

void ProfilerFlush(void)
{
	cpa_cpu_flush();
}

/* ProfilerEnable and ProfilerDisable have no effect in gperftools either. */
void ProfilerEnable(void)
{
}

void ProfilerDisable(void)
{
}

/* The number after a key of cpa_status; 0 if there is none. */
static long status_number(const char *key)
{
	char json[STATUS_SIZE], *at;

	cpa_status(json, sizeof(json));
	at = strstr(json, key);
	return at ? strtol(at + strlen(key), NULL, 10) : 0;
}

static int cpu_is_on(void)
{
	char json[STATUS_SIZE];

	cpa_status(json, sizeof(json));
	return strstr(json, "\"cpu\":{\"on\":true") != NULL;
}

int ProfilingIsEnabledForAllThreads(void)
{
	return cpu_is_on();
}

void ProfilerRegisterThread(void)
{
	cpa_thread_register(NULL);
}

void ProfilerGetCurrentState(struct ProfilerState *state)
{
	memset(state, 0, sizeof(*state));
	if (!cpu_is_on())
		return;
	state->enabled = 1;
	state->samples_gathered = (int)status_number("\"samples\":");
	pthread_mutex_lock(&lock);
	state->start_time = cpu_start;
	memcpy(state->profile_name, cpu_name, sizeof(cpu_name));
	pthread_mutex_unlock(&lock);
}

void HeapProfilerStart(const char *prefix)
{
	pthread_mutex_lock(&lock);
	if (!heap_prefix[0] && prefix && *prefix) {
		snprintf(heap_prefix, sizeof(heap_prefix), "%s", prefix);
		n_heaps = 0;
		rate_before = cpa_heap_set_rate(SIZE_MAX);
		if (!rate_before)
			cpa_heap_set_rate(HEAP_RATE);
	}
	pthread_mutex_unlock(&lock);
}

int IsHeapProfilerRunning(void)
{
	int is_on;

	pthread_mutex_lock(&lock);
	is_on = heap_prefix[0] != '\0';
	pthread_mutex_unlock(&lock);
	return is_on;
}

void HeapProfilerStop(void)
{
	pthread_mutex_lock(&lock);
	if (heap_prefix[0])
		cpa_heap_set_rate(rate_before);
	heap_prefix[0] = '\0';
	pthread_mutex_unlock(&lock);
}

static int write_fd(void *arg, const void *data, size_t n)
{
	const char *at = data;

	while (n) {
		ssize_t n_written = write(*(int *)arg, at, n);

		if (n_written <= 0)
			return -1;
		at += n_written;
		n -= (size_t)n_written;
	}
	return 0;
}

/* PREFIX.0001.heap and so on */
void HeapProfilerDump(const char *reason)
{
	char name[NAME_SIZE + 32] = "";
	int fd;

	(void)reason;
	pthread_mutex_lock(&lock);
	if (heap_prefix[0])
		snprintf(name, sizeof(name), "%s.%04u.heap", heap_prefix, ++n_heaps);
	pthread_mutex_unlock(&lock);
	if (!name[0])
		return;
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	cpa_heap_write(write_fd, &fd);
	close(fd);
}

struct gperf_text {
	char *data;
	size_t n;
};

static int append_text(void *arg, const void *data, size_t n)
{
	struct gperf_text *t = arg;
	char *more = realloc(t->data, t->n + n + 1);

	if (!more)
		return -1;
	memcpy(more + t->n, data, n);
	t->data = more;
	t->n += n;
	more[t->n] = '\0';
	return 0;
}

/* The result must be freed by the caller. */
char *GetHeapProfile(void)
{
	struct gperf_text t = { NULL, 0 };

	cpa_profile_write(cpa_profile_lookup("heap"), 1, append_text, &t);
	return t.data ? t.data : strdup("");
}

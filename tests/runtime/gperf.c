/*
 * gperf.c - a program written for gperftools
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Declared as in profiler.h and heap-profiler.h; -DHEADERS includes these headers instead. */
#ifdef HEADERS
#include <gperftools/heap-profiler.h>
#include <gperftools/profiler.h>
#else
struct ProfilerOptions {
	int (*filter_in_thread)(void *arg);
	void *filter_in_thread_arg;
};
struct ProfilerState {
	int enabled;
	time_t start_time;
	char profile_name[1024];
	int samples_gathered;
};
int ProfilerStart(const char *fname);
int ProfilerStartWithOptions(const char *fname, const struct ProfilerOptions *options);
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
#endif

static volatile unsigned long sum;
static void *volatile kept[1000];

__attribute__((noinline)) static void spin(double seconds)
{
	struct timespec t;
	double end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	end = (double)t.tv_sec + (double)t.tv_nsec / 1e9 + seconds;
	do {
		for (unsigned i = 0; i < 20000; i++)
			sum += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < end);
}

static void print_state(const char *when)
{
	struct ProfilerState s;

	ProfilerGetCurrentState(&s);
	printf("%s: %d %d %s %s %s\n", when, s.enabled, ProfilingIsEnabledForAllThreads(), s.profile_name,
	       s.samples_gathered ? "samples" : "none", s.start_time ? "time" : "never");
}

static int no_thread(void *arg)
{
	(void)arg;
	return 0;
}

int main(void)
{
	struct ProfilerOptions filter = { no_thread, NULL };
	char *text;

	print_state("before");
	printf("filter %d\n", ProfilerStartWithOptions("f.prof", &filter));
	printf("start %d\n", ProfilerStart("g.prof"));
	printf("again %d\n", ProfilerStart("g.prof"));
	ProfilerRegisterThread();
	ProfilerEnable();
	spin(0.3);
	ProfilerDisable();
	print_state("on");
	ProfilerFlush();
	printf("flushed %d\n", access("g.prof", R_OK));
	spin(0.3);
	ProfilerStop();
	print_state("after");
	HeapProfilerStart("heap");
	printf("heap %d\n", IsHeapProfilerRunning());
	for (int i = 0; i < 1000; i++)
		kept[i] = malloc(100000);
	HeapProfilerDump("test");
	HeapProfilerDump("test");
	text = GetHeapProfile();
	printf("text %.13s\n", text);
	free(text);
	HeapProfilerStop();
	printf("heap %d\n", IsHeapProfilerRunning());
	return 0;
}

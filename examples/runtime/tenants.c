/*
 * tenants.c - a C program profiles its CPU time by tenant, and its memory
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	cc -O2 -g -o tenants tenants.c $(pkg-config --cflags --libs cpaprof) && ./tenants
 *	cpa tags cpu.pb.gz           CPU time by tenant
 *	cpa list render cpu.pb.gz    CPU time by line
 *	cpa top heap.pb.gz           memory in use
 */
#include <cpa/pprof.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP __attribute__((noinline)) /* has its own row in reports */

struct request {
	const char *tenant;
	unsigned pages;
};

struct page {
	struct page *before;
	char text[10000];
};

static unsigned sum;
static struct page *history;

STEP static void render(unsigned pages)
{
	for (unsigned i = 0; i < pages * 4000000; i++)
		sum = sum * 31 + (i ^ sum >> 7);
}

/* A leak: these pages are never freed. */
STEP static void remember(unsigned pages)
{
	while (pages--) {
		struct page *p = malloc(sizeof(*p));

		if (!p)
			return;
		memset(p->text, 'x', sizeof(p->text));
		p->before = history;
		history = p;
	}
}

STEP static void serve(void *arg)
{
	const struct request *r = arg;

	render(r->pages);
	remember(r->pages);
}

int main(void)
{
	static struct request day[] = { { "acme", 6 }, { "globex", 3 }, { "initech", 1 } };
	/* a short run needs more samples than the default of 100 per second and one per 512 KiB */
	const cpa_cpu_opts opts = { .size = sizeof(opts), .hz = 1000, .flags = CPA_OVERWRITE };
	int rc;

	cpa_heap_set_rate(16 << 10);
	cpa_cpu_start_path("cpu.pb.gz", &opts);
	for (int hour = 0; hour < 24; hour++)
		for (int i = 0; i < 3; i++) {
			const char *label[] = { "tenant", day[i].tenant };

			cpa_labels_do(cpa_labels_make(0, label, 1), serve, &day[i]);
		}
	rc = cpa_cpu_stop();
	if (rc == 0)
		rc = cpa_profile_write_path(cpa_profile_lookup("heap"), 0, "heap.pb.gz", CPA_OVERWRITE);
	if (rc < 0)
		fprintf(stderr, "tenants: cannot write profiles: %s\n", strerror(-rc));
	return rc != 0;
}

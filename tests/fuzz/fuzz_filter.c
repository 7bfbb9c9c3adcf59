/*
 * fuzz_filter.c - any filters over a small profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each line of the input is the value of a filter, in the order of the table below; further filters are not set. Stops
 * when the result is not a valid profile.
 */
#include "config.h"

#include "fuzz.h"

#include "engine/filter.h"
#include "engine/query.h"

#include "tests/unit/make_filter.h"

enum { LONGEST = 2000 };

static const size_t at[] = {
	offsetof(struct query, focus),    offsetof(struct query, ignore),    offsetof(struct query, hide),
	offsetof(struct query, show),     offsetof(struct query, show_from), offsetof(struct query, prune_from),
	offsetof(struct query, tagfocus), offsetof(struct query, tagignore), offsetof(struct query, tagshow),
	offsetof(struct query, taghide),  offsetof(struct query, tagroot),   offsetof(struct query, tagleaf),
	offsetof(struct query, unit),
};

static struct profile *sample(void)
{
	struct make m = make_start("samples/count cpu/nanoseconds");

	make_map(&m, "/usr/bin/app");
	make_labelled(&m, "leaf;inner+outer@app.go:3:1;main@app.go:10", "route=/a tenant=t1 size#2048:bytes", 1);
	make_labelled(&m, "inner+outer@app.go:3:1;main@app.go:10", "route=/b size#1:kb", 2);
	make_labelled(&m, "ns::f(int);(anonymous namespace)::g;main@app.go:10", "wait#3:ms wait#9:us wait=long", 4);
	m.map = PROFILE_NONE;
	make_labelled(&m, "0x10=;\xff\xfe;main@app.go:10", "", 8);
	make_labelled(&m, "", "status=404 n#404", -16);
	make_labelled(&m, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab;rec;rec;rec", "\xce\xb1=\xce\xb1", 32);
	return make_end(&m);
}

static void judge(const struct profile *p, const struct filtered *l)
{
	struct err broken;

	if (!l->p) {
		if (l->err.msg[0] == 0)
			abort();
		return;
	}
	if (profile_check(l->p, &broken) < 0 || l->p->n_rows > p->n_rows) {
		fprintf(stderr, "the filtered profile is invalid: %s\n", broken.msg);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct profile *p = sample();
	char *text = mem_strndup((const char *)data, n < LONGEST ? n : LONGEST), *line = text;
	struct query q;
	struct filtered l;

	query_init(&q);
	for (size_t i = 0; line && i < sizeof(at) / sizeof(at[0]); i++) {
		const char *value = strsep(&line, "\n");

		memcpy((char *)&q + at[i], &value, sizeof(value));
	}
	l = filtered_run(p, &q);
	judge(p, &l);
	filtered_release(&l);
	query_release(&q);
	profile_free(p);
	free(text);
	return 0;
}

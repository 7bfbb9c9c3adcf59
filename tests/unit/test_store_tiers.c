/*
 * test_store_tiers.c - tiers: random stores have the same numbers in each resolution
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two stores have the same profiles; one keeps them raw, in the other they are downsampled. The numbers of the raw store are compared
 * with those of Python by tests/cli/t356-one-number.t.
 */
#include "config.h"

#include "make_live_store.h"
#include "store/local/format/segment.h"
#include "store/local/read/local.h"

#include <inttypes.h>
#include <time.h>

#define MINUTE (60 * STORE_SECOND)

enum { INSTANCES = 4, DAYS = 6 };

static uint64_t seed;

static unsigned rnd(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

/* A process of an instance: its counters, by stack. */
struct process {
	int64_t started;
	unsigned version;
	int64_t objects[12], in_use[12];
	bool has_start;
};

static const char *const stacks[12] = {
	"0x10=a@x.go:1;0x20=main@m.go:5",
	"0x11=b@x.go:2;0x20=main@m.go:5",
	"0x12=c@x.go:3;0x11=b@x.go:2;0x20=main@m.go:5",
	"0x13=c@x.go:3;0x11=b@x.go:2;0x20=main@m.go:5", /* another address: one stack in tiers */
	"0x14=d@x.go:4;0x20=main@m.go:5",
	"0x15=e@x.go:5;0x14=d@x.go:4;0x20=main@m.go:5",
	"0x99;0x20=main@m.go:5",
	"0x16=f@x.go:6;0x21=worker@m.go:9",
	"0x17=g@x.go:7;0x16=f@x.go:6;0x21=worker@m.go:9",
	"0x18=h@x.go:8;0x17=g@x.go:7;0x16=f@x.go:6;0x21=worker@m.go:9",
	"0x21=worker@m.go:9",
	"0x20=main@m.go:5",
};

static struct profile *heap_profile(struct process *p)
{
	struct make m = make_start("alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes");
	char text[64];
	struct mapping map = { .id = 1, .limit = 0x1000000 };

	snprintf(text, sizeof(text), "build%u", p->version);
	map.file = make_text(&m, "/bin/shop", 9);
	map.build_id = make_text(&m, text, strlen(text));
	builder_mapping(m.b, &map, &m.map, NULL);
	if (p->has_start) {
		time_t s = (time_t)(p->started / STORE_SECOND);
		struct tm tm;

		gmtime_r(&s, &tm);
		strftime(text, sizeof(text), "start: %Y-%m-%dT%H:%M:%SZ", &tm);
		builder_comment(m.b, make_text(&m, text, strlen(text)));
	}
	for (int i = 0; i < 12; i++)
		if (p->objects[i] || p->in_use[i])
			ROW(&m, stacks[i], p->objects[i], p->objects[i] * 1000, p->in_use[i], p->in_use[i] * 900);
	return make_end(&m);
}

static struct profile *cpu_profile(void)
{
	struct make m = make_start("samples/count cpu/nanoseconds");
	unsigned n = 1 + rnd(12);

	make_map(&m, "/bin/shop");
	for (unsigned i = 0; i < n; i++) {
		int64_t v = 1 + rnd(3);

		ROW(&m, stacks[(i * 5 + n) % 12], v, v * 10000000);
	}
	return make_end(&m);
}

static void append(struct live_store *m, const char *kind, int instance, unsigned version, int64_t start,
		   struct profile *p)
{
	char name[32], number[32];
	struct store_label label[] = { { "instance", name }, { "version", number } };
	struct store_input in = {
		.service = "shop", .kind = kind, .label = label, .n_labels = 2, .profile = p, .start_ns = start
	};
	bool duplicate;

	snprintf(name, sizeof(name), "10.0.0.%d", instance);
	snprintf(number, sizeof(number), "%u", version);
	if (writer_append(m->w, &in, NULL, &duplicate, &m->err))
		fail_msg("%s", m->err.msg);
	assert_false(duplicate);
}

static void restart(struct process *p, int64_t t, bool new_version)
{
	*p = (struct process){ .started = t - (int64_t)rnd(30) * MINUTE, .version = p->version + new_version };
	p->has_start = rnd(2);
}

static void work(struct process *p)
{
	for (int i = 0; i < 12; i++) {
		p->objects[i] += rnd(3) ? rnd(4) : 0;
		p->in_use[i] = rnd(3) ? (int64_t)rnd(6) : 0;
	}
}

/* Fill two stores with the same random profiles. */
static void fill(struct live_store *a, struct live_store *b)
{
	struct process p[INSTANCES] = { 0 };
	int64_t next[INSTANCES];

	for (int i = 0; i < INSTANCES; i++)
		next[i] = STORE_MONDAY + (int64_t)rnd(1500) * MINUTE;
	for (int64_t t = STORE_MONDAY; t < STORE_MONDAY + DAYS * STORE_DAY; t += MINUTE) {
		store_time = t;
		for (int i = 0; i < INSTANCES; i++) {
			struct profile *heap, *cpu;

			if (t < next[i])
				continue;
			next[i] = t + (int64_t)(3 + rnd(25)) * MINUTE * (rnd(40) ? 1 : 20);
			if (!rnd(25))
				restart(&p[i], t, rnd(2));
			work(&p[i]);
			heap = heap_profile(&p[i]);
			cpu = cpu_profile();
			for (int k = 0; k < 2; k++) {
				append(k ? b : a, "heap", i, p[i].version, t + 7 * STORE_SECOND, heap);
				append(k ? b : a, "cpu", i, p[i].version, t + 9 * STORE_SECOND, cpu);
			}
			profile_free(heap);
			profile_free(cpu);
		}
		if (t % (STORE_HOUR * 5) == 0)
			for (int k = 0; k < 2; k++)
				live_store_flush(k ? b : a);
	}
	for (int k = 0; k < 2; k++)
		live_store_flush(k ? b : a);
}

/* The answer of a store. */
struct answer {
	int rc;
	struct err err;
	int64_t total[4];
	uint64_t profiles;
	uint32_t instances;
	struct buf line;
};

static struct answer ask(struct live_store *m, const char *kind, int64_t t0, int64_t t1, enum store_tier tier)
{
	struct store_query q = { .service = "shop", .kind = kind, .t0 = t0, .t1 = t1, .pin = "", .tier = tier };
	struct answer a = { 0 };
	struct store_sum sum = { 0 };
	struct profile *p = NULL;
	struct store *s;

	if (local_open(m->dir, &s, &a.err) < 0)
		fail_msg("%s", a.err.msg);
	a.rc = store_read(s, &q, NULL, &p, &sum, &a.err);
	for (uint32_t t = 0; a.rc == 0 && t < p->n_types; t++)
		for (uint32_t i = 0; i < p->n_rows; i++)
			a.total[t] += p->value[t][i];
	a.profiles = sum.profiles;
	a.instances = sum.instances;
	if (a.rc == 0) {
		store_sum_describe(&q, &sum, &a.line);
		buf_addf(&a.line, "\n%s", buf_text(&sum.notes));
	}
	profile_free(p);
	store_sum_release(&sum);
	store_close(s);
	return a;
}

static void check_same_answer(const struct answer *x, const struct answer *y, const char *what, int64_t t0, int64_t t1)
{
	bool same = x->rc == y->rc && x->profiles == y->profiles && x->instances == y->instances &&
		    memcmp(x->total, y->total, sizeof(x->total)) == 0;

	if (!same)
		fail_msg("%s, hours %g to %g: %d %s %" PRIu64 " of %u: %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
			 "; %d %s %" PRIu64 " of %u: %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n%s\n%s",
			 what, (double)(t0 - STORE_MONDAY) / (double)STORE_HOUR,
			 (double)(t1 - STORE_MONDAY) / (double)STORE_HOUR, x->rc, x->rc ? x->err.msg : "", x->profiles,
			 x->instances, x->total[0], x->total[1], x->total[2], x->total[3], y->rc,
			 y->rc ? y->err.msg : "", y->profiles, y->instances, y->total[0], y->total[1], y->total[2],
			 y->total[3], buf_text(&x->line), buf_text(&y->line));
}

static void check_windows(struct live_store *raw, struct live_store *other, int64_t slot, enum store_tier tier,
			  const char *what)
{
	for (int i = 0; i < 60; i++) {
		int64_t n = DAYS * STORE_DAY / slot, lo = (int64_t)rnd((unsigned)n),
			hi = lo + 1 + (int64_t)rnd((unsigned)(n - lo));
		int64_t t0 = STORE_MONDAY + lo * slot, t1 = STORE_MONDAY + hi * slot;
		const char *kind = i % 3 ? "heap" : "cpu";
		struct answer x = ask(raw, kind, t0, t1, TIER_RAW), y = ask(other, kind, t0, t1, tier);

		check_same_answer(&x, &y, what, t0, t1);
		buf_release(&x.line);
		buf_release(&y.line);
	}
}

static void live_store_remove(const char *dir)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

/* A second store beside that of the set-up. */
static void open_other(struct live_store *m, const char *retain)
{
	struct store_writer_options o = {
		.cap = 64 << 20, .retain = retain, .group = "", .owner = "test", .now = live_store_now
	};

	if (upkeep_open_writer(m->dir, true, &o, &m->w, NULL, &m->err))
		fail_msg("%s", m->err.msg);
}

static void totals_and_means_are_equal_in_all_tiers(void **state)
{
	/* the time at which the store is maintained, and the coarsest tier that it has then */
	static const struct {
		int64_t day;
		enum store_tier tier;
		int64_t slot;
	} step[] = { { 4, TIER_10M, 10 * MINUTE },
		     { 9, TIER_10M, 10 * MINUTE },
		     { 28, TIER_1H, STORE_HOUR },
		     { 50, TIER_1D, STORE_DAY } };
	struct live_store *raw = *state, other = { 0 };
	uint64_t first = getenv("CPA_TIERS_SEED") ? strtoull(getenv("CPA_TIERS_SEED"), NULL, 10) : 1;

	seed = first;
	snprintf(other.dir, sizeof(other.dir), "%.40s/cpa-store-XXXXXX", "/tmp");
	assert_non_null(mkdtemp(other.dir));
	open_other(&other, "raw=1d 10m=20d 1h=40d 1d=900d");
	fill(raw, &other);
	check_windows(raw, raw, 10 * MINUTE, TIER_10M, "asked for 10m");
	check_windows(raw, raw, STORE_HOUR, TIER_1H, "asked for 1h");
	for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		struct buf report = { 0 };
		char what[64];

		store_time = STORE_MONDAY + step[i].day * STORE_DAY;
		live_store_maintain(&other, &report);
		snprintf(what, sizeof(what), "seed %" PRIu64 ", step %zu", first, i);
		if (getenv("CPA_TIERS_VERBOSE"))
			printf("%s\n%s", what, buf_text(&report));
		check_windows(raw, &other, step[i].slot, TIER_RAW, what);
		buf_release(&report);
	}
	live_store_close(&other);
	live_store_remove(other.dir);
}

/* Bytes of the segments of a tier. */
static uint64_t tier_bytes(struct live_store *m, enum store_tier tier)
{
	struct store_stat stat;

	writer_get_stat(m->w, &stat);
	return stat.bytes[tier];
}

static void a_rule_of_labels_concerns_their_series_only(void **state)
{
	struct live_store *raw = *state, other = { 0 };
	struct store_query q = { .service = "shop", .kind = "", .t0 = INT64_MIN, .t1 = INT64_MAX, .pin = "" };
	struct label_match match = { MATCH_EQUAL, "instance", "10.0.0.1", NULL };
	struct store_sum sum = { 0 };
	struct profile *p;
	struct store *s;

	seed = 7;
	snprintf(other.dir, sizeof(other.dir), "/tmp/cpa-store-XXXXXX");
	assert_non_null(mkdtemp(other.dir));
	open_other(&other, "raw=forever\n{instance=10.0.0.1} raw=1d 10m=900d");
	fill(raw, &other);
	store_time = STORE_MONDAY + 9 * STORE_DAY;
	live_store_maintain(&other, NULL);
	assert_true(tier_bytes(&other, TIER_RAW) > 0 && tier_bytes(&other, TIER_10M) > 0);
	check_windows(raw, &other, 10 * MINUTE, TIER_RAW, "rules by label");
	assert_int_equal(local_open(other.dir, &s, &other.err), 0);
	q.kind = "cpu";
	q.match = &match;
	q.n_match = 1;
	for (int i = 0; i < 2; i++) { /* the instance of the rule, then the others */
		match.op = i ? MATCH_NOT_EQUAL : MATCH_EQUAL;
		assert_int_equal(store_read(s, &q, NULL, &p, &sum, &other.err), 0);
		assert_int_equal(sum.tiers, i ? 1U << TIER_RAW : 1U << TIER_10M);
		profile_free(p);
		store_sum_release(&sum);
	}
	store_close(s);
	live_store_close(&other);
	live_store_remove(other.dir);
}

/* The name of a file of a tier, with its folder. */
static void find_tier_file(const struct live_store *m, const char *tier, char path[256])
{
	char command[256];
	FILE *f;

	snprintf(command, sizeof(command), "find %s/seg/%s -name '*.cps' | head -n 1", m->dir, tier);
	f = popen(command, "r");
	assert_non_null(f);
	assert_non_null(fgets(path, 256, f));
	pclose(f);
	path[strcspn(path, "\n")] = '\0';
}

static void a_changed_byte_of_slots_is_found(void **state)
{
	struct live_store *raw = *state, other = { 0 };
	char path[256];
	uint8_t *data = mem_alloc(1 << 20, 1);
	size_t n, unseen = 0;
	FILE *f;

	seed = 11;
	snprintf(other.dir, sizeof(other.dir), "/tmp/cpa-store-XXXXXX");
	assert_non_null(mkdtemp(other.dir));
	open_other(&other, "raw=1d 1h=900d");
	fill(raw, &other);
	store_time = STORE_MONDAY + 9 * STORE_DAY;
	live_store_maintain(&other, NULL);
	find_tier_file(&other, "1h", path);
	live_store_close(&other);
	f = fopen(path, "r+");
	assert_non_null(f);
	n = fread(data, 1, 1 << 20, f);
	for (size_t i = 0; i < n; i += 7) {
		struct segment *s = NULL;
		struct err err;

		fseek(f, (long)i, SEEK_SET);
		fputc(data[i] ^ 0x55, f);
		fflush(f);
		if (segment_open(fileno(f), "x", &s, &err) == 0 && verify_segment(s, true, NULL, &err) == 0)
			unseen++;
		segment_close(s);
		fseek(f, (long)i, SEEK_SET);
		fputc(data[i], f);
		fflush(f);
	}
	fclose(f);
	free(data);
	assert_int_equal(unseen, 0);
	live_store_remove(other.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(totals_and_means_are_equal_in_all_tiers, live_store_set_up,
						live_store_tear_down),
		cmocka_unit_test_setup_teardown(a_rule_of_labels_concerns_their_series_only, live_store_set_up,
						live_store_tear_down),
		cmocka_unit_test_setup_teardown(a_changed_byte_of_slots_is_found, live_store_set_up,
						live_store_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

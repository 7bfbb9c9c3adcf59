/*
 * test_attach_snap.c - the profile of a snap equals what is read from its file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "attach/snap.h"
#include "base/buf.h"
#include "base/time.h"
#include "formats/formats.h"
#include "libcpaprof/collector/external.h"
#include "libcpaprof/collector/write/write.h"

#include "field_order.h"
#include "make_tables.h"

#include <inttypes.h>

enum { MANY = 10000, DEPTH = 30 };

static struct err err;

static void dump_lists(struct buf *b, const char *what, const struct csr *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		buf_addf(b, "%s %" PRIu32 ":", what, i);
		for (uint32_t k = l->off[i]; k < l->off[i + 1]; k++)
			buf_addf(b, " %" PRIu32, l->item[k]);
		buf_addz(b, "\n");
	}
}

static void dump_stacks(struct buf *b, const struct stack_lists *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		buf_addf(b, "stack %" PRIu32 ":", i);
		for (uint32_t k = l->off[i]; k < l->off[i + 1]; k++)
			buf_addf(b, " %" PRIu32, stack_id_at(l, k));
		buf_addz(b, "\n");
	}
}

static void dump_meta(struct buf *b, const struct profile *p)
{
	const struct profile_meta *m = &p->meta;

	buf_addf(b, "time %" PRId64 " duration %" PRId64 " period %" PRId64 " %" PRIu32 " %" PRIu32 " %d\n", m->time_ns,
		 m->duration_ns, m->period, m->period_type.name, m->period_type.unit, m->has_period_type);
	buf_addf(b, "default %" PRIu32 " drop %" PRIu32 " keep %" PRIu32 " url %" PRIu32 "\n", m->default_type,
		 m->drop_frames, m->keep_frames, m->doc_url);
	for (uint32_t i = 0; i < m->n_comments; i++)
		buf_addf(b, "comment %" PRIu32 "\n", m->comment[i]);
	for (uint32_t i = 0; i < p->n_types; i++)
		buf_addf(b, "type %" PRIu32 " %" PRIu32 "\n", p->type[i].name, p->type[i].unit);
	for (str_id i = 0; i < strtab_count(p->str); i++)
		buf_addf(b, "string %" PRIu32 " \"%s\"\n", i, profile_text(p, i));
}

static void dump_tables(struct buf *b, const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_labels; i++)
		buf_addf(b, "label %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRId64 " %d\n", p->label_key[i],
			 p->label_text[i], p->label_unit[i], p->label_num[i], p->label_is_text[i]);
	for (uint32_t i = 0; i < p->n_locs; i++) {
		buf_addf(b, "location %" PRIu64 " %" PRIx64 " %" PRIu32 " %d", p->loc_id[i], p->loc_addr[i],
			 p->loc_map[i], p->loc_folded[i]);
		for (uint32_t k = p->loc_line[i]; k < p->loc_line[i + 1]; k++)
			buf_addf(b, ", %" PRIu32 " %" PRId64 " %" PRId64, p->line_func[k], p->line_no[k],
				 p->line_col[k]);
		buf_addz(b, "\n");
	}
	for (uint32_t i = 0; i < p->n_funcs; i++)
		buf_addf(b, "function %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRId64 "\n", p->func_id[i],
			 p->func_name[i], p->func_sysname[i], p->func_file[i], p->func_start[i]);
	for (uint32_t i = 0; i < p->n_maps; i++) {
		const struct mapping *m = &p->map[i];

		buf_addf(b,
			 "mapping %" PRIu64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu32
			 " %d%d%d%d\n",
			 m->id, m->start, m->limit, m->offset, m->file, m->build_id, m->kernel_symbol, m->has_functions,
			 m->has_filenames, m->has_line_numbers, m->has_inline_frames);
	}
}

/* All fields of a profile except content_hash. */
static char *dump(const struct profile *p)
{
	struct buf b = { 0 };

	dump_meta(&b, p);
	dump_tables(&b, p);
	dump_stacks(&b, &p->stacks);
	dump_lists(&b, "labels", &p->label_sets);
	for (uint32_t i = 0; i < p->n_rows; i++) {
		buf_addf(&b, "row %" PRIu32 " %" PRIu32 ":", p->stack[i], p->labels[i]);
		for (uint32_t t = 0; t < p->n_types; t++)
			buf_addf(&b, " %" PRId64, p->value[t][i]);
		buf_addz(&b, "\n");
	}
	return b.data;
}

static struct profile *through_file(const struct snap *s, snap_names_fn *names)
{
	struct buf packed = { 0 };
	struct profile *p;
	struct bytes in, inflated;

	assert_int_equal(write_snap(s, 0, names, NULL, buf_take, &packed), 0);
	in = (struct bytes){ .data = (uint8_t *)packed.data, .n = packed.len };
	if (format_inflate(&in, &formats_options_default, &inflated, &err) < 0)
		fail_msg("%s", err.msg);
	assert_tables_precede_samples(inflated.data, inflated.n);
	if (formats_read(&inflated, &formats_options_default, &p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static struct profile *directly(const struct snap *s, snap_names_fn *names)
{
	struct profile *p;

	if (attach_snap_profile(s, names, NULL, &p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

/* Check that both ways make the same profile. Returns the text of all its fields. */
static char *assert_same(const struct snap *s, snap_names_fn *names)
{
	struct profile *a = through_file(s, names), *b = directly(s, names);
	char *x = dump(a), *y = dump(b);
	size_t i = 0;

	for (; x[i] && x[i] == y[i]; i++)
		;
	if (x[i] || y[i])
		fail_msg("profiles differ at byte %zu: %.200s\n--- but ---\n%.200s", i, x + i, y + i);
	profile_free(a);
	profile_free(b);
	free(x);
	return y;
}

/* Some addresses have no name, some two, of which the outer one is shared; some names are verbatim, some have a file. */
static bool name_of(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i, struct snap_name *out)
{
	static char name[32];

	(void)arg;
	(void)p;
	(void)map;
	if (addr % 5 == 0 || i > addr % 2)
		return false;
	snprintf(name, sizeof(name), "f%" PRIu64, i ? 1 : addr % 97);
	*out = (struct snap_name){ .function = name, .line = addr % 3, .is_verbatim = addr % 7 == 0 };
	out->file = addr % 4 ? "a.c" : NULL;
	return true;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in %s", part, text);
}

static void heap_with_labels(void **state)
{
	static const char *const kv[] = { "op", "", "tenant", "a\"b" };
	static const uint64_t one[] = { 0x4dd214 }, three[] = { 0x489984, 0x4dd4c9, 0x44d054 };
	struct made m;
	struct snap *s;
	char *text;
	uint32_t x;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_HEAP, 512, 1, 1, one);
	made_stack(&m, x)->label = made_labels(&m, kv);
	made_heap(&m, x, false, 500, 4096);
	made_heap(&m, made_add(&m, STACK_HEAP, 64, 2, 3, three), false, 60, 2048);
	s = made_snap(&m, SNAP_ALLOCS, 0);
	text = assert_same(s, name_of);
	has(text, "\"tenant\"");
	has(text, "\"bytes\"");
	has(text, "\"alloc_space\"");
	free(text);
	free(assert_same(s, NULL));
	snap_free(s);
	made_close(&m);
}

static void cpu_time_without_samples(void **state)
{
	static const uint64_t three[] = { 0x489984, 0x4dd4c9, 0x44d054 };
	const struct snap_unsampled others[] = { { "/bin/one", 5000000 }, { "", 7 }, { "two", 0 }, { "/x/two", 9 } };
	struct made m;
	struct snap *s;
	char *text;

	(void)state;
	made_open(&m);
	table_add(&m.p->table, three, 3, 0, 2);
	table_add_pseudo(&m.p->table, PSEUDO_LOST, 1, 3);
	s = made_snap(&m, SNAP_CPU, 0);
	free(assert_same(s, name_of));
	s->cpu.unsampled_ns = 1000;
	s->unsampled = others;
	s->n_unsampled = 4;
	text = assert_same(s, name_of);
	has(text, "\"one\"");
	has(text, "\"two\"");
	free(text);
	snap_free(s);
	made_close(&m);
}

static void no_rows_and_no_mappings(void **state)
{
	struct made m;
	struct snap *s;
	char *text;

	(void)state;
	made_open(&m);
	s = made_snap(&m, SNAP_MUTEX, 0);
	maps_release(&m.p->maps);
	text = assert_same(s, NULL);
	has(text, "mapping 1 0 0 0 0 0 0 0000\n");
	free(text);
	snap_free(s);
	made_close(&m);
}

static void threads_of_this_process(void **state)
{
	struct process *p;
	struct snap *s;
	char *text;

	(void)state;
	assert_int_equal(process_open(getppid(), &p), 0);
	if (snap_take(p, SNAP_THREADS, 0, &s) == 0) { /* otherwise the kernel does not permit it */
		text = assert_same(s, NULL);
		has(text, "mapping 2 ");
		free(text);
		snap_free(s);
	}
	process_close(p);
}

static const char maps[] = "400000-500000 r-xp 00001000 08:01 77 /bin/prog\n"
			   "7f0000000000-7f0000100000 r-xp 00000000 08:01 78 /lib/libc.so.6\n";

/* Many samples of two events, with deep stacks in the kernel's part; some are equal. */
static struct process *many_samples(struct external *as)
{
	uint64_t pc[DEPTH], random = 1;
	struct process *p;

	assert_int_equal(external_open_mapped(4711, maps, sizeof(maps) - 1, as, &p), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		for (uint32_t k = 0; k < DEPTH; k++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			pc[k] = (k % 2 ? 0x400000 : 0x7f0000000000) + (random >> 33) % 0x1000;
		}
		external_add_sample(p, &(struct external_sample){
					       .kernel = pc, .n_kernel = DEPTH - i % 9, .event = i % 2, .weight = i });
	}
	return p;
}

static uint64_t ns_of(struct profile *(*make)(const struct snap *, snap_names_fn *), const struct snap *s)
{
	uint64_t best = UINT64_MAX, start;

	for (int i = 0; i < 5; i++) {
		start = (uint64_t)clock_cpu_ns();
		profile_free(make(s, NULL));
		start = (uint64_t)clock_cpu_ns() - start;
		best = start < best ? start : best;
	}
	return best;
}

static void samples_from_outside(void **state)
{
	struct external as = {
		.types = { .value = { { "samples", "count" }, { "cpu", "nanoseconds" }, { "faults", "count" } },
			   .period = { "cpu", "nanoseconds" },
			   .default_type = "cpu" },
		.period = 10000000
	};
	struct process *p = many_samples(&as);
	struct snap *s;
	char *text;

	(void)state;
	snprintf(as.comment[0], sizeof(as.comment[0]), "a test");
	snprintf(as.comment[2], sizeof(as.comment[2]), "more");
	assert_int_equal(snap_take(p, SNAP_EXTERNAL, 0, &s), 0);
	text = assert_same(s, name_of);
	has(text, "a test");
	has(text, "libc.so.6");
	free(text);
	print_message("%zu stacks: %.1f ms through a file, %.1f ms directly\n", s->row.n,
		      (double)ns_of(through_file, s) / 1e6, (double)ns_of(directly, s) / 1e6);
	snap_free(s);
	process_close(p);
	file_cache_release(&as.files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_with_labels),        cmocka_unit_test(cpu_time_without_samples),
		cmocka_unit_test(no_rows_and_no_mappings), cmocka_unit_test(threads_of_this_process),
		cmocka_unit_test(samples_from_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

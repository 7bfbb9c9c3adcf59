/*
 * fuzz_encode.c - a profile that is read, written and read again must not change
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "profile/encode.h"
#include "profile/label_order.h"

static void need(bool good, const char *what, uint32_t i)
{
	if (good)
		return;
	fprintf(stderr, "changed by writing and reading: %s %u\n", what, (unsigned)i);
	abort();
}

/* Two profiles, the second read from the encoded first. */
struct pair {
	const struct profile *a, *b;
	uint32_t *label_a, *label_b; /* labels in output order */
};

static bool same_text(const struct pair *x, str_id a, str_id b)
{
	size_t n = strtab_len(x->a->str, a);

	return n == strtab_len(x->b->str, b) && memcmp(profile_text(x->a, a), profile_text(x->b, b), n) == 0;
}

/* Readers treat an empty string as missing, wherever it is in the string table. */
static bool is_written(const struct profile *p, uint32_t l)
{
	if (p->label_is_text[l])
		return p->label_text[l] != 0;
	return p->label_num[l] || p->label_unit[l];
}

static void compare_labels(const struct pair *x, uint32_t row)
{
	const struct profile *a = x->a, *b = x->b;
	uint32_t i = a->label_sets.off[a->labels[row]], i_end = a->label_sets.off[a->labels[row] + 1];
	uint32_t k = b->label_sets.off[b->labels[row]], k_end = b->label_sets.off[b->labels[row] + 1];

	for (; i < i_end; i++) {
		uint32_t l = x->label_a[i], m;

		if (!is_written(a, l))
			continue;
		need(k < k_end, "number of labels of sample", row);
		m = x->label_b[k++];
		need(a->label_is_text[l] == b->label_is_text[m] && a->label_num[l] == b->label_num[m] &&
			     same_text(x, a->label_key[l], b->label_key[m]) &&
			     same_text(x, a->label_text[l], b->label_text[m]) &&
			     same_text(x, a->label_unit[l], b->label_unit[m]),
		     "label of sample", row);
	}
	need(k == k_end, "number of labels of sample", row);
}

static void compare_rows(const struct pair *x)
{
	const struct profile *a = x->a, *b = x->b;

	need(a->n_rows == b->n_rows && a->n_types == b->n_types, "numbers of rows and types", 0);
	for (uint32_t t = 0; t < a->n_types; t++) {
		need(same_text(x, a->type[t].name, b->type[t].name) && same_text(x, a->type[t].unit, b->type[t].unit),
		     "type", t);
		for (uint32_t i = 0; i < a->n_rows; i++)
			need(a->value[t][i] == b->value[t][i], "value of row", i);
	}
	for (uint32_t i = 0; i < a->n_rows; i++) {
		uint32_t at = a->stacks.off[a->stack[i]], n = a->stacks.off[a->stack[i] + 1] - at;
		uint32_t bt = b->stacks.off[b->stack[i]];

		need(n == b->stacks.off[b->stack[i] + 1] - bt, "depth of row", i);
		for (uint32_t k = 0; k < n; k++)
			need(stack_id_at(&a->stacks, at + k) == stack_id_at(&b->stacks, bt + k), "stack of row", i);
		compare_labels(x, i);
	}
}

static void compare_tables(const struct pair *x)
{
	const struct profile *a = x->a, *b = x->b;

	need(a->n_locs == b->n_locs && a->n_lines == b->n_lines && a->n_funcs == b->n_funcs, "numbers", 0);
	for (uint32_t i = 0; i < a->n_locs; i++)
		need(a->loc_id[i] == b->loc_id[i] && a->loc_addr[i] == b->loc_addr[i] &&
			     (a->n_maps == 0 || a->loc_map[i] == b->loc_map[i]) &&
			     a->loc_folded[i] == b->loc_folded[i] && a->loc_line[i + 1] == b->loc_line[i + 1],
		     "location", i);
	for (uint32_t i = 0; i < a->n_lines; i++)
		need(a->line_func[i] == b->line_func[i] && a->line_no[i] == b->line_no[i] &&
			     a->line_col[i] == b->line_col[i],
		     "line", i);
	for (uint32_t i = 0; i < a->n_funcs; i++)
		need(a->func_id[i] == b->func_id[i] && a->func_start[i] == b->func_start[i] &&
			     same_text(x, a->func_name[i], b->func_name[i]) &&
			     same_text(x, a->func_sysname[i], b->func_sysname[i]) &&
			     same_text(x, a->func_file[i], b->func_file[i]),
		     "function", i);
	need(b->n_maps == (a->n_maps ? a->n_maps : 1), "number of mappings", 0);
	for (uint32_t i = 0; i < a->n_maps; i++) {
		const struct mapping *m = &a->map[i], *o = &b->map[i];

		need(m->id == o->id && m->start == o->start && m->limit == o->limit && m->offset == o->offset &&
			     same_text(x, m->file, o->file) && same_text(x, m->build_id, o->build_id) &&
			     m->has_functions == o->has_functions && m->has_filenames == o->has_filenames &&
			     m->has_line_numbers == o->has_line_numbers && m->has_inline_frames == o->has_inline_frames,
		     "mapping", i);
	}
}

static void compare_meta(const struct pair *x)
{
	const struct profile_meta *a = &x->a->meta, *b = &x->b->meta;

	need(a->time_ns == b->time_ns && a->duration_ns == b->duration_ns && a->period == b->period, "times", 0);
	need(same_text(x, a->period_type.name, b->period_type.name) &&
		     same_text(x, a->period_type.unit, b->period_type.unit) &&
		     same_text(x, a->default_type, b->default_type) && same_text(x, a->drop_frames, b->drop_frames) &&
		     same_text(x, a->keep_frames, b->keep_frames) && same_text(x, a->doc_url, b->doc_url) &&
		     a->n_comments == b->n_comments,
	     "text about the profile", 0);
	for (uint32_t i = 0; i < a->n_comments; i++)
		need(same_text(x, a->comment[i], b->comment[i]), "comment", i);
}

static void compare(const struct profile *a, const struct profile *b)
{
	struct pair x = { a, b, profile_label_order(a), profile_label_order(b) };

	compare_rows(&x);
	compare_tables(&x);
	compare_meta(&x);
	free(x.label_a);
	free(x.label_b);
}

static void there_and_back(const struct profile *p)
{
	struct buf out = { 0 };
	struct profile *back = NULL;
	struct bytes in;
	struct err err = { 0 };

	need(profile_encode(p, &out, &err) == 0, err.msg, 0);
	in = fuzz_bytes((uint8_t *)out.data, out.len);
	buf_release(&out);
	need(formats_read(&in, &formats_options_default, &back, &err) == 0, err.msg, 0);
	compare(p, back);
	profile_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL;
	struct err err = { 0 };

	if (formats_read(&in, &fuzz_limits, &p, &err) == 0)
		there_and_back(p);
	profile_free(p);
	free(in.data);
	return 0;
}

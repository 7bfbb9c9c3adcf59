/*
 * pair.c - split the sources of a command line into base and new
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/report/pair.h"

#include "front/cli/messages.h"
#include "sources/stored.h"

/* Arguments of a side. */
struct pair_words {
	const char *const *word;
	size_t n;
};

/* Find the arguments of each side. Returns the exit status. */
static int pair_find_sides(const struct args *a, const char *usage, struct pair_words side[N_SIDES])
{
	const struct opt_list *base = a->q.base.n ? &a->q.base : &a->q.diff_base;
	size_t n_left = a->n_before_dashes ? a->n_before_dashes : 1;

	if (base->n) {
		side[SIDE_BASE] = (struct pair_words){ base->item, base->n };
		side[SIDE_NEW] = (struct pair_words){ a->word, a->n_words };
		if (a->n_words == 0)
			return say_error("no source to compare with the base; usage: %s", usage);
		return STATUS_FINE;
	}
	if (a->n_before_dashes && a->n_before_dashes == a->n_words)
		return say_error("no source after --; usage: %s", usage);
	if (n_left >= a->n_words || (a->n_before_dashes == 0 && a->n_words != 2))
		return say_error("%s needs two profiles, not %zu; usage: %s", a->report->name, a->n_words, usage);
	side[SIDE_BASE] = (struct pair_words){ a->word, n_left };
	side[SIDE_NEW] = (struct pair_words){ a->word + n_left, a->n_words - n_left };
	return STATUS_FINE;
}

int cmd_report_pair_find(const struct args *a, const char *usage, struct pair *out)
{
	static const char *const kind[N_SIDES] = { [SIDE_NEW] = "source", [SIDE_BASE] = "base" };
	struct pair_words side[N_SIDES] = { { NULL, 0 } };
	enum source_split split = a->report->input == INPUT_RUNS ? SPLIT_RUNS : SPLIT_NONE;
	size_t n_stdin = 0;
	struct err err;

	*out = (struct pair){ .mem = arena_new() };
	if (pair_find_sides(a, usage, side) != STATUS_FINE)
		return STATUS_TROUBLE;
	for (int i = 0; i < N_SIDES; i++) {
		if (sources_add(&out->source[i], side[i].word, side[i].n, split, &a->q, &err) < 0)
			return say_error("%s", err.msg);
		if (sources_check(&out->source[i], kind[i], &a->q, &n_stdin, &err) < 0)
			return say_error("%s", err.msg);
		out->from[i] = (struct side_sources){ .source = out->source[i].name, .n = out->source[i].n };
		if (stored_find_traffic(side[i].word, side[i].n, &a->q, out->mem, &out->traffic[i]))
			out->from[i].traffic = &out->traffic[i];
	}
	return STATUS_FINE;
}

void cmd_report_pair_release(struct pair *p)
{
	for (int i = 0; i < N_SIDES; i++)
		sources_release(&p->source[i]);
	if (p->mem)
		arena_free(p->mem);
	*p = (struct pair){ 0 };
}

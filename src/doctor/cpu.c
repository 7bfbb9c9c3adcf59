/*
 * cpu.c - the kinds of work that CPU time was used for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "doctor/cpu.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>
#include <string.h>

/* Sums of the functions of one kind. */
struct doctor_sums {
	const struct profile *p;
	int64_t *sum;     /* [n_funcs] */
	uint32_t *caller; /* [n_funcs] that of the largest stack */
	int64_t *largest; /* [n_funcs] */
};

/* The kind, the own function and its caller of each row. */
struct doctor_rows {
	uint8_t *kind;          /* [n_rows] */
	uint32_t *own, *caller; /* [n_rows] PROFILE_NONE: none */
};

static void doctor_sums_init(struct doctor_sums *s, const struct profile *p)
{
	s->p = p;
	s->sum = mem_zalloc((size_t)p->n_funcs + 1, sizeof(*s->sum));
	s->caller = mem_zalloc((size_t)p->n_funcs + 1, sizeof(*s->caller));
	s->largest = mem_zalloc((size_t)p->n_funcs + 1, sizeof(*s->largest));
}

static void doctor_sums_release(struct doctor_sums *s)
{
	free(s->sum);
	free(s->caller);
	free(s->largest);
}

static void doctor_sums_add(struct doctor_sums *s, uint32_t own, uint32_t caller, int64_t v)
{
	if (own == PROFILE_NONE)
		return;
	s->sum[own] = num_add_capped(s->sum[own], v);
	if (v > s->largest[own]) {
		s->largest[own] = v;
		s->caller[own] = caller;
	}
}

static struct doctor_function doctor_sums_top(const struct doctor_sums *s)
{
	const struct profile *p = s->p;
	uint32_t best = 0;

	for (uint32_t f = 1; f < p->n_funcs; f++)
		best = s->sum[f] > s->sum[best] ? f : best;
	if (p->n_funcs == 0 || s->sum[best] <= 0)
		return (struct doctor_function){ "", "", 0 };
	return (struct doctor_function){
		profile_text(p, p->func_name[best]),
		s->caller[best] == PROFILE_NONE ? "" : profile_text(p, p->func_name[s->caller[best]]), s->sum[best]
	};
}

static void doctor_rows_init(struct doctor_rows *rows, const struct profile *p)
{
	uint8_t *kind = doctor_frame_kinds(p);

	rows->kind = mem_alloc((size_t)p->n_rows + 1, sizeof(*rows->kind));
	rows->own = mem_alloc((size_t)p->n_rows + 1, sizeof(*rows->own));
	rows->caller = mem_alloc((size_t)p->n_rows + 1, sizeof(*rows->caller));
	for (uint32_t r = 0; r < p->n_rows; r++)
		rows->kind[r] = (uint8_t)doctor_frame_of_stack(p, kind, p->stack[r], &rows->own[r], &rows->caller[r]);
	free(kind);
}

static void doctor_rows_release(struct doctor_rows *rows)
{
	free(rows->kind);
	free(rows->own);
	free(rows->caller);
}

/* The own function with the largest sum of a kind; N_FRAME_KINDS: of all rows. */
static struct doctor_function largest_of_kind(const struct profile *p, const struct doctor_rows *rows,
					      const int64_t *value, int kind)
{
	struct doctor_sums sums;
	struct doctor_function top;

	doctor_sums_init(&sums, p);
	for (uint32_t r = 0; r < p->n_rows; r++)
		if (kind == N_FRAME_KINDS || rows->kind[r] == kind)
			doctor_sums_add(&sums, rows->own[r], rows->caller[r], value[r]);
	top = doctor_sums_top(&sums);
	doctor_sums_release(&sums);
	return top;
}

static bool is_not_sampled(const struct profile *p, uint32_t own)
{
	const char *name = own == PROFILE_NONE ? "" : profile_text(p, p->func_name[own]);

	return strcmp(name, "[cpa: not sampled]") == 0 || strcmp(name, "[cpa: lost]") == 0;
}

void doctor_cpu_make(const struct profile *p, struct doctor_cpu *out)
{
	const int64_t *value = p->value[p->n_types - 1];
	const int64_t *counts = doctor_frame_has_type(p, "samples") ? p->value[doctor_frame_type(p, "samples")] : NULL;
	struct doctor_rows rows;

	*out = (struct doctor_cpu){ .duration_ns = p->meta.duration_ns };
	doctor_rows_init(&rows, p);
	for (uint32_t r = 0; r < p->n_rows; r++) {
		enum frame_kind k = (enum frame_kind)rows.kind[r];

		if (is_not_sampled(p, rows.own[r])) {
			rows.kind[r] = N_FRAME_KINDS;
			out->not_sampled_ns = num_add_capped(out->not_sampled_ns, value[r]);
			continue;
		}
		out->n_samples = num_add_capped(out->n_samples, counts ? counts[r] : 1);
		out->kind_ns[k] = num_add_capped(out->kind_ns[k], value[r]);
		if (k != FRAME_PROFILER)
			out->total_ns = num_add_capped(out->total_ns, value[r]);
	}
	for (int k = 0; k < N_FRAME_KINDS; k++)
		out->top[k] = largest_of_kind(p, &rows, value, k);
	doctor_rows_release(&rows);
}

double doctor_cpu_share(const struct doctor_cpu *s, enum frame_kind kind)
{
	return s->total_ns > 0 ? (double)s->kind_ns[kind] / (double)s->total_ns : 0;
}

double doctor_cpu_cores(const struct doctor_cpu *s)
{
	return s->duration_ns > 0 ? (double)s->total_ns / (double)s->duration_ns : 0;
}

struct doctor_function doctor_cpu_largest(const struct profile *p, uint32_t type, int64_t *total)
{
	struct doctor_rows rows;
	struct doctor_function top;

	*total = 0;
	for (uint32_t r = 0; r < p->n_rows; r++)
		*total = num_add_capped(*total, p->value[type][r]);
	doctor_rows_init(&rows, p);
	top = largest_of_kind(p, &rows, p->value[type], N_FRAME_KINDS);
	doctor_rows_release(&rows);
	return top;
}

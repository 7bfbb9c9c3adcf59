/*
 * cpu.c - the kinds of work that CPU time was used for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "doctor/cpu.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Sums per kind and function. */
struct doctor_sums {
	const struct profile *p;
	int64_t *ns;      /* [N_FRAME_KINDS][n_funcs] */
	uint32_t *caller; /* [N_FRAME_KINDS][n_funcs] that of the largest stack */
	int64_t *largest; /* [N_FRAME_KINDS][n_funcs] */
};

static void doctor_sums_init(struct doctor_sums *s, const struct profile *p)
{
	size_t n = (size_t)N_FRAME_KINDS * p->n_funcs + 1;

	s->p = p;
	s->ns = mem_zalloc(n, sizeof(*s->ns));
	s->caller = mem_zalloc(n, sizeof(*s->caller));
	s->largest = mem_zalloc(n, sizeof(*s->largest));
}

static void doctor_sums_release(struct doctor_sums *s)
{
	free(s->ns);
	free(s->caller);
	free(s->largest);
}

static void doctor_sums_add(struct doctor_sums *s, enum frame_kind kind, uint32_t own, uint32_t caller, int64_t v)
{
	size_t at = (size_t)kind * s->p->n_funcs + own;

	s->ns[at] += v;
	if (v > s->largest[at]) {
		s->largest[at] = v;
		s->caller[at] = caller;
	}
}

static struct doctor_function doctor_sums_top(const struct doctor_sums *s, enum frame_kind kind)
{
	const struct profile *p = s->p;
	const int64_t *ns = s->ns + (size_t)kind * p->n_funcs;
	uint32_t best = 0, caller;

	for (uint32_t f = 1; f < p->n_funcs; f++)
		best = ns[f] > ns[best] ? f : best;
	if (p->n_funcs == 0 || ns[best] <= 0)
		return (struct doctor_function){ "", "", 0 };
	caller = s->caller[(size_t)kind * p->n_funcs + best];
	return (struct doctor_function){ profile_text(p, p->func_name[best]),
					 caller == PROFILE_NONE ? "" : profile_text(p, p->func_name[caller]),
					 ns[best] };
}

static bool is_not_sampled(const struct profile *p, uint32_t own)
{
	const char *name = own == PROFILE_NONE ? "" : profile_text(p, p->func_name[own]);

	return strcmp(name, "[cpa: not sampled]") == 0 || strcmp(name, "[cpa: lost]") == 0;
}

void doctor_cpu_make(const struct profile *p, struct doctor_cpu *out)
{
	uint8_t *kind = doctor_frame_kinds(p);
	const int64_t *value = p->value[p->n_types - 1];
	const int64_t *counts = doctor_frame_has_type(p, "samples") ? p->value[doctor_frame_type(p, "samples")] : NULL;
	struct doctor_sums sums;

	*out = (struct doctor_cpu){ .duration_ns = p->meta.duration_ns };
	doctor_sums_init(&sums, p);
	for (uint32_t r = 0; r < p->n_rows; r++) {
		uint32_t own, caller;
		enum frame_kind k = doctor_frame_of_stack(p, kind, p->stack[r], &own, &caller);

		if (is_not_sampled(p, own)) {
			out->not_sampled_ns += value[r];
			continue;
		}
		out->n_samples += counts ? counts[r] : 1;
		out->kind_ns[k] += value[r];
		out->total_ns += k == FRAME_PROFILER ? 0 : value[r];
		if (own != PROFILE_NONE)
			doctor_sums_add(&sums, k, own, caller, value[r]);
	}
	for (int k = 0; k < N_FRAME_KINDS; k++)
		out->top[k] = doctor_sums_top(&sums, (enum frame_kind)k);
	doctor_sums_release(&sums);
	free(kind);
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
	uint8_t *kind = doctor_frame_kinds(p);
	struct doctor_sums sums;
	struct doctor_function top;

	*total = 0;
	doctor_sums_init(&sums, p);
	for (uint32_t r = 0; r < p->n_rows; r++) {
		uint32_t own, caller;

		doctor_frame_of_stack(p, kind, p->stack[r], &own, &caller);
		*total += p->value[type][r];
		if (own != PROFILE_NONE)
			doctor_sums_add(&sums, FRAME_OWN, own, caller, p->value[type][r]);
	}
	top = doctor_sums_top(&sums, FRAME_OWN);
	doctor_sums_release(&sums);
	free(kind);
	return top;
}

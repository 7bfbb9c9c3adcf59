/*
 * fuzz_gate_sides.c - a gate with any two profiles, and all its outputs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The input is the base, "\n--\n" and the new side; without the separator it is both sides. The last two bytes
 * choose the options. Stops when numbers are inconsistent, or when an output violates its format.
 */
#include "config.h"

#include "fuzz.h"

#include "engine/query.h"
#include "report/gate/gate.h"
#include "viewers/ci/ci.h"
#include "viewers/json/report_json.h"
#include "viewers/text/gate.h"

#include <math.h>

static const char mark[] = "\n--\n";

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static struct query question(uint8_t a, uint8_t b)
{
	static const char *const normalize[] = { "bulk", "rest", "none", "duration", "share", "work", "bulk", "bulk" };
	static const char *const adjust[] = { "holm", "bh", "none", "holm" };
	struct query q;

	query_init(&q);
	q.for_gate = true;
	q.normalize = normalize[a & 7];
	if (strcmp(q.normalize, "work") == 0) {
		q.work_base = "1e300";
		q.work_new = "1e-300";
	}
	q.adjust = adjust[a >> 3 & 3];
	q.exact_names = a & 32;
	q.evidence = a & 64 ? "threshold" : "change";
	q.inconclusive = a & 128 ? "1" : "3";
	if (b & 1)
		q.min_samples = "0";
	if (b & 2)
		q.min_share = "0";
	if (b & 4)
		q.threshold = "0";
	if (b & 8)
		q.noise = "0";
	if (b & 16)
		q.max_new = "0";
	if (b & 32)
		q.need = "1%:1.21";
	if (b & 64)
		q.runtime = "warn";
	if (b & 128)
		q.focus = ".";
	return q;
}

/* Is v between 0 and 1, up to the rounding of sums in another order? */
static bool is_share(double v)
{
	return v >= 0 && v <= 1 + 1e-9;
}

static void judge_row(const struct gate_row *r)
{
	demand(r->verdict < N_GATE_VERDICTS && r->name && r->file && r->old_name && r->reason, "a row is incomplete");
	for (int side = 0; side < N_SIDES; side++) {
		demand(r->value[side] >= 0 && isfinite(r->value[side]), "invalid value");
		demand(r->count[side] >= 0 && isfinite(r->count[side]), "invalid count");
		demand(is_share(r->share[side]), "invalid share");
	}
	demand(isnan(r->ratio) || r->ratio >= 0, "negative ratio");
	demand(isnan(r->lo) == isnan(r->hi), "an interval has only one end");
	demand(isnan(r->lo) || (r->lo >= 0 && r->lo <= r->hi), "an interval ends before it begins");
	demand(isnan(r->p) || (r->p >= 0 && r->p <= 1), "p is not a probability");
	demand(isnan(r->p_adjusted) || (r->p_adjusted >= r->p && r->p_adjusted <= 1), "adjusting made p smaller");
	demand(isnan(r->p) == isnan(r->p_adjusted), "p without adjusted p");
	demand(r->verdict != GATE_FAIL || !isnan(r->p) || *r->reason, "a failure without a reason");
}

static void judge(const struct gate *g)
{
	uint32_t n[N_GATE_VERDICTS] = { 0 };

	for (uint32_t i = 0; i < g->n_rows; i++) {
		judge_row(&g->row[i]);
		demand(i == 0 || g->row[i - 1].verdict <= g->row[i].verdict, "rows are not in order");
		n[g->row[i].verdict]++;
	}
	demand(memcmp(n, g->n_verdict, sizeof(n)) == 0, "wrong counts of verdicts");
	demand((g->outcome == GATE_FAILED) == (n[GATE_FAIL] > 0), "failed without a failed row");
	demand(g->outcome != GATE_FAILED || g->status == 1, "failed without exit status 1");
	demand(g->outcome != GATE_PASS || g->status == 0, "passed without exit status 0");
	demand(g->outcome != GATE_PASS || g->n_tests > 0, "passed without a test");
	demand(g->need_samples > 0 && g->need_seconds >= 0, "invalid required samples");
	for (int side = 0; side < N_SIDES; side++)
		demand(g->side[side].samples > 0 && isfinite(g->side[side].samples) && g->side[side].value > 0 &&
			       g->side[side].preempted >= 0 && g->side[side].preempted <= 1 + 1e-9,
		       "a side is empty");
	for (uint32_t i = 0; i < g->n_power; i++)
		demand(g->power[i].ratio >= 1, "power for a ratio below 1");
}

/* Check that there are no control characters except newlines and tabs, since names may be hostile. */
static void judge_text(const struct buf *out)
{
	for (size_t i = 0; i < out->len; i++)
		demand((unsigned char)out->data[i] >= ' ' || strchr("\t\n", out->data[i]),
		       "a control character is let through");
	demand(out->len && out->data[out->len - 1] == '\n', "the text does not end with a newline");
}

/* Check that everything outside strings is punctuation, numbers, or one of three words. */
static void judge_json(const struct buf *out)
{
	static const char *const word[] = { "true", "false", "null" };
	int depth = 0;

	judge_text(out);
	for (const char *s = buf_text(out), *end = s + out->len; s < end; s++) {
		size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		bool known = n == 0 || (n == 1 && *s == 'e' && strchr("0123456789", s[-1]));

		depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
		demand(depth >= 0, "JSON closes more than it opens");
		for (int i = 0; i < 3 && n; i++)
			known |= strlen(word[i]) == n && memcmp(s, word[i], n) == 0;
		demand(known, "JSON has an unknown literal");
		s += n ? n - 1 : 0;
		if (*s != '"')
			continue;
		for (s++; s < end && *s != '"'; s++)
			s += *s == '\\';
		demand(s < end, "unterminated JSON string");
	}
	demand(depth == 0, "JSON is not closed");
}

static void draw(const struct gate *g)
{
	struct buf out = { 0 };
	struct err err;

	for (int all = 0; all < 2; all++) {
		text_draw_gate(g, false, all, &out);
		judge_text(&out);
		out.len = 0;
	}
	json_draw_gate(g, &out);
	judge_json(&out);
	out.len = 0;
	sarif_draw(g, &out);
	judge_json(&out);
	out.len = 0;
	github_draw(g, &out);
	judge_text(&out);
	for (const char *s = buf_text(&out); *s; s += strcspn(s, "\n") + 1)
		demand(strncmp(s, "::", 2) == 0, "a line is not a GitHub command");
	out.len = 0;
	ci_draw_markdown(g, &out);
	judge_text(&out);
	demand(out.len < 65536, "a comment is too long for GitHub");
	out.len = 0;
	if (junit_draw(g, &out, &err) == 0) /* libxml2 may be missing */
		judge_text(&out);
	buf_release(&out);
}

/* p is NULL, or the profile that sum uses; the caller frees it after sum */
static int take(struct gate_sum *sum, enum side side, const struct query *q, const uint8_t *data, size_t n,
		struct profile **p)
{
	struct bytes in = fuzz_bytes(data, n);
	struct buf notes = { 0 };
	struct err err = { 0 };
	int rc = formats_read(&in, &fuzz_limits, p, &err);

	if (rc == 0) {
		rc = gate_sum_add(sum, side, *p, "x.pb.gz", q, &notes, &err);
		demand(rc == 0 || (rc == err.code && *err.msg), "an error has no message");
	}
	buf_release(&notes);
	free(in.data);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct query q = question(n > 1 ? data[n - 2] : 0, n > 1 ? data[n - 1] : 0);
	const uint8_t *at = n > 1 ? memmem(data, n - 2, mark, sizeof(mark) - 1) : NULL;
	size_t n_base = at ? (size_t)(at - data) : n;
	const uint8_t *new = at ? at + sizeof(mark) - 1 : data;
	size_t n_new = at ? (size_t)(data + n - 2 - new) : n_base;
	struct gate_options options;
	struct profile *p[N_SIDES] = { NULL };
	struct gate_sum *sum;
	struct err err = { 0 };
	struct gate g;
	int rc = gate_options_make(&q, "2026-11-22", &options, &err);

	demand(rc == 0, err.msg);
	sum = gate_sum_new(&options);
	rc = take(sum, SIDE_BASE, &q, data, n_base, &p[SIDE_BASE]);
	if (rc == 0)
		rc = take(sum, SIDE_NEW, &q, new, n_new, &p[SIDE_NEW]);
	if (rc == 0 && gate_judge(sum, &g, &err) == 0) {
		judge(&g);
		draw(&g);
		gate_release(&g);
	}
	gate_sum_free(sum);
	profile_free(p[SIDE_BASE]);
	profile_free(p[SIDE_NEW]);
	gate_options_release(&options);
	query_release(&q);
	return 0;
}

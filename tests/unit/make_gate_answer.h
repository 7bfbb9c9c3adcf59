/*
 * make_gate_answer.h - results of a gate, for tests of their formats
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_GATE_ANSWER_H
#define TESTS_UNIT_MAKE_GATE_ANSWER_H

#include "report/gate/gate.h"

#include <math.h>
#include <string.h>

enum { ANSWER_ROWS = 80, ANSWER_MESSAGES = 12 };

/* A result, g, and its parts. */
struct answer {
	struct gate g;
	struct gate_options options;
	struct gate_row row[ANSWER_ROWS];
	struct gate_rename rename[4];
	struct gate_power power[4];
	struct gate_message note[ANSWER_MESSAGES], warning[ANSWER_MESSAGES];
};

static inline void answer_side(struct answer *a, enum side side, uint32_t n_files, double samples)
{
	static const char *const name[N_SIDES][4] = {
		{ "base-1.pb.gz", "base-2.pb.gz", "base-3.pb.gz", "base-4.pb.gz" },
		{ "new-1.pb.gz", "new-2.pb.gz", "new-3.pb.gz", "new-4.pb.gz" },
	};

	a->g.side[side] = (struct gate_side){
		.n_files = n_files,
		.source = name[side],
		.samples = samples,
		.value = samples,
		.seconds = 3.5 * n_files,
		.period = 10000000,
		.build_id = "",
		.host = "",
	};
}

/* Start a result with default options, four profiles per side, PASS, no rows. a must not move afterwards. */
static inline void answer_start(struct answer *a)
{
	static const double share[] = { 0.2, 0.1, 0.05, 0.01 }, ratio[] = { 1.254, 1.272, 1.358, 1.88 };

	*a = (struct answer){ 0 };
	a->options = (struct gate_options){
		.threshold = 0.2,
		.confidence = 0.99,
		.alpha = 0.01,
		.alpha_suspect = 0.1,
		.normalize = GATE_BULK,
		.min_share = 0.01,
		.min_samples = 40,
		.noise = 0.02,
		.adjust = STATS_HOLM,
		.look = 1,
		.looks = 1,
	};
	for (int i = 0; i < 4; i++)
		a->power[i] = (struct gate_power){ share[i], ratio[i] };
	a->g = (struct gate){
		.outcome = GATE_PASS,
		.options = &a->options,
		.type = "samples",
		.unit = "count",
		.period_unit = "nanoseconds",
		.total_ratio = 1.0039,
		.row = a->row,
		.rename = a->rename,
		.n_power = 4,
		.power = a->power,
		.missing = "",
		.need_share = 0.05,
		.need_ratio = 1.3,
		.need_samples = 14105.3,
		.need_seconds = 56.42,
		.note = a->note,
		.warning = a->warning,
	};
	answer_side(a, SIDE_BASE, 4, 3163);
	answer_side(a, SIDE_NEW, 4, 3248);
}

/* Add a row with these shares of both sides. Returns it, to be modified. */
static inline struct gate_row *answer_row(struct answer *a, enum gate_verdict verdict, const char *name, double base,
					  double now)
{
	struct gate_row *r = &a->row[a->g.n_rows++];
	const double share[N_SIDES] = { base, now };

	*r = (struct gate_row){
		.verdict = verdict,
		.kind = GATE_CUM,
		.name = name,
		.file = "",
		.ratio = NAN,
		.lo = NAN,
		.hi = NAN,
		.p = NAN,
		.p_adjusted = NAN,
		.limit = a->options.threshold,
		.dispersion = 1,
		.old_name = "",
		.reason = "",
	};
	for (int side = 0; side < N_SIDES; side++) {
		r->share[side] = share[side];
		r->value[side] = r->count[side] = share[side] * a->g.side[side].value;
	}
	a->g.n_verdict[verdict]++;
	return r;
}

/* Add a tested row, with ratio, interval and p. */
static inline struct gate_row *answer_tested(struct answer *a, enum gate_verdict verdict, const char *name,
					     const double share[N_SIDES], const double ratio[3], double p)
{
	struct gate_row *r = answer_row(a, verdict, name, share[SIDE_BASE], share[SIDE_NEW]);

	r->ratio = ratio[0];
	r->lo = ratio[1];
	r->hi = ratio[2];
	r->p = p / 30 < 1 ? p / 30 : 1;
	r->p_adjusted = p;
	a->g.n_tests++;
	return r;
}

#define ANSWER_SHARES(base, now)                                                                                       \
	(const double[N_SIDES])                                                                                        \
	{                                                                                                              \
		base, now                                                                                              \
	}
#define ANSWER_RATIO(ratio, lo, hi)                                                                                    \
	(const double[3])                                                                                              \
	{                                                                                                              \
		ratio, lo, hi                                                                                          \
	}

static inline void answer_note(struct answer *a, const char *id, const char *text)
{
	a->note[a->g.n_notes++] = (struct gate_message){ id, text };
}

static inline void answer_warn(struct answer *a, const char *id, const char *text)
{
	a->warning[a->g.n_warnings++] = (struct gate_message){ id, text };
}

/* Add rows with the verdicts OK and UNRESOLVED. */
static inline void answer_quiet(struct answer *a, uint32_t n_ok, uint32_t n_unresolved)
{
	for (uint32_t i = 0; i < n_unresolved; i++)
		answer_tested(a, GATE_UNRESOLVED, "main.small", ANSWER_SHARES(.011, .012), ANSWER_RATIO(1.09, .78, 1.5),
			      1);
	for (uint32_t i = 0; i < n_ok; i++)
		answer_tested(a, GATE_OK, "main.big", ANSWER_SHARES(.3, .29), ANSWER_RATIO(.97, .93, 1.01), 1);
}

/* Make a result that fails, with a row of almost every verdict. */
static inline void answer_red(struct answer *a)
{
	static const char *const close[] = { "compress/flate.(*compressor).close",
					     "compress/flate.(*compressor).deflate", "compress/gzip.(*Writer).Write",
					     "main.pack" };
	struct gate_row *r;

	answer_start(a);
	a->g.outcome = GATE_FAILED;
	a->g.status = 1;
	r = answer_tested(a, GATE_FAIL, "main.scoreA", ANSWER_SHARES(.157, .189), ANSWER_RATIO(1.265, 1.184, 1.351),
			  4e-7);
	r->file = "score.go";
	r->line = 4;
	r = answer_tested(a, GATE_FAIL, "compress/gzip.(*Writer).Close", ANSWER_SHARES(.0612, .0914),
			  ANSWER_RATIO(1.531, 1.263, 1.8334), 8.9e-5);
	r->kind = GATE_FLAT;
	r->file = "/usr/local/go/src/compress/gzip/gzip.go";
	r->line = 226;
	r->alias = close;
	r->n_aliases = 4;
	r = answer_tested(a, GATE_SUSPECT, "main.parseOrder", ANSWER_SHARES(.0431, .0528),
			  ANSWER_RATIO(1.28, 1.02, 1.61), .047);
	r->file = "parse.go";
	r->line = 31;
	r->dispersion = 2.4;
	r = answer_tested(a, GATE_MOVED, "main.(*table).grow", ANSWER_SHARES(.02, .05), ANSWER_RATIO(2.5, 1.9, 3.3),
			  2e-6);
	r->kind = GATE_FLAT;
	r->reason = "its callees shrank by 80% of what it grew";
	r = answer_row(a, GATE_NEW, "main.audit", 0, .0973);
	r->reason = "2.1% is allowed";
	r = answer_tested(a, GATE_IMPROVED, "main.walkTable", ANSWER_SHARES(.12, .08), ANSWER_RATIO(.652, .61, .71), 1);
	r->old_name = "main.walk";
	answer_quiet(a, 9, 46);
	answer_row(a, GATE_GONE, "main.oldAudit", .013, 0);
	r = answer_tested(a, GATE_SKIPPED, "main.render", ANSWER_SHARES(.03, .06), ANSWER_RATIO(2, 1.7, 2.36), 3e-5);
	r->reason = "allowed until 2026-12-31 by gate.cpa:3: new fonts";
	a->rename[0] = (struct gate_rename){ "main.scoreB", "main.rankOrders", 1.02, false };
	a->rename[1] = (struct gate_rename){ "main.oldSum", "main.sum", NAN, true };
	a->g.n_renames = 2;
	answer_note(a, "update_baseline", "cheaper than before: main.walkTable; update the base to keep it so");
	answer_warn(a, "contended", "base is contended (7.8% preempted samples against 1.1%)");
}

/* Make a result that passes, with few proved rows. */
static inline void answer_pass(struct answer *a)
{
	answer_start(a);
	answer_quiet(a, 9, 46);
}

/* Make a result of short profiles, with a SUSPECT row. */
static inline void answer_unsure(struct answer *a)
{
	struct gate_row *r;

	answer_start(a);
	answer_side(a, SIDE_BASE, 1, 310);
	answer_side(a, SIDE_NEW, 1, 298);
	a->g.outcome = GATE_INCONCLUSIVE;
	a->g.is_underpowered = true;
	a->g.missing = "304 samples per side, 14,106 needed (57 s at 250 Hz)";
	a->power[0].ratio = 2.2;
	a->power[1].ratio = 3.1;
	a->power[2].ratio = 6.4;
	a->power[3].ratio = INFINITY;
	r = answer_tested(a, GATE_SUSPECT, "main.scoreA", ANSWER_SHARES(.15, .26), ANSWER_RATIO(1.92, 1.38, 2.7), .031);
	r->file = "score.go";
	r->line = 4;
	answer_quiet(a, 0, 12);
	answer_warn(a, "one_pair", "variation between runs is unknown: pass at least 3 profiles per side");
}

#endif

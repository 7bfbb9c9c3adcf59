/*
 * options.c - the options of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * gate.cpa may set most options of the gate. Both use the same table: defaults first, then the lines of the file, then
 * the command line.
 */
#include "config.h"

#include "report/gate/options.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"
#include "engine/query.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 20, LOOKS_MAX = 100 };

/* The value stored for a budget of 0 %, which only a function without samples meets. */
static const double budget_min = 1e-9;

/* Parse a number that begins with a digit or a dot: no sign, no 0x, no nan. */
static bool gate_options_parse_number(const char *text, size_t n, double *out)
{
	char copy[40], *end;

	if (n == 0 || n >= sizeof(copy) || strspn(text, "0123456789.eE+-") < n || !strchr("0123456789.", *text))
		return false;
	memcpy(copy, text, n);
	copy[n] = 0;
	*out = strtod(copy, &end);
	return *end == 0 && end > copy && isfinite(*out);
}

/*
 * Parse a share or a change: "20%" or "0.2". A number above 1 needs a % sign.
 *
 * prefix    start of the error message: "--threshold="
 * Fails   ERR_USAGE
 */
static int gate_parse_percent(const char *text, const char *prefix, double *out, struct err *err)
{
	size_t n = strlen(text);
	bool percent = n > 0 && text[n - 1] == '%';
	double v;

	if (!gate_options_parse_number(text, n - percent, &v))
		return err_set(err, ERR_USAGE, "%s%s: not a percentage; write 20%% or 0.2", prefix, text);
	if (!percent && v > 1)
		return err_set(err, ERR_USAGE, "%s%s: write %s%%, or a number up to 1", prefix, text, text);
	*out = percent ? v / 100 : v;
	return 0;
}

/* Parse a percentage in [least, below). choose describes the range in the error message. */
static int parse_percent(const char *text, const char *prefix, double least, double below, const char *choose,
			 double *out, struct err *err)
{
	double v = 0;
	int rc = gate_parse_percent(text, prefix, &v, err);

	assert(least < below);
	if (rc < 0)
		return rc;
	if (!(v >= least && v < below))
		return err_set(err, ERR_USAGE, "%s%s: must be %s", prefix, text, choose);
	*out = v;
	return 0;
}

int gate_options_parse_amount(enum gate_rule_kind kind, const char *text, const char *prefix, double *out,
			      struct err *err)
{
	int rc;

	if (kind == GATE_LIMIT)
		return parse_percent(text, prefix, 0, 1000, "less than 100000%", out, err);
	if (kind == GATE_NOISE)
		return parse_percent(text, prefix, 0, 1, "less than 100%", out, err);
	rc = parse_percent(text, prefix, 0, 1, "less than 100%", out, err);
	*out = rc < 0 ? *out : fmax(*out, budget_min);
	return rc;
}

/* Find text in a NULL-terminated list of words. */
static int parse_word(const char *text, const char *prefix, const char *const *words, int *out, struct err *err)
{
	struct buf all = { 0 };
	int rc;

	for (int i = 0; words[i]; i++) {
		if (strcmp(text, words[i]) == 0) {
			*out = i;
			buf_release(&all);
			return 0;
		}
		buf_addf(&all, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	rc = err_set(err, ERR_USAGE, "%s%s: must be %s", prefix, text, buf_text(&all));
	buf_release(&all);
	return rc;
}

static int set_threshold(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	return gate_options_parse_amount(GATE_LIMIT, text, prefix, &options->threshold, err);
}

static int set_confidence(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	double v = 0;
	int rc = parse_percent(text, prefix, 0, 1, "more than 50% and less than 100%", &v, err);

	if (rc < 0)
		return rc;
	if (v <= 0.5)
		return err_set(err, ERR_USAGE, "%s%s: must be more than 50%% and less than 100%%", prefix, text);
	options->confidence = v;
	return 0;
}

static int set_evidence(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	static const char *const words[] = { "change", "threshold", NULL };
	int at = 0, rc = parse_word(text, prefix, words, &at, err);

	if (rc == 0)
		options->strict = at == 1;
	return rc;
}

static int set_min_share(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	return parse_percent(text, prefix, 0, 1, "less than 100%", &options->min_share, err);
}

static int set_min_samples(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	double v;

	if (!gate_options_parse_number(text, strlen(text), &v))
		return err_set(err, ERR_USAGE, "%s%s: not a number of samples", prefix, text);
	options->min_samples = v;
	return 0;
}

/* Parse SHARE:RATIO, where the ratio is 1.3 or +30%. */
static int set_need(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	const char *colon = strchr(text, ':'), *ratio = colon ? colon + 1 : "";
	double share = 0, r = 0;
	int rc;

	if (!colon || !*ratio)
		return err_set(err, ERR_USAGE, "%s%s: expected SHARE:RATIO, such as 5%%:1.3 or 5%%:+30%%", prefix,
			       text);
	rc = parse_percent(arena_strndup(options->mem, text, (size_t)(colon - text)), prefix, 1e-6, 1,
			   "a share of more than 0% and less than 100%", &share, err);
	if (rc < 0)
		return rc;
	if (*ratio == '+') {
		rc = gate_parse_percent(ratio + 1, prefix, &r, err);
		if (rc < 0)
			return rc;
		r += 1;
	} else if (!gate_options_parse_number(ratio + (*ratio == 'x'), strlen(ratio) - (*ratio == 'x'), &r)) {
		r = 0;
	}
	if (r <= 1)
		return err_set(err, ERR_USAGE, "%s%s: the ratio must be more than 1, as in 5%%:1.3 or 5%%:+30%%",
			       prefix, text);
	options->has_need = true;
	options->need_share = share;
	options->need_ratio = r;
	return 0;
}

static int set_max_new(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	return gate_options_parse_amount(GATE_BUDGET, text, prefix, &options->max_new, err);
}

/* -normalize without a value is pprof's option, which makes the totals equal. */
static int set_normalize(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	static const char *const words[] = { "bulk", "rest", "work", "none", "duration", "share", NULL };
	int at = GATE_SHARE, rc = 0;

	if (strcmp(text, "false") == 0)
		at = GATE_BULK;
	else if (strcmp(text, "true") != 0 && strcmp(text, "total") != 0)
		rc = parse_word(text, prefix, words, &at, err);
	if (rc == 0) {
		options->normalize = (enum gate_normalize)at;
		options->has_normalize = strcmp(text, "false") != 0;
	}
	return rc;
}

static int set_inconclusive(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	static const char *const words[] = { "0", "1", "3", NULL };
	static const int status[] = { 0, 1, 3 };
	int at = 0, rc = parse_word(text, prefix, words, &at, err);

	if (rc == 0)
		options->inconclusive = status[at];
	return rc;
}

static int set_adjust(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	static const char *const words[] = { "holm", "bh", "none", NULL };
	static const enum stats_adjust value[] = { STATS_HOLM, STATS_BH, STATS_UNADJUSTED };
	int at = 0, rc = parse_word(text, prefix, words, &at, err);

	if (rc == 0)
		options->adjust = value[at];
	return rc;
}

static int set_noise(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	return gate_options_parse_amount(GATE_NOISE, text, prefix, &options->noise, err);
}

static int set_fold(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	struct regex *r = NULL;
	int rc = *text ? regex_new(text, &r, err) : 0;

	if (rc < 0) {
		err_wrap(err, "%s%s", prefix, text);
		return rc;
	}
	/* the first call sets the default, later calls set what the user passed */
	options->has_own_fold |= options->fold != NULL;
	regex_free(options->fold);
	options->fold = r;
	return 0;
}

static int set_runtime(struct gate_options *options, const char *prefix, const char *text, struct err *err)
{
	static const char *const words[] = {
		[GATE_RUNTIME_WORK] = "work", [GATE_RUNTIME_FAIL] = "fail", [GATE_RUNTIME_WARN] = "warn", NULL
	};
	int at = 0, rc = parse_word(text, prefix, words, &at, err);

	if (rc == 0)
		options->runtime = (enum gate_runtime)at;
	return rc;
}

static const struct setting {
	const char *name;
	size_t at; /* offset of the option in struct query */
	int (*set)(struct gate_options *options, const char *prefix, const char *text, struct err *err);
} settings[] = {
#define SETTING(name, field)                                                                                           \
	{                                                                                                              \
		name, offsetof(struct query, field), set_##field                                                       \
	}
	SETTING("threshold", threshold),
	SETTING("confidence", confidence),
	SETTING("evidence", evidence),
	SETTING("min-share", min_share),
	SETTING("min-samples", min_samples),
	SETTING("need", need),
	SETTING("max-new", max_new),
	SETTING("normalize", normalize),
	SETTING("noise", noise),
	SETTING("adjust", adjust),
	SETTING("fold", fold),
	SETTING("runtime", runtime),
	SETTING("inconclusive", inconclusive),
	{ "max-regress", offsetof(struct query, max_regress), set_threshold },
#undef SETTING
};
enum { N_SETTINGS = sizeof(settings) / sizeof(settings[0]) };

int gate_options_set(struct gate_options *options, const char *name, const char *prefix, const char *value,
		     struct err *err)
{
	for (int i = 0; i < N_SETTINGS; i++)
		if (strcmp(name, settings[i].name) == 0)
			return settings[i].set(options, prefix, value, err);
	return ERR_UNKNOWN;
}

/*
 * Compile an expression that matches a whole name. The replacement is tested on an empty string, with the expression
 * extended to match it.
 */
static int compile_rename(const char *pattern, const char *to, struct regex **out, struct err *err)
{
	struct buf b = { 0 }, name = { 0 };
	struct regex *or_nothing;
	bool yes;
	int rc;

	buf_addf(&b, "(?:%s)|", pattern);
	rc = regex_new(buf_text(&b), &or_nothing, err);
	if (rc == 0) {
		rc = regex_replace(or_nothing, "", 0, to, &name, &yes, err);
		regex_free(or_nothing);
	}
	b.len = 0;
	buf_addf(&b, "^(?:%s)$", pattern);
	if (rc == 0)
		rc = regex_new(buf_text(&b), out, err);
	buf_release(&b);
	buf_release(&name);
	return rc;
}

int gate_options_add_rule(struct gate_options *options, struct gate_rule rule, struct err *err)
{
	const char **const texts[] = { &rule.pattern, &rule.to, &rule.reason, &rule.until, &rule.file };
	int rc;

	assert(rule.pattern && !rule.regex && (rule.kind != GATE_RENAME || rule.to));
	if (!*rule.pattern)
		return err_set(err, ERR_USAGE, "an empty expression matches every function; write . to match all");
	rc = regex_new(rule.pattern, &rule.regex, err);
	if (rc < 0)
		return rc;
	if (rule.kind == GATE_RENAME) {
		regex_free(rule.regex);
		rc = compile_rename(rule.pattern, rule.to, &rule.regex, err);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = *texts[i] ? arena_strndup(options->mem, *texts[i], strlen(*texts[i])) : "";
	options->rule = mem_grow(options->rule, &options->cap_rules, options->n_rules + 1, sizeof(*options->rule));
	options->rule[options->n_rules++] = rule;
	return 0;
}

/* Add the rules of options: --limit=REGEX=50%, split at the last "=", and --rename=OLD=NEW, split at the first. */
static int add_option_rules(const struct query *q, struct gate_options *options, struct err *err)
{
	int rc;

	for (size_t i = 0; i < q->limit.n; i++) {
		const char *text = q->limit.item[i], *sign = strrchr(text, '=');
		struct gate_rule rule = { .kind = GATE_LIMIT, .file = "--limit" };

		if (!sign)
			return err_set(err, ERR_USAGE,
				       "--limit=%s: expected REGEX=PERCENT, such as --limit='^main\\.=50%%'", text);
		rule.pattern = arena_strndup(options->mem, text, (size_t)(sign - text));
		rc = gate_options_parse_amount(GATE_LIMIT, sign + 1, "--limit=...=", &rule.amount, err);
		if (rc == 0) {
			rc = gate_options_add_rule(options, rule, err);
			if (rc < 0)
				err_wrap(err, "--limit=%s", text);
		}
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < q->rename.n; i++) {
		const char *text = q->rename.item[i], *sign = strchr(text, '=');
		struct gate_rule rule = { .kind = GATE_RENAME, .file = "--rename" };

		if (!sign || sign == text || !sign[1])
			return err_set(err, ERR_USAGE, "--rename=%s: expected OLD=NEW", text);
		rule.pattern = arena_strndup(options->mem, text, (size_t)(sign - text));
		rule.to = sign + 1;
		rc = gate_options_add_rule(options, rule, err);
		if (rc < 0) {
			err_wrap(err, "--rename=%s", text);
			return rc;
		}
	}
	return 0;
}

/* Returns true if the option was given. Compares pointers, since a given value may equal the default. */
static bool was_given(const struct query *q, size_t at)
{
	for (size_t i = 0; i < query_n_options; i++)
		if (query_options[i].at == at)
			return *(const char *const *)((const char *)q + at) != query_options[i].default_text;
	return false;
}

/* Apply the values of the options that were given, or else the default values of all others. */
static int gate_options_apply_settings(const struct query *q, bool given, struct gate_options *options, struct err *err)
{
	char prefix[64];

	for (int i = 0; i < N_SETTINGS; i++) {
		const char *text = *(const char *const *)((const char *)q + settings[i].at);
		int rc;

		if (was_given(q, settings[i].at) != given || (!given && !*text))
			continue; /* an empty value is an error if it was given explicitly */
		snprintf(prefix, sizeof(prefix), "--%s=", settings[i].name);
		rc = settings[i].set(options, prefix, text, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int apply_work(const struct query *q, struct gate_options *options, struct err *err)
{
	const char *const text[] = { q->work_base, q->work_new };
	static const char *const name[] = { "--work-base", "--work-new" };

	if (!*text[SIDE_BASE] != !*text[SIDE_NEW]) {
		bool base = *text[SIDE_BASE];

		return err_set(err, ERR_USAGE, "%s without %s; pass both", name[!base], name[base]);
	}
	if (options->normalize == GATE_WORK && !*text[SIDE_BASE])
		return err_set(err, ERR_USAGE, "--normalize=work needs --work-base and --work-new");
	if (!*text[SIDE_BASE])
		return 0;
	if (options->normalize != GATE_WORK && was_given(q, offsetof(struct query, normalize)))
		return err_set(err, ERR_USAGE, "--work-base and --normalize=%s contradict each other",
			       gate_normalize_word(options->normalize));
	for (int side = 0; side < N_SIDES; side++)
		if (!gate_options_parse_number(text[side], strlen(text[side]), &options->work[side]) ||
		    !(options->work[side] > 0))
			return err_set(err, ERR_USAGE, "%s=%s: expected a number above 0", name[side], text[side]);
	options->normalize = GATE_WORK;
	options->has_normalize = true;
	return 0;
}

static int apply_look(const struct query *q, struct gate_options *options, struct err *err)
{
	const char *slash = strchr(q->look, '/');
	double look = 0, looks = 0;

	if (!slash || !gate_options_parse_number(q->look, (size_t)(slash - q->look), &look) ||
	    !gate_options_parse_number(slash + 1, strlen(slash + 1), &looks) || look != floor(look) ||
	    looks != floor(looks) || look < 1 || looks < look || looks > LOOKS_MAX)
		return err_set(err, ERR_USAGE,
			       "--look=%s: expected K/N for interim check K of N, such as 2/3; N is at most %d",
			       q->look, LOOKS_MAX);
	options->look = (unsigned)look;
	options->looks = (unsigned)looks;
	assert(options->look >= 1 && options->look <= options->looks);
	return 0;
}

static int read_config(const char *path, const char *today, struct gate_options *options, struct err *err)
{
	struct bytes b = { 0 };
	struct buf date = { 0 };
	int rc;

	rc = io_read_file(path, FILE_MAX, NULL, &b, err);
	if (rc < 0) {
		err_wrap(err, "--config=%s", path);
		return rc;
	}
	if (!today)
		time_add_utc(&date, clock_wall_ns(), "%Y-%m-%d");
	rc = gate_config_read(options, (const char *)b.data, b.n, path, today ? today : buf_text(&date), err);
	buf_release(&date);
	free(b.data);
	return rc;
}

/* The default ratio of --need to --threshold: 50 % for a threshold of 20 %. */
#define NEED_PER_THRESHOLD 2.5

/* Check that the options are consistent, and derive the significance levels. */
static int gate_options_finish(const struct query *q, struct gate_options *options, struct err *err)
{
	double a = options->threshold;

	if (was_given(q, offsetof(struct query, threshold)) && *q->max_regress) {
		gate_parse_percent(q->threshold, "", &a, NULL);
		if (a != options->threshold)
			return err_set(err, ERR_USAGE,
				       "--threshold=%s and --max-regress=%s are the same option: choose one",
				       q->threshold, q->max_regress);
	}
	if (!options->has_need) /* a ratio within the threshold is never detected */
		options->need_ratio = fmax(options->need_ratio, 1 + NEED_PER_THRESHOLD * options->threshold);
	if (options->need_ratio <= 1 + options->threshold)
		return err_set(err, ERR_USAGE,
			       "need: x%g is within the threshold of +%g%%, so no number of samples can detect it",
			       options->need_ratio, options->threshold * 100);
	options->alpha = (1 - options->confidence) / options->looks;
	options->alpha_suspect = fmax(0.1, 1 - options->confidence) / options->looks;
	assert(options->alpha > 0 && options->alpha <= options->alpha_suspect && options->alpha_suspect < 1);
	options->exact_names = q->exact_names;
	return 0;
}

int gate_options_make(const struct query *q, const char *today, struct gate_options *out, struct err *err)
{
	int rc;

	*out = (struct gate_options){ .mem = arena_new() };
	rc = gate_options_apply_settings(q, false, out, err);
	out->has_need = false;
	if (rc == 0 && was_given(q, offsetof(struct query, config)))
		rc = read_config(q->config, today, out, err);
	if (rc == 0)
		rc = gate_options_apply_settings(q, true, out, err);
	if (rc == 0)
		rc = add_option_rules(q, out, err);
	if (rc == 0)
		rc = apply_work(q, out, err);
	if (rc == 0)
		rc = apply_look(q, out, err);
	return rc == 0 ? gate_options_finish(q, out, err) : rc;
}

void gate_options_release(struct gate_options *options)
{
	for (size_t i = 0; i < options->n_rules; i++)
		regex_free(options->rule[i].regex);
	free(options->rule);
	regex_free(options->fold);
	arena_free(options->mem);
	*options = (struct gate_options){ 0 };
}

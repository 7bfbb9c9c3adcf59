/*
 * how.c - what a gate is asked: its options
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file of a gate may set most of what its options set. Both go through the same table: presets first, then
 * the file, then what the command line gave.
 */
#include "config.h"

#include "report/gate/how_int.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FILE_MAX = 1 << 20, LOOKS_MAX = 100 };

/* A share of nothing: what only something that is not there can keep. */
static const double nearly_nothing = 1e-9;

/* A number that begins with a digit or a dot: no signs, no 0x, no nan. */
static bool plain_number(const char *text, size_t n, double *out)
{
	char copy[40], *end;

	if (n == 0 || n >= sizeof(copy) || strspn(text, "0123456789.eE+-") < n || !strchr("0123456789.", *text))
		return false;
	memcpy(copy, text, n);
	copy[n] = 0;
	*out = strtod(copy, &end);
	return *end == 0 && end > copy && isfinite(*out);
}

int gate_percent(const char *text, const char *what, double *out, struct err *err)
{
	size_t n = strlen(text);
	bool percent = n > 0 && text[n - 1] == '%';
	double v;

	if (!plain_number(text, n - percent, &v))
		return err_set(err, ERR_USAGE, "%s%s: not a percentage; write 20%% or 0.2", what, text);
	if (!percent && v > 1)
		return err_set(err, ERR_USAGE, "%s%s: is that %s%%? write the %% sign, or a number up to 1", what, text,
			       text);
	*out = percent ? v / 100 : v;
	return 0;
}

/* The same, of numbers from least up to below: text says which. */
static int percent_in(const char *text, const char *what, double least, double below, const char *choose, double *out,
		      struct err *err)
{
	double v = 0;
	int rc = gate_percent(text, what, &v, err);

	if (rc < 0)
		return rc;
	if (!(v >= least && v < below))
		return err_set(err, ERR_USAGE, "%s%s: choose %s", what, text, choose);
	*out = v;
	return 0;
}

int gate_how_amount(enum gate_rule_kind kind, const char *text, const char *what, double *out, struct err *err)
{
	int rc;

	if (kind == GATE_LIMIT)
		return percent_in(text, what, 0, 1000, "less than 100000%", out, err);
	if (kind == GATE_NOISE)
		return percent_in(text, what, 0, 1, "less than 100%", out, err);
	rc = percent_in(text, what, 0, 1, "less than 100%", out, err);
	*out = rc < 0 ? *out : fmax(*out, nearly_nothing);
	return rc;
}

/* Which of words is it? They end with NULL. */
static int choose(const char *text, const char *what, const char *const *words, int *out, struct err *err)
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
	rc = err_set(err, ERR_USAGE, "%s%s: choose %s", what, text, buf_text(&all));
	buf_release(&all);
	return rc;
}

static int set_threshold(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	return gate_how_amount(GATE_LIMIT, text, what, &how->threshold, err);
}

static int set_confidence(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	double v = 0;
	int rc = percent_in(text, what, 0, 1, "more than 50% and less than 100%", &v, err);

	if (rc < 0)
		return rc;
	if (v <= 0.5)
		return err_set(err, ERR_USAGE, "%s%s: choose more than 50%% and less than 100%%", what, text);
	how->confidence = v;
	return 0;
}

static int set_evidence(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	static const char *const words[] = { "change", "threshold", NULL };
	int at = 0, rc = choose(text, what, words, &at, err);

	if (rc == 0)
		how->strict = at == 1;
	return rc;
}

static int set_min_share(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	return percent_in(text, what, 0, 1, "less than 100%", &how->min_share, err);
}

static int set_min_samples(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	double v;

	if (!plain_number(text, strlen(text), &v))
		return err_set(err, ERR_USAGE, "%s%s: not a number of samples", what, text);
	how->min_samples = v;
	return 0;
}

/* SHARE:RATIO, where the ratio is 1.3 or +30%. */
static int set_need(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	const char *colon = strchr(text, ':'), *ratio = colon ? colon + 1 : "";
	double share = 0, r = 0;
	int rc;

	if (!colon || !*ratio)
		return err_set(err, ERR_USAGE, "%s%s: write SHARE:RATIO, as in 5%%:1.3 or 5%%:+30%%", what, text);
	rc = percent_in(arena_strndup(how->mem, text, (size_t)(colon - text)), what, 1e-6, 1,
			"a share of more than 0% and less than 100%", &share, err);
	if (rc < 0)
		return rc;
	if (*ratio == '+') {
		rc = gate_percent(ratio + 1, what, &r, err);
		if (rc < 0)
			return rc;
		r += 1;
	} else if (!plain_number(ratio + (*ratio == 'x'), strlen(ratio) - (*ratio == 'x'), &r)) {
		r = 0;
	}
	if (r <= 1)
		return err_set(err, ERR_USAGE, "%s%s: the ratio is more than 1, as in 5%%:1.3 or 5%%:+30%%", what,
			       text);
	how->has_need = true;
	how->need_share = share;
	how->need_ratio = r;
	return 0;
}

static int set_max_new(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	return gate_how_amount(GATE_BUDGET, text, what, &how->max_new, err);
}

/* -normalize alone is pprof's, which makes the totals equal. */
static int set_normalize(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	static const char *const words[] = { "bulk", "rest", "work", "none", "duration", "share", NULL };
	int at = GATE_SHARE, rc = 0;

	if (strcmp(text, "false") == 0)
		at = GATE_BULK;
	else if (strcmp(text, "true") != 0 && strcmp(text, "total") != 0)
		rc = choose(text, what, words, &at, err);
	if (rc == 0)
		how->normalize = (enum gate_normalize)at;
	return rc;
}

static int set_inconclusive(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	static const char *const words[] = { "0", "1", "3", NULL };
	static const int status[] = { 0, 1, 3 };
	int at = 0, rc = choose(text, what, words, &at, err);

	if (rc == 0)
		how->inconclusive = status[at];
	return rc;
}

static int set_adjust(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	static const char *const words[] = { "holm", "bh", "none", NULL };
	static const enum stats_adjust value[] = { STATS_HOLM, STATS_BH, STATS_UNADJUSTED };
	int at = 0, rc = choose(text, what, words, &at, err);

	if (rc == 0)
		how->adjust = value[at];
	return rc;
}

static int set_noise(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	return gate_how_amount(GATE_NOISE, text, what, &how->noise, err);
}

static int set_fold(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	struct regex *r = NULL;
	int rc = *text ? regex_new(text, &r, err) : 0;

	if (rc < 0) {
		err_wrap(err, "%s%s", what, text);
		return rc;
	}
	how->has_own_fold |= how->fold != NULL; /* the preset came first */
	regex_free(how->fold);
	how->fold = r;
	return 0;
}

static int set_runtime(struct gate_how *how, const char *what, const char *text, struct err *err)
{
	static const char *const words[] = { "fail", "warn", NULL };
	int at = 0, rc = choose(text, what, words, &at, err);

	if (rc == 0)
		how->warn_runtime = at == 1;
	return rc;
}

static const struct setting {
	const char *name;
	size_t at; /* in struct query */
	int (*set)(struct gate_how *how, const char *what, const char *text, struct err *err);
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

int gate_how_set(struct gate_how *how, const char *name, const char *what, const char *value, struct err *err)
{
	for (int i = 0; i < N_SETTINGS; i++)
		if (strcmp(name, settings[i].name) == 0)
			return settings[i].set(how, what, value, err);
	return ERR_UNKNOWN;
}

/* Was the option given? Then its text is not the one of the table of options, even if it reads the same. */
static bool was_given(const struct query *q, size_t at)
{
	for (size_t i = 0; i < query_n_options; i++)
		if (query_options[i].at == at)
			return *(const char *const *)((const char *)q + at) != query_options[i].preset;
	return false;
}

/* The presets of the options, or what was given. */
static int take_settings(const struct query *q, bool given, struct gate_how *how, struct err *err)
{
	char what[64];

	for (int i = 0; i < N_SETTINGS; i++) {
		const char *text = *(const char *const *)((const char *)q + settings[i].at);
		int rc;

		if (was_given(q, settings[i].at) != given || (!given && !*text))
			continue; /* one that was given and is empty is a mistake, of a script say */
		snprintf(what, sizeof(what), "--%s=", settings[i].name);
		rc = settings[i].set(how, what, text, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int take_work(const struct query *q, struct gate_how *how, struct err *err)
{
	const char *const text[] = { q->work_base, q->work_new };
	static const char *const name[] = { "--work-base", "--work-new" };

	if (!*text[STATS_BASE] != !*text[STATS_NEW]) {
		bool base = *text[STATS_BASE];

		return err_set(err, ERR_USAGE, "%s without %s: both sides have work, or none", name[!base], name[base]);
	}
	if (how->normalize == GATE_WORK && !*text[STATS_BASE])
		return err_set(err, ERR_USAGE, "--normalize=work needs --work-base and --work-new");
	if (!*text[STATS_BASE])
		return 0;
	if (how->normalize != GATE_WORK && was_given(q, offsetof(struct query, normalize)))
		return err_set(err, ERR_USAGE, "--work-base and --normalize=%s contradict each other",
			       gate_normalize_word(how->normalize));
	for (int side = 0; side < N_STATS_SIDES; side++)
		if (!plain_number(text[side], strlen(text[side]), &how->work[side]) || !(how->work[side] > 0))
			return err_set(err, ERR_USAGE, "%s=%s: write a number above 0", name[side], text[side]);
	how->normalize = GATE_WORK;
	return 0;
}

static int take_look(const struct query *q, struct gate_how *how, struct err *err)
{
	const char *slash = strchr(q->look, '/');
	double look = 0, looks = 0;

	if (!slash || !plain_number(q->look, (size_t)(slash - q->look), &look) ||
	    !plain_number(slash + 1, strlen(slash + 1), &looks) || look != floor(look) || looks != floor(looks) ||
	    look < 1 || looks < look || looks > LOOKS_MAX)
		return err_set(err, ERR_USAGE,
			       "--look=%s: write K/N for try K of at most N, as in 2/3; N is %d at most", q->look,
			       LOOKS_MAX);
	how->look = (unsigned)look;
	how->looks = (unsigned)looks;
	return 0;
}

static int read_file(const char *path, const char *today, struct gate_how *how, struct err *err)
{
	time_t now = time(NULL);
	struct bytes b = { 0 };
	char date[16];
	struct tm tm;
	int rc;

	if (!today) {
		if (!gmtime_r(&now, &tm) || !strftime(date, sizeof(date), "%Y-%m-%d", &tm))
			return err_set(err, ERR_IO, "the clock does not tell the date");
		today = date;
	}
	rc = io_read_file(path, FILE_MAX, "nothing", &b, err);
	if (rc < 0) {
		err_wrap(err, "--config=%s", path);
		return rc;
	}
	rc = gate_config_read(how, (const char *)b.data, b.n, path, today, err);
	free(b.data);
	return rc;
}

/* What options say about each other. */
static int settle(const struct query *q, struct gate_how *how, struct err *err)
{
	double a = how->threshold;

	if (was_given(q, offsetof(struct query, threshold)) && *q->max_regress) {
		gate_percent(q->threshold, "", &a, NULL);
		if (a != how->threshold)
			return err_set(err, ERR_USAGE,
				       "--threshold=%s and --max-regress=%s are the same option: choose one",
				       q->threshold, q->max_regress);
	}
	if (how->has_need && how->need_ratio <= 1 + how->threshold)
		return err_set(err, ERR_USAGE,
			       "need: x%g is within the threshold of +%g%%, so no number of samples would catch it",
			       how->need_ratio, how->threshold * 100);
	how->alpha = (1 - how->confidence) / how->looks;
	how->alpha_suspect = fmax(0.1, 1 - how->confidence) / how->looks;
	how->exact_names = q->exact_names;
	return 0;
}

int gate_how_make(const struct query *q, const char *today, struct gate_how *out, struct err *err)
{
	int rc;

	*out = (struct gate_how){ .mem = arena_new() };
	rc = take_settings(q, false, out, err);
	if (rc == 0 && was_given(q, offsetof(struct query, config)))
		rc = read_file(q->config, today, out, err);
	if (rc == 0)
		rc = take_settings(q, true, out, err);
	if (rc == 0)
		rc = gate_how_rules(q, out, err);
	if (rc == 0)
		rc = take_work(q, out, err);
	if (rc == 0)
		rc = take_look(q, out, err);
	return rc == 0 ? settle(q, out, err) : rc;
}

void gate_how_release(struct gate_how *how)
{
	for (size_t i = 0; i < how->n_rules; i++)
		regex_free(how->rule[i].regex);
	free(how->rule);
	regex_free(how->fold);
	arena_free(how->mem);
	*how = (struct gate_how){ 0 };
}

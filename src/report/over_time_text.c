/*
 * over_time_text.c - statistics of a trend over time, in words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/over_time.h"

#include "base/time.h"

#include <math.h>

bool over_time_change_is_shown(const struct over_time_change *c)
{
	return c && c->found.kind != STATS_CHANGE_TOO_FEW && c->found.kind != STATS_CHANGE_NONE;
}

const char *over_time_change_word(const struct over_time_change *c)
{
	static const char *const words[] = {
		[STATS_CHANGE_TOO_FEW] = "too_few", [STATS_CHANGE_NONE] = "none",     [STATS_CHANGE_POINT] = "point",
		[STATS_CHANGE_STEADY] = "steady",   [STATS_CHANGE_EITHER] = "either", [STATS_CHANGE_SEVERAL] = "several"
	};

	return c ? words[c->found.kind] : "";
}

void over_time_add_notes(const struct over_time *time, struct buf *notes)
{
	if (time->n_left_out)
		buf_addf(notes, "%u step%s shorter than the others, and left out of the statistics over time\n",
			 time->n_left_out, time->n_left_out == 1 ? " is" : "s are");
	if (time->has_no_values)
		buf_addf(notes, "more than %d values: functions were not tested for changes over time; use filters\n",
			 TREND_VALUES_MAX);
	if (time->total.found.kind == STATS_CHANGE_TOO_FEW)
		return;
	if (time->cycle == TREND_CYCLE_NONE && time->span_ns < 2 * NS_PER_DAY)
		buf_addz(notes, "less than two days: a cycle of a day can look like a change over time\n");
	else if ((time->cycle == TREND_CYCLE_HOURS && time->span_ns > 5 * NS_PER_DAY) ||
		 (time->cycle == TREND_CYCLE_NONE && time->step_ns % NS_PER_WEEK))
		buf_addz(notes, "steps that are not a day or a week: a weekend can look like a change over time\n");
}

static void over_time_add_step(const struct over_time *time, struct buf *out)
{
	buf_addf(out, "%u step%s of ", time->n_steps, time->n_steps == 1 ? "" : "s");
	time_add_duration(out, time->is_stored ? time->step_ns : (time->step_ns + NS_PER_S / 2) / NS_PER_S * NS_PER_S);
}

static void over_time_add_day(const struct over_time *time, int64_t ns, struct buf *out)
{
	time_add_utc(out, ns, time->step_ns % NS_PER_DAY || ns % NS_PER_DAY ? "%Y-%m-%d %H:%M" : "%Y-%m-%d");
}

void over_time_add_since(const struct over_time *time, const struct over_time_change *c, struct buf *out)
{
	buf_addz(out, "since ");
	over_time_add_day(time, c->at, out);
	buf_addz(out, " (95 % interval ");
	over_time_add_day(time, c->at_lo, out);
	buf_addz(out, " to ");
	over_time_add_day(time, c->at_hi, out);
	buf_addz(out, ")");
}

/* Append "p = 0.032" with two digits, or "p < 0.001". */
static void add_p(double p, struct buf *out)
{
	if (p < 0.001)
		buf_addz(out, "p < 0.001");
	else
		buf_addf(out, "p = %.2g", p);
}

double over_time_change_percent(double value, double of)
{
	return of > 0 || of < 0 ? 100 * value / fabs(of) : NAN;
}

static void add_too_few(const struct over_time *time, struct buf *out)
{
	buf_addz(out, "cannot tell: ");
	over_time_add_step(time, out);
	if (time->has_too_many) {
		buf_addf(out, " are more than %d; write a longer +step=D", STATS_CHANGE_MAX);
		return;
	}
	buf_addz(out, time->n_steps == 1 ? " is" : " are");
	buf_addz(out, " too few");
	if (time->advice_ns) {
		buf_addz(out, time->is_stored ? "; write +step=" : "; profiles every ");
		time_add_duration(out, time->advice_ns);
		buf_addz(out, time->is_stored ? " or shorter, with profiles in each step" : " could show one");
	} else if (time->is_stored) {
		buf_addz(out, "; use a longer window or a shorter +step=D");
	}
}

const char *over_time_unit(const struct over_time *time, double *days)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "day", NS_PER_DAY }, { "hour", NS_PER_HOUR }, { "minute", NS_PER_MINUTE } };
	const size_t n = sizeof(units) / sizeof(units[0]);
	size_t i = 0;

	while (i + 1 < n && time->span_ns < 2 * units[i].ns)
		i++;
	*days = (double)units[i].ns / NS_PER_DAY;
	return units[i].name;
}

static void add_slope(const struct over_time *time, struct buf *out)
{
	const struct stats_change *f = &time->total.found;
	double of = time->total.median, days;
	const char *unit = over_time_unit(time, &days);

	over_time_add_step(time, out);
	buf_addz(out, ", ");
	if (isnan(f->slope) || !(of > 0 || of < 0)) {
		buf_addz(out, "no slope");
		return;
	}
	buf_addf(out, "slope %+.2f%% a%s %s", days * over_time_change_percent(f->slope, of), *unit == 'h' ? "n" : "",
		 unit);
	if (isfinite(f->slope_lo) && isfinite(f->slope_hi))
		buf_addf(out, " (95 %% interval %+.2f%% to %+.2f%%)", days * over_time_change_percent(f->slope_lo, of),
			 days * over_time_change_percent(f->slope_hi, of));
}

static void over_time_add_change(const struct over_time *time, struct buf *out)
{
	const struct over_time_change *c = &time->total;
	double by = over_time_change_percent(c->found.after - c->found.before, c->found.before);

	switch (c->found.kind) {
	case STATS_CHANGE_TOO_FEW:
		add_too_few(time, out);
		return;
	case STATS_CHANGE_NONE:
		buf_addz(out, "none shown");
		break;
	case STATS_CHANGE_STEADY:
		buf_addz(out, "steady, not at one point");
		break;
	case STATS_CHANGE_SEVERAL:
		buf_addz(out, "yes, but neither at one point nor steady");
		break;
	default:
		buf_addz(out, c->found.kind == STATS_CHANGE_EITHER ? "steady, or " : "");
		if (isfinite(by))
			buf_addf(out, "%+.1f%% ", by);
		over_time_add_since(time, c, out);
		break;
	}
	buf_addz(out, ", ");
	add_p(c->found.p, out);
	if (c->found.kind == STATS_CHANGE_NONE && isfinite(over_time_change_percent(c->found.detectable, c->median)))
		buf_addf(out, "; a step of %.2g%% would be found in 8 of 10 cases",
			 over_time_change_percent(c->found.detectable, c->median));
}

void over_time_add_text(const struct over_time *time, struct buf *out)
{
	buf_addz(out, "Over time: ");
	add_slope(time, out);
	buf_addz(out, "\nChange: ");
	over_time_add_change(time, out);
	buf_addz(out, "\n");
}

/*
 * window_time.c - the times of the sources store:
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Times without a zone are local. A local time that occurs twice, when the clock is set back, is the first of
 * the two. One that does not exist, when it is set forward, is an error; a day that begins so begins when it does.
 */
#include "config.h"

#include "base/amount.h"
#include "base/str.h"
#include "base/time.h"
#include "store/window/window_int.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* Times before this year, 36,500 days later or earlier, fit into 64 bits of ns. */
enum { YEAR_END = 2162 };
#define EPOCH_END_S INT64_C(6058972800) /* 2162-01-01T00:00:00Z */

static const char usage[] =
	"write a time such as 2026-11-22T14:00Z, 14:23, yesterday, now or deploy, or a duration such as -1h";

/* ---- parse ---- */

/* Parse n digits that a number from lo to hi consists of. Returns false, and does not move, if there are none. */
static bool scan_digits(const char **at, int n, int lo, int hi, int *out)
{
	int value = 0;

	for (int i = 0; i < n; i++) {
		if (!isdigit((unsigned char)(*at)[i]))
			return false;
		value = value * 10 + (*at)[i] - '0';
	}
	if (value < lo || value > hi)
		return false;
	*at += n;
	*out = value;
	return true;
}

/* Parse "+01:00", "-0530" or Z. A sign that begins a duration is not a zone. */
static void scan_zone(const char **at, struct moment *m)
{
	const char *p = *at;
	int hours, minutes;

	if (*p == 'Z') {
		m->has_zone = true;
		++*at;
		return;
	}
	if (*p != '+' && *p != '-')
		return;
	p++;
	if (!scan_digits(&p, 2, 0, 14, &hours))
		return;
	p += *p == ':';
	if (!scan_digits(&p, 2, 0, 59, &minutes) || isalnum((unsigned char)*p))
		return;
	m->has_zone = true;
	m->zone_s = (hours * 3600 + minutes * 60) * (**at == '-' ? -1 : 1);
	*at = p;
}

static void scan_fraction(const char **at, struct moment *m)
{
	int64_t unit = NS_PER_S / 10;

	if (**at != '.' || !isdigit((unsigned char)(*at)[1]))
		return;
	for (++*at; isdigit((unsigned char)**at); ++*at, unit /= 10)
		m->fraction_ns += (**at - '0') * unit;
}

/* Parse the minutes and seconds after an hour. */
static int parse_minutes(struct window_cursor *c, struct moment *m)
{
	m->precision_ns = NS_PER_HOUR;
	if (*c->at != ':')
		return 0;
	c->at++;
	if (!scan_digits(&c->at, 2, 0, 59, &m->minute))
		return window_fail(c, c->at, "not a minute; write two digits from 00 to 59");
	m->precision_ns = NS_PER_MINUTE;
	if (*c->at != ':')
		return 0;
	c->at++;
	if (!scan_digits(&c->at, 2, 0, 59, &m->second))
		return window_fail(c, c->at, "not a second; write two digits from 00 to 59");
	m->precision_ns = NS_PER_S;
	scan_fraction(&c->at, m);
	return 0;
}

/* Parse the hour, minutes and seconds after a day, if T or a space and a digit follow it. */
static int parse_hour(struct window_cursor *c, struct moment *m)
{
	if (*c->at != 'T' && (*c->at != ' ' || !isdigit((unsigned char)c->at[1])))
		return 0;
	c->at++;
	if (!scan_digits(&c->at, 2, 0, 23, &m->hour))
		return window_fail(c, c->at, "not an hour; write two digits from 00 to 23");
	return parse_minutes(c, m);
}

static bool window_time_is_date(const char *at)
{
	return strspn(at, "0123456789") == 4 && at[4] == '-';
}

static int days_of_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

static int parse_date(struct window_cursor *c, struct moment *m)
{
	const char *start = c->at;
	int rc;

	m->kind = MOMENT_DATE;
	m->precision_ns = NS_PER_DAY;
	if (!scan_digits(&c->at, 4, 1970, YEAR_END - 1, &m->year))
		return window_fail(c, start, "not a year from 1970 to %d", YEAR_END - 1);
	c->at++;
	if (!scan_digits(&c->at, 2, 1, 12, &m->month) || *c->at != '-')
		return window_fail(c, start, "not a date; write YYYY-MM-DD");
	c->at++;
	if (!scan_digits(&c->at, 2, 1, days_of_month(m->year, m->month), &m->day))
		return window_fail(c, c->at, "not a day of this month; write YYYY-MM-DD");
	rc = parse_hour(c, m);
	if (rc == 0)
		scan_zone(&c->at, m);
	return rc;
}

/* Parse "today" or "yesterday", whose n bytes are at the position, and a time of that day if one follows. */
static int parse_day(struct window_cursor *c, size_t n, int days_ago, struct moment *m)
{
	int rc;

	m->kind = MOMENT_CLOCK;
	m->days_ago = days_ago;
	m->precision_ns = NS_PER_DAY;
	c->at += n;
	rc = parse_hour(c, m);
	if (rc == 0)
		scan_zone(&c->at, m);
	return rc;
}

/* The number of digits of seconds or milliseconds since 1970 in this century, or 0. */
static size_t epoch_digits(const char *at)
{
	size_t n = strspn(at, "0123456789");

	return n == 10 || n == 13 ? n : 0;
}

/* Parse seconds since 1970, with 10 digits and perhaps a fraction, or milliseconds, with 13 digits. */
static int parse_epoch(struct window_cursor *c, struct moment *m)
{
	size_t n = epoch_digits(c->at);
	int64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value * 10 + (c->at[i] - '0');
	if (value >= (n == 10 ? EPOCH_END_S : EPOCH_END_S * 1000))
		return window_fail(c, c->at, "not a time before %d", YEAR_END);
	c->at += n;
	m->kind = MOMENT_EPOCH;
	m->precision_ns = n == 10 ? NS_PER_S : NS_PER_MS;
	m->epoch_ns = value * m->precision_ns;
	if (n == 10)
		scan_fraction(&c->at, m);
	return 0;
}

static int parse_clock(struct window_cursor *c, struct moment *m)
{
	int rc;

	m->kind = MOMENT_CLOCK;
	if (!scan_digits(&c->at, 2, 0, 23, &m->hour) || *c->at != ':')
		return window_fail(c, c->at, "not a time; %s", usage);
	rc = parse_minutes(c, m);
	if (rc == 0)
		scan_zone(&c->at, m);
	return rc;
}

/* Parse the value after "deploy:" or "pin:". It ends before "..", a comma or a tilde, or a + that is not followed by a
   digit. */
static int window_time_parse_value(struct window_cursor *c, const char *what, const char **out)
{
	const char *start = c->at, *p = start;
	int rc;

	if (*start == '"')
		return window_parse_word(c, "", what, out);
	while (*p && !strchr(",~ \"#", *p) && !starts_with(p, "..") && (*p != '+' || isdigit((unsigned char)p[1])))
		p++;
	*out = arena_strndup(c->memory, start, (size_t)(p - start));
	c->at = p;
	rc = p == start ? window_fail(c, start, "the %s is missing", what) : 0;
	return rc;
}

/* Parse "deploy" or "deploy:VERSION". A duration may follow the version: deploy:2.4.0+1h; a version that looks like that
   is put in double quotes. */
static int parse_deploy(struct window_cursor *c, struct moment *m)
{
	const char *version, *sign;
	int64_t ns;
	int rc;

	m->kind = MOMENT_DEPLOY;
	m->version = "";
	c->at += strlen("deploy");
	if (*c->at != ':')
		return 0;
	version = ++c->at;
	rc = window_time_parse_value(c, "version after deploy:", &m->version);
	if (rc < 0 || *version == '"')
		return rc;
	sign = c->at - 1;
	while (sign > version && *sign != '+' && *sign != '-')
		sign--;
	if (sign > version && amount_scan_duration(sign + 1, &ns) == c->at - sign - 1) {
		m->version = arena_strndup(c->memory, version, (size_t)(sign - version));
		c->at = sign;
	}
	return 0;
}

static int parse_duration(struct window_cursor *c, int64_t *out)
{
	int n = amount_scan_duration(c->at, out);

	if (n == 0 || *out > 36500 * NS_PER_DAY)
		return window_fail(c, c->at, "not a duration; write 30s, 10m, 1h or 7d");
	c->at += n;
	return 0;
}

static int parse_named_moment(struct window_cursor *c, struct moment *m)
{
	*m = (struct moment){ .kind = MOMENT_AGO };
	if (*c->at == '-') {
		c->at++;
		return parse_duration(c, &m->ago_ns);
	}
	if (starts_with(c->at, "now")) {
		m->kind = MOMENT_NOW;
		c->at += strlen("now");
		return 0;
	}
	if (starts_with(c->at, "deploy"))
		return parse_deploy(c, m);
	if (starts_with(c->at, "today"))
		return parse_day(c, strlen("today"), 0, m);
	if (starts_with(c->at, "yesterday"))
		return parse_day(c, strlen("yesterday"), 1, m);
	if (epoch_digits(c->at))
		return parse_epoch(c, m);
	return window_time_is_date(c->at) ? parse_date(c, m) : parse_clock(c, m);
}

/* Parse a moment of a range. A duration before or after its end is part of it: now-2h..now-1h. */
static int parse_moment(struct window_cursor *c, bool is_end, struct moment *m)
{
	const char *sign, *rest;
	int64_t ns;
	int n, rc = parse_named_moment(c, m);

	sign = c->at;
	if (rc < 0 || m->kind == MOMENT_AGO || (*sign != '+' && *sign != '-'))
		return rc;
	n = amount_scan_duration(sign + 1, &ns);
	rest = sign + 1 + n;
	if (n == 0 || (!is_end && !starts_with(rest, "..")))
		return 0;
	c->at++;
	rc = parse_duration(c, &ns);
	m->offset_ns = *sign == '-' ? -ns : ns;
	return rc;
}

/* Parse the end of a window after its first time. */
static int parse_form(struct window_cursor *c, const char *start, struct window_time *t)
{
	static const struct {
		char sign;
		enum window_form form;
	} forms[] = { { '+', FORM_AFTER }, { '-', FORM_BEFORE }, { '~', FORM_AROUND } };

	if (starts_with(c->at, "..")) {
		c->at += 2;
		t->form = FORM_RANGE;
		return parse_moment(c, true, &t->to);
	}
	if (t->from.kind == MOMENT_AGO) {
		t->form = FORM_LAST;
		t->duration_ns = t->from.ago_ns;
		return t->duration_ns ? 0 : window_fail(c, start, "the window is empty");
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (*c->at != forms[i].sign || (*c->at == '+' && !isdigit((unsigned char)c->at[1])))
			continue;
		c->at++;
		t->form = forms[i].form;
		if (parse_duration(c, &t->duration_ns) < 0)
			return ERR_USAGE;
		return t->duration_ns ? 0 : window_fail(c, start, "the window is empty");
	}
	t->form = FORM_OF;
	return t->from.kind == MOMENT_NOW ? window_fail(c, start, "now is a moment; write -1h or now~10m") : 0;
}

int window_time_parse(struct window_cursor *c, struct window_time *t)
{
	const char *start = c->at;
	int rc;

	if (!*start || *start == '+')
		return window_fail(c, start, "a window must follow @; %s", usage);
	if (starts_with(start, "all") && (!start[3] || start[3] == '+')) {
		c->at += strlen("all");
		t->form = FORM_ALL;
		return 0;
	}
	if (starts_with(start, "pin:")) {
		c->at += strlen("pin:");
		t->form = FORM_ALL;
		rc = window_time_parse_value(c, "name after pin:", &t->pin);
		if (rc < 0 || *c->at != ',')
			return rc;
		start = ++c->at;
	}
	rc = parse_moment(c, false, &t->from);
	rc = rc < 0 ? rc : parse_form(c, start, t);
	if (rc == 0 && *c->at && *c->at != '+')
		return window_fail(c, c->at, "unexpected '%.20s'; %s", c->at, usage);
	return rc;
}

/* ---- resolve ---- */

static int64_t round_up_to_second(int64_t ns)
{
	return (ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
}

/* Seconds east of UTC at a time. */
static int64_t zone_offset(int64_t t)
{
	time_t when = (time_t)t;
	struct tm tm;

	return localtime_r(&when, &tm) ? tm.tm_gmtoff : 0;
}

/* The moment at which the clock is set forward between lo and hi. */
static int64_t find_change(int64_t lo, int64_t hi)
{
	int64_t before = zone_offset(lo);

	while (hi - lo > 1) {
		int64_t middle = lo + (hi - lo) / 2;

		if (zone_offset(middle) == before)
			lo = middle;
		else
			hi = middle;
	}
	return hi;
}

/*
 * The time of a local date and time, whose seconds since 1970 would be t in UTC. If it occurs twice, the first one.
 *
 * exists  cleared if there is no such time; the result is then the moment at which the clock is set forward
 */
static int64_t local_time(int64_t t, bool *exists)
{
	enum { DAY = S_PER_DAY };
	int64_t early = t - zone_offset(t - DAY), late = t - zone_offset(t + DAY);
	bool is_early = early + zone_offset(early) == t, is_late = late + zone_offset(late) == t;

	*exists = is_early || is_late;
	if (is_early && is_late)
		return early < late ? early : late;
	return is_early ? early : is_late ? late : find_change(t - DAY, t + DAY);
}

/* Seconds since 1970 of a date and time in UTC. */
static int64_t utc_seconds(const struct moment *m)
{
	struct tm tm = { .tm_year = m->year - 1900,
			 .tm_mon = m->month - 1,
			 .tm_mday = m->day,
			 .tm_hour = m->hour,
			 .tm_min = m->minute,
			 .tm_sec = m->second };

	return (int64_t)timegm(&tm);
}

struct resolver {
	const struct window_clock *clock;
	const char *text, *service;
	struct err *err;
};

static int resolve_date(const struct resolver *r, const struct moment *m, int64_t *out)
{
	bool exists = true;
	int64_t t = utc_seconds(m);

	t = m->has_zone ? t - m->zone_s : local_time(t, &exists);
	if (!exists && m->precision_ns < NS_PER_DAY)
		return err_set(r->err, ERR_USAGE,
			       "%.300s: %02d:%02d does not exist on %04d-%02d-%02d, when the clock is set forward; "
			       "write the time with a zone",
			       r->text, m->hour, m->minute, m->year, m->month, m->day);
	if (t < 0) /* in a zone east of UTC */
		return err_set(r->err, ERR_USAGE, "%.300s: %04d-%02d-%02d begins before 1970 in UTC", r->text, m->year,
			       m->month, m->day);
	*out = t * NS_PER_S + m->fraction_ns;
	return 0;
}

/* Add the date of today or of the day named, in the zone of the moment. The day may be before the first of the month. */
static void add_today(const struct resolver *r, struct moment *m)
{
	time_t now = (time_t)(r->clock->now_ns / NS_PER_S);
	struct tm tm;

	if (m->has_zone) {
		now += m->zone_s;
		gmtime_r(&now, &tm);
	} else {
		localtime_r(&now, &tm);
	}
	m->year = tm.tm_year + 1900;
	m->month = tm.tm_mon + 1;
	m->day = tm.tm_mday - m->days_ago;
}

static int resolve_deploy(const struct resolver *r, const struct moment *m, int64_t *out)
{
	if (r->clock->mark && r->clock->mark(r->clock->arg, r->service, m->version, out))
		return 0;
	return err_set(r->err, ERR_USAGE, "%.300s: %.100s has no deploy mark%s%.100s; cpa store mark deploy adds one",
		       r->text, r->service, *m->version ? " of " : "", m->version);
}

static int resolve_named(const struct resolver *r, const struct moment *m, int64_t *out)
{
	struct moment dated = *m;

	switch (m->kind) {
	case MOMENT_CLOCK:
		add_today(r, &dated);
		return resolve_date(r, &dated, out);
	case MOMENT_DATE:
		return resolve_date(r, m, out);
	case MOMENT_DEPLOY:
		return resolve_deploy(r, m, out);
	case MOMENT_EPOCH:
		*out = m->epoch_ns + m->fraction_ns;
		return 0;
	default:
		*out = round_up_to_second(r->clock->now_ns) - m->ago_ns;
		return 0;
	}
}

static int resolve_moment(const struct resolver *r, const struct moment *m, int64_t *out)
{
	int rc = resolve_named(r, m, out);

	if (rc == 0)
		*out += m->offset_ns;
	return rc;
}

/* The end of the day, hour, minute or second that a time names; of a deploy: now. */
static int resolve_end(const struct resolver *r, const struct moment *m, int64_t from, int64_t *out)
{
	struct moment next = *m;

	if (m->kind == MOMENT_DEPLOY) {
		*out = round_up_to_second(r->clock->now_ns);
		return 0;
	}
	if (m->precision_ns < NS_PER_DAY || m->has_zone) {
		*out = from + m->precision_ns;
		return 0;
	}
	next.day++; /* timegm accepts the 32nd of a month */
	next.days_ago--;
	return resolve_moment(r, &next, out);
}

int window_time_resolve(const struct window_time *t, const char *text, const char *service,
			const struct window_clock *clock, int64_t *t0, int64_t *t1, struct err *err)
{
	const struct resolver r = { clock, text, service, err };
	struct buf span = { 0 };
	int64_t at;
	int rc;

	*t0 = INT64_MIN;
	*t1 = INT64_MAX;
	if (t->form == FORM_ALL)
		return 0;
	tzset();
	rc = resolve_moment(&r, &t->from, &at);
	if (rc < 0)
		return rc;
	*t0 = t->form == FORM_BEFORE || t->form == FORM_AROUND ? at - t->duration_ns : at;
	*t1 = t->form == FORM_AFTER || t->form == FORM_AROUND ? at + t->duration_ns : at;
	if (t->form == FORM_LAST)
		*t1 = at + t->duration_ns;
	else if (t->form == FORM_RANGE)
		rc = resolve_moment(&r, &t->to, t1);
	else if (t->form == FORM_OF)
		rc = resolve_end(&r, &t->from, at, t1);
	*t0 = *t0 < 0 ? 0 : *t0; /* nothing is from before 1970, and sources have no such times */
	if (rc < 0 || *t0 < *t1)
		return rc;
	time_add_span(&span, *t0, *t1);
	err_set(err, ERR_USAGE, "%.300s: the window %s %s", text, buf_text(&span),
		*t0 == *t1 ? "is empty" : "ends before it begins");
	buf_release(&span);
	return ERR_USAGE;
}

int window_time_moment(struct window_cursor *c, const struct window_clock *clock, int64_t *out)
{
	const struct resolver r = { clock, c->text, "", c->err };
	struct moment m;
	int rc = parse_moment(c, true, &m);

	if (rc == 0 && *c->at)
		rc = window_fail(c, c->at, "unexpected '%.20s'", c->at);
	tzset();
	return rc < 0 ? rc : resolve_moment(&r, &m, out);
}

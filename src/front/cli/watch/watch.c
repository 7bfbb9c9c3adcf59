/*
 * watch.c - cpa watch: options, rounds, exit status
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/watch/watch.h"

#include "base/amount.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/str.h"
#include "base/time.h"
#include "front/cli/cmd.h"
#include "front/cli/interrupt.h"
#include "front/cli/messages.h"
#include "front/cli/watch/check.h"
#include "store/window/window.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Profiles arrive up to this long after their window: captures last 30 s, and scrapes are spread. */
#define LATE_NS (2 * NS_PER_MINUTE)
/* Checks of deploys that were due in this time are made up for. */
#define CATCH_UP_NS NS_PER_DAY
enum {
	ROUND_SECONDS = 20,
	ROUNDS_MAX = 180
}; /* a source that fails is checked again after 1, 2, 4 ... rounds, up to an hour */

#define AT(field) offsetof(struct cmd_watch_args, field)

/* clang-format off */
static const struct opt options[] = {
	{ "store", OPT_TEXT, AT(store), 0, "", "DIR", 0, true, "folder of the store (default $CPA_STORE, else ~/.local/share/cpa/store)" },
	{ "every", OPT_TEXT, AT(every), 0, "1h", "TIME", 0, true, "time between two checks, and length of the windows; divides a day" },
	{ "days", OPT_INT, AT(days), 0, "14", "N", 0, true, "earlier days whose same hours are compared, 6 to 31" },
	{ "settle", OPT_TEXT, AT(settle), 0, "5m", "TIME", 0, true, "time after a deploy that is not compared" },
	{ "false_alarms", OPT_TEXT, AT(false_alarms), 0, "1%", "PERCENT", 0, true, "probability of a false alarm per service and month" },
	{ "exec", OPT_TEXT, AT(command), 0, "", "COMMAND", 0, true, "run a shell command for each alarm, with JSON on its standard input" },
	{ "webhook", OPT_TEXT, AT(webhook), 0, "", "URL", 0, true, "post JSON for each alarm" },
	{ "link", OPT_TEXT, AT(link), 0, "", "URL", 0, true, "address of cpa -http on this store, for links in alarms" },
	{ "once", OPT_BOOL, AT(once), 0, "false", NULL, 0, true, "check the last window and the deploys of the last day, then exit" },
	{ "help", OPT_BOOL, AT(help), 0, "false", NULL, 0, true, "print this help" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

static const char short_usage[] = "usage: cpa watch [OPTION]... store:SERVICE... [-- GATE_OPTION...]";

const struct opt *cmd_watch_option_at(size_t i)
{
	return i < N_OPTIONS ? &options[i] : cmd_http_option_at(i - N_OPTIONS);
}

static int parse_alarms(const char *text, double *out, struct err *err)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || (strcmp(end, "%") != 0 && *end) || !(percent > 0 && percent <= 50))
		return err_set(err, ERR_USAGE, "--false-alarms=%.40s: not a percentage above 0%% and up to 50%%", text);
	*out = percent / 100;
	return 0;
}

static int parse_rules(struct cmd_watch_args *a, struct err *err)
{
	int rc = amount_parse_duration("--every", a->every, &a->rules.every_ns, err);

	rc = rc < 0 ? rc : amount_parse_duration("--settle", a->settle, &a->rules.settle_ns, err);
	rc = rc < 0 ? rc : parse_alarms(a->false_alarms, &a->rules.alarms, err);
	if (rc < 0)
		return rc;
	if (a->rules.every_ns < NS_PER_MINUTE || NS_PER_DAY % a->rules.every_ns)
		return err_set(err, ERR_USAGE, "--every=%.40s: not a divisor of a day such as 10m, 1h or 6h", a->every);
	if (a->rules.settle_ns > NS_PER_DAY)
		return err_set(err, ERR_USAGE, "--settle=%.40s: more than a day", a->settle);
	if (a->days < WATCH_DAYS_MIN || a->days > WATCH_DAYS_MAX)
		return err_set(err, ERR_USAGE, "--days: must be %d to %d", WATCH_DAYS_MIN, WATCH_DAYS_MAX);
	a->rules.days = a->days;
	return 0;
}

/* Is this an address with a path, so that nothing is to be added? */
static bool is_whole_url(const char *text)
{
	const char *host = starts_with(text, "http://")    ? text + strlen("http://")
			   : starts_with(text, "https://") ? text + strlen("https://")
							   : NULL;

	return host && *host != '/' && strchr(host, '/');
}

/* Refuse the store of a collector, to which this process cannot add marks. */
static int check_store(const struct cmd_watch_args *a, struct err *err)
{
	struct buf directory = { 0 };
	int rc = 0;

	store_directory(a->store, &directory);
	if (strstr(buf_text(&directory), "://"))
		rc = err_set(err, ERR_USAGE, "%.300s: alarms are marks in the store; run cpa watch where its folder is",
			     buf_text(&directory));
	buf_release(&directory);
	return rc;
}

static int check_options(struct cmd_watch_args *a, struct err *err)
{
	if (a->n_sources == 0)
		return err_set(err, ERR_USAGE, "%s", short_usage);
	for (size_t i = 0; i < a->n_sources; i++)
		if (!window_is_source(a->source[i]))
			return err_set(err, ERR_USAGE, "%.300s: not a source of a store; write store:SERVICE",
				       a->source[i]);
	if (*a->webhook && !is_whole_url(a->webhook))
		return err_set(err, ERR_USAGE, "--webhook: write the whole URL, with its path: https://HOST/PATH");
	return check_store(a, err) < 0 ? ERR_USAGE : parse_rules(a, err);
}

static int watch_read_options(int argc, char **argv, struct cmd_watch_args *a, struct err *err)
{
	const struct opt_table tables[] = { { options, N_OPTIONS, a }, cmd_http_options(&a->http) };

	opt_set_defaults(options, N_OPTIONS, a);
	cmd_http_set_defaults(&a->http);
	for (int i = 1, used = 1; i < argc; i += used) {
		used = 1;
		if (strcmp(argv[i], "--") == 0) {
			a->gate = argv + i + 1;
			a->n_gate = (size_t)(argc - i - 1);
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1]) {
			a->source[a->n_sources++] = argv[i];
			continue;
		}
		used = opt_read("watch", tables, 2, argc - i, argv + i, err);
		if (used < 0)
			return used;
	}
	return a->help ? 0 : check_options(a, err);
}

/* Does the source have a WINDOW, and store:PLACE#? */
static int inspect(const char *source, bool *has_time, struct err *err)
{
	struct window *w;
	int rc = window_parse(source, &w, err);

	if (rc < 0)
		return rc;
	*has_time = window_has_time(w);
	if (!*has_time && *window_where(w))
		rc = err_set(err, ERR_USAGE, "%.300s: name the store with --store=%.300s, since alarms are marks in it",
			     source, window_where(w));
	window_free(w);
	return rc;
}

static void say_count(const struct cmd_watch_count *c)
{
	say("checks: %zu PASS, %zu FAIL, %zu INCONCLUSIVE; not compared: %zu without profiles, %zu with fewer than %d "
	    "earlier windows",
	    c->n[WATCH_PASS], c->n[WATCH_FAIL], c->n[WATCH_INCONCLUSIVE], c->without_profiles, c->without_base,
	    WATCH_BASE_MIN);
}

/* Check what is due now, or those of a window. */
static int watch_once(const struct cmd_watch_args *a, struct stop *stop)
{
	int64_t until = clock_wall_ns() - LATE_NS;
	struct cmd_watch_round round = {
		.args = a,
		.stop = stop,
		.until = until,
		.from = until / a->rules.every_ns * a->rules.every_ns - 1,
		.deploys_from = until - CATCH_UP_NS,
		.prints_all = true,
	};
	int status = STATUS_FINE;

	for (size_t i = 0; i < a->n_sources && !stop_is_set(stop); i++) {
		struct cmd_watch_round one = round;
		struct err err;

		if (cmd_watch_check(&one, a->source[i], &err) < 0)
			status = say_error("%s", err.msg);
		for (size_t o = 0; o < sizeof(one.count.n) / sizeof(one.count.n[0]); o++)
			round.count.n[o] += one.count.n[o];
		round.count.without_profiles += one.count.without_profiles;
		round.count.without_base += one.count.without_base;
	}
	if (status != STATUS_FINE)
		return status;
	say_count(&round.count);
	return round.count.n[WATCH_FAIL] ? STATUS_NO : STATUS_FINE;
}

static void wait_a_round(const struct stop *stop)
{
	const struct timespec second = { .tv_sec = 1 };

	for (int i = 0; i < ROUND_SECONDS && !stop_is_set(stop); i++)
		nanosleep(&second, NULL);
}

/* Check until a signal. A source that failed is checked again from the same time on. */
static int watch_always(const struct cmd_watch_args *a, struct stop *stop)
{
	int64_t *from = mem_alloc(a->n_sources, sizeof(*from));
	unsigned *pause = mem_zalloc(a->n_sources, sizeof(*pause)), *left = mem_zalloc(a->n_sources, sizeof(*left));

	for (size_t i = 0; i < a->n_sources; i++)
		from[i] = clock_wall_ns() - LATE_NS - a->rules.every_ns;
	while (!stop_is_set(stop)) {
		int64_t until = clock_wall_ns() - LATE_NS;

		for (size_t i = 0; i < a->n_sources && !stop_is_set(stop); i++) {
			struct cmd_watch_round round = { .args = a,
							 .stop = stop,
							 .from = from[i],
							 .deploys_from = from[i] - CATCH_UP_NS,
							 .until = until };
			struct err err;

			if (left[i] > 0 && left[i]-- > 0)
				continue;
			if (cmd_watch_check(&round, a->source[i], &err) == 0) {
				from[i] = until;
				pause[i] = 0;
				continue;
			}
			if (!stop_is_set(stop))
				say_error("%s", err.msg);
			pause[i] = pause[i] ? pause[i] * 2 : 1;
			left[i] = pause[i] = pause[i] < ROUNDS_MAX ? pause[i] : ROUNDS_MAX;
		}
		wait_a_round(stop);
	}
	free(from);
	free(pause);
	free(left);
	return STATUS_FINE;
}

static int watch_run(struct cmd_watch_args *a)
{
	size_t n_windows = 0;
	struct stop *stop;
	struct err err;
	int status;

	for (size_t i = 0; i < a->n_sources; i++) {
		bool has_time;

		if (inspect(a->source[i], &has_time, &err) < 0)
			return say_error("%s", err.msg);
		n_windows += has_time;
	}
	if (n_windows && n_windows < a->n_sources)
		return say_error("either all sources have a window, whose checks are only printed, or none");
	if (n_windows && (*a->webhook || *a->command))
		return say_error(
			"--webhook and --exec have no effect on a source with a window, of which nothing is sent");
	stop = cmd_interrupt_catch_with_term();
	status = a->once || n_windows ? watch_once(a, stop) : watch_always(a, stop);
	cmd_interrupt_release();
	return status;
}

int cmd_watch_check_line(int argc, char **argv, struct err *err)
{
	struct cmd_watch_args a = { .source = mem_alloc((size_t)argc, sizeof(*a.source)) };
	int rc = watch_read_options(argc, argv, &a, err);

	if (rc == 0 && (a.help || a.once))
		rc = err_set(err, ERR_USAGE, "--%s has no place in a watch line", a.help ? "help" : "once");
	for (size_t i = 0; i < a.n_sources && rc == 0; i++) {
		bool has_time;

		rc = inspect(a.source[i], &has_time, err);
		if (rc == 0 && has_time)
			rc = err_set(err, ERR_USAGE, "%.300s: a watch line has no window", a.source[i]);
	}
	free(a.source);
	return rc;
}

int cmd_watch(int argc, char **argv)
{
	struct cmd_watch_args a = { .source = mem_alloc((size_t)argc, sizeof(*a.source)) };
	struct err err;
	int status = STATUS_FINE;

	if (watch_read_options(argc, argv, &a, &err) < 0)
		status = say_error("%s", err.msg);
	else if (a.help)
		cmd_help_command("watch");
	else
		status = watch_run(&a);
	free(a.source);
	return status;
}

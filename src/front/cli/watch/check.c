/*
 * check.c - the checks of cpa watch on a source: services, their profiles and deploys, comparisons, marks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/watch/check.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"
#include "engine/query.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "session/settings.h"
#include "sources/stored.h"
#include "store/store.h"
#include "watch/reported.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names, sorted, each once. */
struct watched_names {
	char **name;
	size_t n, cap;
};

/* A service and its kind of profiles. */
struct watched_series {
	struct cmd_watch_round *round;
	const struct stored_source *from;
	struct store_query query; /* of the service */
	bool is_trial;            /* the source has a WINDOW: nothing is sent */
	int64_t *start;           /* [n] */
	size_t n, cap;
	struct watch_deploy *deploy; /* [n_deploys] with owned texts */
	size_t n_deploys, cap_deploys;
	struct buf
		key; /* the kind and the matches, which are part of a mark: {env=prod} and {env=dev} have their own alarms */
	struct watch_reported reported;
};

static int watched_add_service(void *arg, const struct store_series *s, struct err *err)
{
	struct watched_names *names = arg;
	size_t lo;

	(void)err;
	if (sources_find_name(names->name, names->n, sizeof(*names->name), s->service, &lo))
		return 0;
	names->name = mem_grow(names->name, &names->cap, names->n + 1, sizeof(*names->name));
	memmove(names->name + lo + 1, names->name + lo, (names->n - lo) * sizeof(*names->name));
	names->name[lo] = mem_strndup(s->service, strlen(s->service));
	names->n++;
	return 0;
}

/* --- what the store has --- */

static int add_start(void *arg, const struct store_item *item, struct err *err)
{
	struct watched_series *s = arg;

	(void)err;
	s->start = mem_grow(s->start, &s->cap, s->n + 1, sizeof(*s->start));
	s->start[s->n++] = item->start_ns;
	return 0;
}

static int add_deploy(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	struct watched_series *s = arg;

	(void)service, (void)err;
	s->deploy = mem_grow(s->deploy, &s->cap_deploys, s->n_deploys + 1, sizeof(*s->deploy));
	s->deploy[s->n_deploys++] =
		(struct watch_deploy){ .time_ns = m->time_ns, .text = mem_strndup(m->text, strlen(m->text)) };
	return 0;
}

static int watch_check_compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int read_history(struct watched_series *s, struct err *err)
{
	const struct watch_rules *r = &s->round->args->rules;
	struct store_query q = s->query;
	int rc;

	/* a window after a deploy ends up to two windows and the settling time after it */
	q.t0 = s->round->deploys_from - (r->days + 2) * NS_PER_DAY - (WATCH_BEFORE + 2) * r->every_ns - r->settle_ns;
	q.t1 = s->round->until;
	rc = store_list(s->from->store, &q, s->round->stop, add_start, s, err);
	if (rc == 0)
		rc = store_each_mark(s->from->store, q.service, false, "deploy", add_deploy, s, err);
	if (rc == 0 && !s->is_trial)
		rc = watch_reported_read(s->from->store, q.service, buf_text(&s->key), &s->reported, err);
	else
		s->reported = (struct watch_reported){ .kind = buf_text(&s->key) };
	if (s->n)
		qsort(s->start, s->n, sizeof(*s->start), watch_check_compare_times);
	return rc;
}

static void watched_make_key(struct watched_series *s)
{
	static const char *const operators[] = {
		[MATCH_EQUAL] = "=", [MATCH_NOT_EQUAL] = "!=", [MATCH_REGEX] = "=~", [MATCH_NOT_REGEX] = "!~"
	};

	buf_addz(&s->key, s->query.kind);
	for (size_t i = 0; i < s->query.n_match; i++)
		buf_addf(&s->key, "%s%s%s%s", i ? "," : "{", s->query.match[i].name, operators[s->query.match[i].op],
			 s->query.match[i].value);
	buf_addz(&s->key, s->query.n_match ? "}" : "");
}

static void watched_release(struct watched_series *s)
{
	buf_release(&s->key);
	for (size_t i = 0; i < s->n_deploys; i++)
		free((char *)(uintptr_t)s->deploy[i].text);
	free(s->deploy);
	free(s->start);
	watch_reported_release(&s->reported);
}

/* Number of deploys in the 30 days before a time. */
static size_t count_deploys(const struct watched_series *s, int64_t until)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_deploys; i++)
		n += s->deploy[i].time_ns <= until && s->deploy[i].time_ns > until - 30 * NS_PER_DAY;
	return n;
}

/* --- the gate --- */

/* The arguments of a program, as texts one after another. */
struct watch_words {
	char **word; /* [n] owned, NULL at the end */
	size_t n, cap;
};

static void check_add_word(struct watch_words *w, const struct buf *text)
{
	w->word = mem_grow(w->word, &w->cap, w->n + 2, sizeof(*w->word));
	w->word[w->n++] = mem_strndup(buf_text(text), text->len);
	w->word[w->n] = NULL;
}

static void check_addf(struct watch_words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void check_addf(struct watch_words *w, const char *format, ...)
{
	struct buf text = { 0 };
	va_list args;

	va_start(args, format);
	buf_vaddf(&text, format, args);
	va_end(args);
	check_add_word(w, &text);
	buf_release(&text);
}

static void check_words_release(struct watch_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->word[i]);
	free(w->word);
}

/* Add a window of the series as a source that is one run. */
static void add_window(const struct watched_series *s, struct watch_span span, const char *before,
		       struct watch_words *w)
{
	struct store_query q = s->query;
	struct buf text = { 0 };

	q.t0 = span.t0;
	q.t1 = span.t1;
	buf_addz(&text, before);
	window_print(s->from->window, &q, &text);
	buf_addz(&text, "+runs=1");
	check_add_word(w, &text);
	buf_release(&text);
}

/* The command line of the gate, whose first word is missing. */
static void make_command(const struct watched_series *s, const struct watch_check *check, struct watch_words *w)
{
	const struct cmd_watch_args *a = s->round->args;
	double confidence = watch_confidence(&a->rules, count_deploys(s, check->new.t1));

	check_addf(w, "gate");
	if (*a->store)
		check_addf(w, "--store=%s", a->store);
	check_addf(w, "--confidence=%.6f%%", 100 * confidence);
	/* some functions vary three times as much from day to day as others, whose variance the gate combines with theirs */
	check_addf(w, "--noise=4%%");
	for (size_t i = 0; i < a->n_gate; i++)
		check_addf(w, "%s", a->gate[i]);
	for (size_t i = 0; i < check->n_base; i++)
		add_window(s, check->base[i], "-base=", w);
	add_window(s, check->new, "", w);
}

static void check_print_command(const struct watch_words *w, struct buf *out)
{
	buf_addz(out, "cpa");
	for (size_t i = 0; i < w->n; i++) {
		buf_addz(out, " ");
		settings_add_word(w->word[i], out);
	}
}

static int run_gate(const struct watch_words *w, const struct stop *stop, struct cmd_watch_verdict *v, struct err *err)
{
	char **argv = mem_alloc(w->n + 3, sizeof(*argv));
	int rc;

	argv[0] = (char *)(uintptr_t) "/proc/self/exe";
	memcpy(argv + 1, w->word, w->n * sizeof(*argv));
	argv[w->n + 1] = (char *)(uintptr_t) "-json";
	argv[w->n + 2] = NULL;
	rc = cmd_watch_judge(argv, stop, v, err);
	free(argv);
	return rc;
}

/* --- news --- */

/* Add a mark to the store, through the collector that holds it. */
static int add_mark(const struct watched_series *s, const struct buf *text, int64_t time_ns, struct err *err)
{
	struct buf store = { 0 }, time = { 0 };
	char *argv[8] = { (char *)(uintptr_t) "store", (char *)(uintptr_t) "mark" };
	int argc = 2, status;

	if (*s->round->args->store) {
		buf_addf(&store, "--store=%s", s->round->args->store);
		argv[argc++] = store.data;
	}
	buf_addz(&time, "--time=");
	time_add_exact(&time, time_ns);
	argv[argc++] = time.data;
	argv[argc++] = (char *)(uintptr_t) "--";
	argv[argc++] = (char *)(uintptr_t)s->query.service;
	argv[argc++] = (char *)(uintptr_t)WATCH_MARK;
	argv[argc++] = text->data;
	status = cmd_store(argc, argv);
	buf_release(&store);
	buf_release(&time);
	return status == STATUS_FINE ? 0 : err_set(err, ERR_IO, "a mark could not be added, so this will be repeated");
}

/* Remember an alarm or a checked deploy, in the store unless this is a trial. */
static int remember(struct watched_series *s, const struct buf *text, int64_t time_ns, struct err *err)
{
	int rc = s->is_trial ? 0 : add_mark(s, text, time_ns, err);

	if (rc == 0)
		watch_reported_note(&s->reported, buf_text(text), time_ns);
	return rc;
}

/* The functions that were not reported in the days of the base. The result borrows the names of v. */
static struct cmd_watch_verdict find_news(const struct watched_series *s, const struct watch_check *check,
					  const struct cmd_watch_verdict *v)
{
	int64_t since = check->new.t1 - s->round->args->rules.days *NS_PER_DAY;
	struct cmd_watch_verdict news = { .outcome = v->outcome };

	for (size_t i = 0; i < v->n; i++) {
		if (watch_reported_function(&s->reported, v->function[i].name, since))
			continue;
		news.function = mem_grow(news.function, &news.cap, news.n + 1, sizeof(*news.function));
		news.function[news.n++] = v->function[i];
	}
	return news;
}

static int remember_all(struct watched_series *s, const struct watch_check *check, const struct cmd_watch_verdict *news,
			struct err *err)
{
	struct buf text = { 0 };
	int rc = 0;

	for (size_t i = 0; i < news->n && rc == 0; i++) {
		text.len = 0;
		watch_reported_add_function(buf_text(&s->key), 100 * news->function[i].change, news->function[i].name,
					    &text);
		rc = remember(s, &text, check->new.t1, err);
	}
	if (check->deploy && rc == 0) {
		text.len = 0;
		watch_reported_add_deploy(buf_text(&s->key), cmd_watch_outcome_word(news->outcome), check->deploy->text,
					  &text);
		rc = remember(s, &text, check->new.t1, err);
	}
	buf_release(&text);
	return rc;
}

static int check_print_result(const struct cmd_watch_result *r, struct err *err)
{
	struct buf text = { 0 };
	int rc;

	cmd_watch_print(r, &text);
	rc = io_write_fd(STDOUT_FILENO, text.data, text.len, err);
	buf_release(&text);
	return rc < 0 ? err_wrap(err, "standard output") : 0;
}

static int report(struct watched_series *s, const struct watch_check *check, const struct watch_words *command,
		  const struct cmd_watch_verdict *v, struct err *err)
{
	struct cmd_watch_verdict news = find_news(s, check, v);
	struct buf shell = { 0 };
	struct cmd_watch_result r = { s->query.service, s->query.kind, buf_text(&s->key), check, v, NULL };
	bool is_news = news.n > 0 || check->deploy;
	int rc = 0;

	check_print_command(command, &shell);
	r.shell = buf_text(&shell);
	if (is_news || s->round->prints_all)
		rc = check_print_result(&r, err);
	r.verdict = &news;
	if (rc == 0 && news.n && !s->is_trial)
		rc = cmd_watch_send(s->round->args, &r, s->round->stop, err);
	if (rc == 0)
		rc = remember_all(s, check, &news, err);
	free(news.function);
	buf_release(&shell);
	return rc;
}

static int check_window(void *arg, const struct watch_check *check, struct err *err)
{
	struct watched_series *s = arg;
	struct cmd_watch_count *count = &s->round->count;
	struct cmd_watch_verdict verdict = { 0 };
	struct watch_words command = { 0 };
	int rc;

	if (check->deploy && watch_reported_deploy(&s->reported, check->deploy->text, check->new.t1))
		return 0;
	if (!check->has_profiles || check->n_base < WATCH_BASE_MIN) {
		++*(check->has_profiles ? &count->without_base : &count->without_profiles);
		return stop_check(s->round->stop, err);
	}
	make_command(s, check, &command);
	rc = run_gate(&command, s->round->stop, &verdict, err);
	if (rc == 0) {
		count->n[verdict.outcome]++;
		rc = report(s, check, &command, &verdict, err);
	}
	cmd_watch_verdict_release(&verdict);
	check_words_release(&command);
	return rc;
}

static int check_service(struct cmd_watch_round *round, const struct stored_source *from, const char *service,
			 struct err *err)
{
	struct watched_series s = { .round = round, .from = from, .query = from->query };
	int rc;

	s.query.service = service;
	s.query.is_pattern = false;
	s.is_trial = window_has_time(from->window);
	watched_make_key(&s);
	rc = read_history(&s, err);
	if (rc == 0) {
		const struct watch_history h = { s.start, s.n, s.deploy, s.n_deploys };

		rc = watch_plan(&round->args->rules, &h, round->from, round->deploys_from, round->until, check_window,
				&s, err);
	}
	watched_release(&s);
	return rc < 0 && err->code != ERR_STOPPED ? err_wrap(err, "%s/%s", service, from->query.kind) : rc;
}

/* Replace the times of a round by the WINDOW of the source. Without one, all its series are checked. */
static int use_window(struct cmd_watch_round *round, struct stored_source *from, struct err *err)
{
	int64_t t0, t1;

	if (!window_has_time(from->window)) {
		from->query.t0 = INT64_MIN;
		from->query.t1 = INT64_MAX;
		return 0;
	}
	if (!stored_span(from, round->stop, &t0, &t1))
		return err_set(err, ERR_IO, "no profiles; cpa store ls lists the series");
	round->from = round->deploys_from = t0 < 0 ? 0 : t0;
	round->until = t1 < round->until ? t1 : round->until;
	return 0;
}

int cmd_watch_check(struct cmd_watch_round *round, const char *source, struct err *err)
{
	struct watched_names names = { 0 };
	struct stored_source from = { 0 };
	struct query q;
	int rc;

	query_init(&q);
	q.store = round->args->store;
	rc = stored_open(source, &q, &from, err);
	if (rc == 0)
		rc = use_window(round, &from, err);
	if (rc == 0)
		rc = store_each_series(from.store, &from.query, watched_add_service, &names, err);
	if (rc == 0 && names.n == 0)
		rc = err_set(err, ERR_IO, "no such series; cpa store ls lists them");
	if (rc < 0)
		err_wrap(err, "%.300s", source);
	for (size_t i = 0; i < names.n && rc == 0; i++)
		rc = check_service(round, &from, names.name[i], err);
	for (size_t i = 0; i < names.n; i++)
		free(names.name[i]);
	free(names.name);
	stored_close(&from);
	query_release(&q);
	return rc;
}

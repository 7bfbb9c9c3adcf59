/*
 * push.c - cpa push: send profiles to another system once
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/push/push.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/unit.h"
#include "fetch/fetch.h"
#include "formats/formats.h"
#include "formats/pprof/pprof.h"
#include "front/cli/cmd.h"
#include "front/cli/interrupt.h"
#include "front/cli/messages.h"
#include "sinks/kinds/kinds.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 5, WAIT_MAX_S = 60, REFUSALS_SHOWN = 20, POLL_MS = 100, BATCH_MAX = 64 };

#define AT(field) offsetof(struct push_args, field)

/* clang-format off */
static const struct opt options[] = {
	{ "to", OPT_TEXT, AT(to), 0, "", "URL", 0, true, "system to send to: pyroscope+https://HOST, cpa+https://HOST; see cpa-push(1)" },
	{ "service", OPT_TEXT, AT(service), 0, "", "NAME", 0, true, "service of profiles of files and servers (default: name of the program)" },
	{ "kind", OPT_TEXT, AT(kind), 0, "", "KIND", 0, true, "their kind, such as cpu or heap (default: by the sample types)" },
	{ "label", OPT_LIST, AT(label), 0, NULL, "KEY=VALUE", 0, true, "label of their series; may be repeated" },
	{ "set", OPT_LIST, AT(set), 0, NULL, "KEY=VALUE", 0, true, "setting of the system; may be repeated" },
	{ "store", OPT_TEXT, AT(store), 0, "", "DIR", 0, true, "store of sources without one (default $CPA_STORE)" },
	{ "input_format", OPT_TEXT, AT(input_format), 0, "", "FORMAT", 0, true, "format of files, if it is not detected" },
	{ "dry_run", OPT_BOOL, AT(dry_run), 0, "false", NULL, 0, true, "print what would be sent, and send nothing" },
	{ "help", OPT_BOOL, AT(help), 0, "false", NULL, 0, true, "print this help" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

const struct opt *cmd_push_option_at(size_t i)
{
	return i < N_OPTIONS ? &options[i] : cmd_http_option_at(i - N_OPTIONS);
}

static int push_add_word(void *arg, const char *word, struct err *err)
{
	struct push_args *to = arg;

	(void)err;
	to->word[to->n_words++] = word;
	return 0;
}

static int push_read_options(int argc, char **argv, struct push_args *to, struct err *err)
{
	const struct opt_table tables[] = { { options, N_OPTIONS, to }, cmd_http_options(&to->http) };
	int rc;

	opt_set_defaults(options, N_OPTIONS, to);
	cmd_http_set_defaults(&to->http);
	rc = opt_read_all("push", tables, 2, argc - 1, argv + 1, push_add_word, to, err);
	if (rc < 0)
		return rc;
	if (to->help)
		return 0;
	if (!*to->to)
		return err_set(err, ERR_USAGE, "--to=URL is missing; usage: cpa push --to=URL [OPTION]... SOURCE...");
	if (to->n_words == 0)
		return err_set(err, ERR_USAGE, "no source; usage: cpa push --to=URL [OPTION]... SOURCE...");
	if (to->label.n > PUSH_LABELS)
		return err_set(err, ERR_USAGE, "more than %d labels", (int)PUSH_LABELS);
	for (size_t i = 0; i < to->label.n; i++) {
		const char *sign = strchr(to->label.item[i], '=');

		if (!sign || sign == to->label.item[i])
			return err_set(err, ERR_USAGE, "--label=%s: expected KEY=VALUE", to->label.item[i]);
	}
	return 0;
}

/* ---- send ---- */

static void push_release_one(struct pushed *x)
{
	sink_waiting_release(&x->w);
	free(x->name);
}

static void push_report_one(struct push_run *p, const struct pushed *x, const struct sink_result *r)
{
	p->n_sent += r->outcome == SINK_SENT;
	p->n_refused += r->outcome == SINK_REFUSED;
	if (r->outcome == SINK_SENT && *r->why && p->n_cut++ < REFUSALS_SHOWN)
		say("%s: %s", x->name, r->why);
	if (r->outcome == SINK_REFUSED && p->n_refused <= REFUSALS_SHOWN)
		say_error("%s: refused: %s", x->name, r->why);
}

/* Wait before another try. Fails with ERR_STOPPED. */
static int push_wait(struct push_run *p, const struct sink_result *r, unsigned tries, struct err *err)
{
	int64_t ns = NS_PER_S << (tries - 1), limit;

	ns = r->retry_ns > 0 ? r->retry_ns : ns;
	ns = ns < WAIT_MAX_S * NS_PER_S ? ns : WAIT_MAX_S * NS_PER_S;
	say("%s; trying again in %" PRId64 " s", r->why, (ns + NS_PER_S - 1) / NS_PER_S);
	for (limit = clock_mono_ns() + ns; clock_mono_ns() < limit && !stop_is_set(p->stop);)
		usleep(POLL_MS * 1000);
	return stop_check(p->stop, err);
}

/* Try once. Those that are to be sent again remain; the first of their results is the last one. */
static int push_try(struct push_run *p, struct sink_result *last, struct err *err)
{
	struct sink_item item[BATCH_MAX] = { 0 };
	struct sink_result result[BATCH_MAX] = { 0 };
	size_t n = p->n_waiting, kept = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		item[i] = p->waiting[i].w.item;
	rc = p->sink->kind->send(p->sink, item, n, p->stop, result, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++) {
		if (sink_is_unsent(&result[i])) {
			if (kept == 0)
				*last = result[i];
			p->waiting[kept++] = p->waiting[i];
			continue;
		}
		push_report_one(p, &p->waiting[i], &result[i]);
		push_release_one(&p->waiting[i]);
	}
	p->n_waiting = kept;
	return 0;
}

/* Send what waits. */
static int push_deliver(struct push_run *p, struct err *err)
{
	struct sink_result last = { 0 };
	int rc = 0;

	for (unsigned tries = 1; rc == 0 && p->n_waiting && !p->is_down; tries++) {
		rc = push_try(p, &last, err);
		if (rc < 0 || p->n_waiting == 0)
			break;
		if (last.outcome == SINK_DENIED) {
			say_error("%s; check the token, its rights and the URL", last.why);
			p->is_down = true;
		} else if (tries == TRIES) {
			say_error("%s; given up after %d tries", last.why, (int)TRIES);
			p->is_down = true;
		} else {
			rc = push_wait(p, &last, tries, err);
		}
	}
	p->n_failed += p->n_waiting;
	for (size_t i = 0; i < p->n_waiting; i++)
		push_release_one(&p->waiting[i]);
	p->n_waiting = 0;
	return rc;
}

/* Print what would be sent. */
static int push_show(struct push_run *p, const struct sink_item *item, struct err *err)
{
	struct buf body = { 0 }, line = { 0 };
	int rc = pprof_write(item->profile, 1, &body, err);

	if (rc == 0) {
		buf_addf(&line, "%s %s/%s{", p->kind->name, item->service, item->kind);
		for (size_t i = 0; i < item->n_labels; i++)
			buf_addf(&line, "%s%s=%s", i ? "," : "", item->label[i].name, item->label[i].value);
		buf_addz(&line, "} ");
		time_add_utc(&line, item->start_ns, TIME_ISO);
		buf_addf(&line, " %" PRIu32 " samples, %zu bytes", item->profile->n_rows, body.len);
		printf("%s\n", line.data);
		p->n_bytes += body.len;
	}
	buf_release(&body);
	buf_release(&line);
	return rc;
}

int cmd_push_add(struct push_run *p, const struct sink_item *item, const char *name, struct profile *profile,
		 struct err *err)
{
	struct sink_item own = *item;
	struct profile *made;
	int rc = 0;

	p->n++;
	own.profile = profile;
	if (!p->kind->keeps_counters && sink_is_cumulative(profile)) {
		if (p->store)
			sink_increases_seed(p->increases, &own, p->store, p->stop);
		rc = sink_increases_apply(p->increases, &own, &made, err);
		if (rc >= 0) {
			p->n_first += rc > 0;
			profile_free(profile);
			own.profile = profile = made;
			rc = 0;
		}
	}
	if (rc == 0 && !p->sink)
		rc = push_show(p, &own, err);
	if (rc < 0 || !p->sink || p->is_down) {
		p->n_failed += rc < 0 || p->is_down;
		profile_free(profile);
		return rc < 0 ? err_wrap(err, "%s", name) : 0;
	}
	sink_waiting_init(&p->waiting[p->n_waiting].w, &own, profile);
	p->waiting[p->n_waiting++].name = mem_strndup(name, strlen(name));
	return p->n_waiting < p->batch_max ? 0 : push_deliver(p, err);
}

/* ---- run ---- */

static const char *push_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void push_report(const struct push_run *p)
{
	struct buf out = { 0 };

	if (p->a->dry_run)
		buf_addf(&out, "would send %" PRIu64 " profile%s, %" PRIu64 " bytes", p->n - p->n_failed,
			 push_plural(p->n - p->n_failed), p->n_bytes);
	else
		buf_addf(&out, "sent %" PRIu64 " of %" PRIu64 " profile%s", p->n_sent, p->n, push_plural(p->n));
	if (p->n_refused)
		buf_addf(&out, ", %" PRIu64 " refused", p->n_refused);
	if (p->n_failed)
		buf_addf(&out, ", %" PRIu64 " failed", p->n_failed);
	printf("%s\n", out.data);
	if (p->n_first)
		say("counters of %" PRIu64 " profile%s are sent as 0, since the profile before %s is not known",
		    p->n_first, push_plural(p->n_first), p->n_first == 1 ? "it" : "them");
	buf_release(&out);
}

static int push_run_all(struct push_run *p)
{
	bool is_stopped = false;
	struct err err;

	p->stop = cmd_interrupt_catch_with_term();
	for (size_t i = 0; i < p->a->n_words && !is_stopped; i++) {
		int rc = cmd_push_read(p, p->a->word[i], &err);

		is_stopped = rc == ERR_STOPPED;
		if (rc < 0 && !is_stopped) {
			say_error("%s", err.msg);
			p->n_failed += rc != ERR_RANGE && rc != ERR_LIMIT;
		}
	}
	if (p->n_waiting && !is_stopped && push_deliver(p, &err) == ERR_STOPPED)
		is_stopped = true;
	for (size_t i = 0; i < p->n_waiting; i++)
		push_release_one(&p->waiting[i]);
	cmd_interrupt_release();
	push_report(p);
	if (is_stopped)
		return say_error("cancelled");
	return p->n_failed ? STATUS_TROUBLE : p->n_refused ? STATUS_NO : STATUS_FINE;
}

static int push_start(const struct push_args *a)
{
	const struct sink_options o = { .fetch = { .tls_cert = a->http.tls_cert,
						   .tls_key = a->http.tls_key,
						   .tls_ca = a->http.tls_ca,
						   .header_file = a->http.header_file,
						   .bearer_file = a->http.bearer_file,
						   .netrc = a->http.netrc,
						   .timeout = a->http.timeout,
						   .max = 1 << 20 },
					.word = a->set.item,
					.n_words = a->set.n };
	struct push_run p = { .a = a };
	const struct file_format *format;
	struct sink *sink;
	struct err err;
	int status;

	if (formats_find_input(a->input_format, &format, &err) < 0 || kinds_open(a->to, &o, &sink, &err) < 0)
		return say_error("%s", err.msg);
	p.kind = sink->kind;
	p.sink = a->dry_run ? NULL : sink;
	p.batch_max = p.kind->batch_max < BATCH_MAX ? p.kind->batch_max : BATCH_MAX;
	p.waiting = mem_zalloc(p.batch_max, sizeof(*p.waiting));
	p.increases = sink_increases_new();
	status = push_run_all(&p);
	sink_increases_free(p.increases);
	free(p.waiting);
	sink->kind->close(sink);
	return status;
}

int cmd_push(int argc, char **argv)
{
	struct push_args a = { .word = mem_alloc((size_t)argc + 1, sizeof(*a.word)) };
	struct err err;
	int status = STATUS_FINE;

	if (push_read_options(argc, argv, &a, &err) < 0)
		status = say_error("%s", err.msg);
	else if (a.help)
		cmd_help_command("push");
	else
		status = push_start(&a);
	opt_list_release(&a.label);
	opt_list_release(&a.set);
	free(a.word);
	free(a.label.item);
	free(a.set.item);
	return status;
}

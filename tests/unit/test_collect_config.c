/*
 * test_collect_config.c - collect.cpa and the arguments of cpa collect
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "scrape/protocols/protocol.h"
#include "scrape/scrape_config.h"

#define SECOND INT64_C(1000000000)

static struct scrape_config *read_all(const char *text, const struct scrape_arguments *arguments)
{
	struct scrape_config *c = NULL;
	struct err err;

	if (scrape_config_parse(text, strlen(text), "c.cpa", arguments, &c, &err) < 0)
		fail_msg("%s", err.msg);
	return c;
}

static void refuses_with(const char *text, const struct scrape_arguments *arguments, const char *sentence)
{
	struct scrape_config *c = NULL;
	struct err err = { 0 };

	assert_int_equal(scrape_config_parse(text, strlen(text), "c.cpa", arguments, &c, &err), ERR_USAGE);
	assert_string_equal(err.msg, sentence);
	assert_null(c);
}

static void refuses(const char *text, const char *sentence)
{
	refuses_with(text, NULL, sentence);
}

/* Kinds as text: "cpu=profile/30/600 ...". */
static void kinds_are(const struct scrape_job *j, const char *expected)
{
	struct buf all = { 0 };

	for (size_t i = 0; i < j->n_kinds; i++)
		buf_addf(&all, "%s%s=%s/%lld/%lld", i ? " " : "", j->kind[i].name, j->kind[i].path,
			 (long long)(j->kind[i].capture_ns / SECOND), (long long)(j->kind[i].every_ns / SECOND));
	assert_string_equal(buf_text(&all), expected);
	buf_release(&all);
}

static void labels_are(const struct store_label *label, size_t n, const char *expected)
{
	struct buf all = { 0 };

	for (size_t i = 0; i < n; i++)
		buf_addf(&all, "%s%s=%s", i ? "," : "", label[i].name, label[i].value);
	assert_string_equal(buf_text(&all), expected);
	buf_release(&all);
}

static const char whole[] =
	"# a comment\n"
	"store     /var/lib/cpa/store\n"
	"cap       20GiB                  # hard\n"
	"retain    raw=14d 10m=90d\n"
	"retain    {env=dev,region=eu} raw=2d\n"
	"group     ops\n"
	"every     10m\n"
	"kinds     cpu heap goroutine mutex block\n"
	"cpu       30s\n"
	"timeout   25s\n"
	"label     env=prod region=eu-west-1\n"
	"keep-label route tenant\n"
	"push-rate 200\n"
	"keep-label method route\n"
	"limit     tenant 500\n"
	"limit     80\n"
	"shape     route ^(/api/v1/orders/)[0-9]+ $1:id\n"
	"version   label comment buildid\n"
	"listen    unix:auto\n"
	"listen    0.0.0.0:4040 secret=/a service=checkout*,pay secret=/b tls=/s.pem client-ca=/c.pem\n"
	"push      pprof connect\n"
	"shard     3/10\n"
	"job checkout\n"
	"  target   10.0.0.7:6060 unix:/run/checkout.sock\n"
	"  target   10.0.0.8:6060 pod=checkout-b env=dev\n"
	"  targets  file=/etc/cpa/checkout.targets zone=a\n"
	"  targets  dns=checkout.prod.internal:6060\n"
	"  targets  srv=_pprof._tcp.checkout.prod.internal\n"
	"  folder   /debug/p\n"
	"  cpu      30s every=1m\n"
	"  block    off\n"
	"  label    region=us team=pay\n"
	"  bearer   /run/secrets/pprof.token\n"
	"  version  url=/version field=git.commit\n"
	"  honor-labels yes\n"
	"\"job\" \"the shop\"\n"
	"  target   [::1]:6060 # the same machine\n"
	"  kinds    wall cpu\n"
	"  wall     10s\n";

static void every_keyword_is_read(void **state)
{
	struct scrape_config *c = read_all(whole, NULL);
	const struct scrape_job *j;

	(void)state;
	assert_string_equal(c->store, "/var/lib/cpa/store");
	assert_int_equal(c->cap, UINT64_C(20) << 30);
	assert_string_equal(c->retain, "raw=14d 10m=90d\n{env=dev,region=eu} raw=2d");
	assert_string_equal(c->group, "ops");
	assert_int_equal(c->push_rate, 200);
	assert_int_equal(c->n_keep_labels, 3);
	assert_string_equal(c->keep_label[0], "method");
	assert_string_equal(c->keep_label[2], "tenant");
	assert_int_equal(c->n_limits, 1);
	assert_int_equal(c->limit[0].n, 500);
	assert_int_equal(c->limit_default, 80);
	assert_int_equal(c->n_shapes, 1);
	assert_string_equal(c->shape[0].to, "$1:id");
	assert_int_equal(c->n_listens, 2);
	assert_string_equal(c->listen[1].tls, "/s.pem");
	assert_int_equal(c->listen[1].n_secrets, 2);
	assert_int_equal(c->listen[1].secret[0].n_services, 2);
	assert_string_equal(c->listen[1].secret[0].service[1], "pay");
	assert_int_equal(c->listen[1].secret[1].n_services, 0);
	assert_int_equal(c->push, protocol_bit(&protocol_pprof) | protocol_bit(&protocol_connect));
	assert_int_equal(c->shard, 3);
	assert_int_equal(c->n_shards, 10);
	assert_int_equal(c->n_jobs, 2);

	j = &c->job[0];
	assert_string_equal(j->name, "checkout");
	assert_int_equal(j->n_sources, 6);
	assert_string_equal(j->source[1].address, "unix:/run/checkout.sock");
	assert_int_equal(j->source[1].n_labels, 0);
	labels_are(j->source[2].label, j->source[2].n_labels, "env=dev,pod=checkout-b");
	assert_int_equal(j->source[2].line, 25);
	assert_int_equal(j->source[3].type, SCRAPE_FILE);
	assert_string_equal(j->source[3].address, "/etc/cpa/checkout.targets");
	labels_are(j->source[3].label, j->source[3].n_labels, "zone=a");
	assert_int_equal(j->source[4].type, SCRAPE_DNS);
	assert_int_equal(j->source[5].type, SCRAPE_SRV);
	kinds_are(j, "cpu=profile/30/60 heap=heap/0/600 goroutine=goroutine/0/600 mutex=mutex/0/600");
	labels_are(j->label, j->n_labels, "env=prod,region=us,team=pay");
	assert_string_equal(j->folder, "/debug/p");
	assert_string_equal(j->bearer_file, "/run/secrets/pprof.token");
	assert_int_equal(j->timeout_ns, 25 * SECOND);
	assert_true(j->honors_labels);
	assert_int_equal(j->n_versions, 4);
	assert_int_equal(j->version[2], SCRAPE_VERSION_URL);
	assert_int_equal(j->version[3], SCRAPE_VERSION_BUILD_ID);
	assert_string_equal(j->version_field, "git.commit");

	j = &c->job[1];
	assert_string_equal(j->name, "the shop");
	assert_int_equal(j->n_sources, 1);
	kinds_are(j, "wall=wall/10/600 cpu=profile/30/600");
	labels_are(j->label, j->n_labels, "env=prod,region=eu-west-1");
	assert_string_equal(j->bearer_file, "");
	assert_false(j->honors_labels);
	assert_int_equal(j->n_versions, 3);
	scrape_config_unref(c);
}

static void arguments_give_the_same_configuration_as_a_file(void **state)
{
	static const char *const target[] = { "localhost:6060", "10.0.0.7:6060" },
				 *const label[] = { "env=dev,zone=a", "b=c" }, *const listen[] = { "localhost:4040" };
	static const struct scrape_arguments arguments = {
		.store = "/s",
		.cap = "1GiB",
		.every = "1m",
		.cpu = "10s",
		.kinds = "cpu,heap",
		.label = label,
		.n_labels = 2,
		.listen = listen,
		.n_listens = 1,
		.target = target,
		.n_targets = 2,
	};
	struct scrape_config *a = read_all("", &arguments);
	struct scrape_config *b =
		read_all("store /s\ncap 1GiB\nevery 1m\nkinds cpu heap\ncpu 10s\nlabel env=dev zone=a b=c\n"
			 "listen localhost:4040\njob x\ntarget localhost:6060 10.0.0.7:6060\n",
			 NULL);

	(void)state;
	assert_string_equal(a->store, b->store);
	assert_int_equal(a->cap, b->cap);
	assert_int_equal(a->n_jobs, 1);
	assert_string_equal(a->job[0].name, "");
	for (int i = 0; i < 2; i++) {
		const struct scrape_job *j = i ? b->job : a->job;

		kinds_are(j, "cpu=profile/10/60 heap=heap/0/60");
		labels_are(j->label, j->n_labels, "b=c,env=dev,zone=a");
		assert_int_equal(j->n_sources, 2);
		assert_string_equal(j->source[1].address, "10.0.0.7:6060");
	}
	assert_int_equal(a->n_listens, 1);
	assert_string_equal(a->listen[0].address, b->listen[0].address);
	scrape_config_unref(a);
	scrape_config_unref(b);
}

static void options_replace_the_defaults_of_a_file_and_jobs_keep_their_lines(void **state)
{
	static const char *const target[] = { "h:1" };
	static const struct scrape_arguments arguments = {
		.every = "2m", .store = "/b", .target = target, .n_targets = 1
	};
	struct scrape_config *c = read_all(
		"every 10m\nstore /a\nkinds heap\njob x\ntarget h:2\njob y\nevery 3m\ntarget h:3\n", &arguments);

	(void)state;
	assert_string_equal(c->store, "/b");
	assert_int_equal(c->n_jobs, 3);
	kinds_are(&c->job[0], "heap=heap/0/120");
	kinds_are(&c->job[1], "heap=heap/0/180");
	kinds_are(&c->job[2], "heap=heap/0/120");
	assert_string_equal(c->job[2].source[0].address, "h:1");
	scrape_config_unref(c);
}

static void the_presets_add_services_and_continuous_sets_both_times(void **state)
{
	static const struct scrape_arguments arguments = { .dapr = ":7777", .dendrite = "m:65432", .continuous = true };
	struct scrape_config *c = read_all("", &arguments);

	(void)state;
	assert_int_equal(c->n_jobs, 2);
	assert_string_equal(c->job[0].name, "daprd");
	assert_string_equal(c->job[0].source[0].address, ":7777");
	assert_string_equal(c->job[1].name, "dendrite");
	kinds_are(&c->job[1],
		  "cpu=profile/30/30 heap=heap/0/30 goroutine=goroutine/0/30 mutex=mutex/0/30 block=block/0/30");
	assert_int_equal(c->n_listens, 1);
	assert_string_equal(c->listen[0].address, "unix:auto");
	scrape_config_unref(c);
}

static void kinds_are_switched_on_and_off(void **state)
{
	static const struct {
		const char *text, *kinds;
	} c[] = {
		{ "",
		  "cpu=profile/30/600 heap=heap/0/600 goroutine=goroutine/0/600 mutex=mutex/0/600 block=block/0/600" },
		{ "every 10s\nkinds heap cpu\n", "cpu=profile/10/10 heap=heap/0/10" },
		{ "kinds heap\nblock off\nthreads on\n", "heap=heap/0/600 threads=threads/0/600" },
		{ "block off\nkinds heap block\n", "heap=heap/0/600 block=block/0/600" },
		{ "kinds heap\nfgprof 5s\n", "fgprof=fgprof/5/600 heap=heap/0/600" },
		{ "kinds heap\nheap every=1h\n", "heap=heap/0/3600" },
		{ "cpu off\nheap off\nmutex off\nblock off\n", "goroutine=goroutine/0/600" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct buf text = { 0 };
		struct scrape_config *config;

		buf_addf(&text, "job x\n%starget h:1\n", c[i].text);
		config = read_all(buf_text(&text), NULL);
		kinds_are(&config->job[0], c[i].kinds);
		scrape_config_unref(config);
		buf_release(&text);
	}
}

static void invalid_lines_are_reported_with_file_and_line(void **state)
{
	static const struct {
		const char *text, *sentence;
	} c[] = {
		{ "\neveryy 10m\n", "c.cpa:2: unknown keyword everyy; a kind of profile must be in the line kinds" },
		{ "every 10\n", "c.cpa:1: every=10: not a duration such as 30s, 10m or 1h30m" },
		{ "every 10ms\n", "c.cpa:1: every 10ms: the duration must be between 1 s and 31 days" },
		{ "every\n", "c.cpa:1: expected every DURATION" },
		{ "cap 1QB", "c.cpa:1: cap=1QB: not a size such as 256MB or 20GiB" },
		{ "cap 1", "c.cpa:1: cap 1: the quota of a store must be at least 64 MiB" },
		{ "retain 10m=90d", "c.cpa:1: retain: raw=DURATION is missing" },
		{ "retain raw=14d 5m=90d",
		  "c.cpa:1: retain 5m=90d: write raw=, 10m=, 1h= or 1d= and a duration, as in raw=14d" },
		{ "retain raw=14d 10m=9d",
		  "c.cpa:1: retain: 10m is kept up to an age, which must be larger than that of finer tiers" },
		{ "retain raw=1m", "c.cpa:1: retain raw=1m: the shortest is 1h" },
		{ "retain raw=14d raw=15d", "c.cpa:1: retain raw=15d: raw is given twice" },
		{ "retain {env} raw=1d", "c.cpa:1: retain {env}: write {LABEL=VALUE,...}" },
		{ "retain raw=1d\nretain raw=2d", "c.cpa:2: retain: two lines have no {LABEL=VALUE}" },
		{ "store clickhouse://h/d", "c.cpa:1: store clickhouse://h/d: a collector stores profiles in a "
					    "directory first; to send them on, add: "
					    "sink NAME clickhouse://h/d" },
		{ "sink a",
		  "c.cpa:1: expected sink NAME URL [match={LABEL=VALUE}] [header-file=FILE] [bearer-file=FILE] "
		  "[spool=BYTES] [KEY=VALUE]..." },
		{ "sink a b", "c.cpa:1: sink a: not the URL of a system that cpa sends to; they begin with one "
			      "of pyroscope+, cpa+, parca+, polarsignals+, otlp+, datadog+, gcp+, coroot+, "
			      "clickhouse://, clickhouse+" },
		{ "sink a.b cpa+http://h", "c.cpa:1: sink a.b: not a name of at most 64 letters, digits, - and _" },
		{ "sink a cpa+http://h?x=1", "c.cpa:1: sink a: the URL of a sink has no ? and #" },
		{ "sink a cpa+http://h x=1", "c.cpa:1: sink a: x=1: sinks of the kind cpa have no such setting" },
		{ "sink a cpa+http://h spool=x", "c.cpa:1: sink a: spool=x: expected a size, as in spool=1GiB" },
		{ "sink a cpa+http://h match={", "c.cpa:1: sink a: match={: expected conditions on labels, as in "
						 "{env=prod,region=~eu.*}" },
		{ "sink a cpa+http://h\nsink a cpa+http://i", "c.cpa:2: sink a: the name is used twice" },
		{ "push-age 1s", "c.cpa:1: push-age 1s: the duration must be between 60 s and 3650 days" },
		{ "push-rate -1", "c.cpa:1: push-rate -1: not a number of at most 1000000" },
		{ "push-running x", "c.cpa:1: push-running x: not a number of at most 1000000" },
		{ "push-bytes 1x", "c.cpa:1: push-bytes=1x: not a size such as 256MB or 20GiB" },
		{ "listen :1 user=a",
		  "c.cpa:1: listen: user=a: expected secret=FILE, then user=NAME and service=PATTERN, "
		  "tls=FILE or client-ca=FILE" },
		{ "listen :1 secret=f user=a:b", "c.cpa:1: listen: user=a:b: expected secret=FILE, then user=NAME and "
						 "service=PATTERN, tls=FILE or client-ca=FILE" },
		{ "push zipkin",
		  "c.cpa:1: push zipkin: expected pprof, ingest, connect, otlp, datadog, parca, or off alone" },
		{ "push off pprof",
		  "c.cpa:1: push off: expected pprof, ingest, connect, otlp, datadog, parca, or off alone" },
		{ "target h:1", "c.cpa:1: target: write a line \"job SERVICE\" before it" },
		{ "job a\ntarget pod=x h:1", "c.cpa:2: target: the label pod=x must follow a target" },
		{ "job a\ntarget ftp://h/",
		  "c.cpa:2: target ftp://h/: unsupported scheme ftp; use http, https, https+insecure or unix" },
		{ "job a\ntarget /tmp/x",
		  "c.cpa:2: target /tmp/x: not an address; write HOST:PORT, a URL or unix:SOCKET" },
		{ "job a\ntarget \"h:1 h:2\"",
		  "c.cpa:2: target h:1 h:2: not an address; write HOST:PORT, a URL or unix:SOCKET" },
		{ "job a\ntargets dns=h", "c.cpa:2: targets dns=h: missing port; write dns=HOST:PORT" },
		{ "job a\ntargets x=h", "c.cpa:2: expected targets file=PATH, targets dns=HOST:PORT, targets srv=NAME "
					"or targets kubernetes" },
		{ "job a\ncap 1GiB", "c.cpa:2: cap applies to the whole file; write it before the first job" },
		{ "job", "c.cpa:1: expected job SERVICE" },
		{ "label env", "c.cpa:1: label env: expected NAME=VALUE" },
		{ "label env=", "c.cpa:1: label env has no value" },
		{ "label service=x", "c.cpa:1: label service: the service is the name of the job" },
		{ "heap 30s", "c.cpa:1: heap 30s: heap is a snapshot and has no duration; its interval is every=30s" },
		{ "kinds cpu profile", "c.cpa:1: profile: the kind is called cpu" },
		{ "kinds cpu cpu", "c.cpa:1: kinds: cpu is given twice" },
		{ "kinds trace", "c.cpa:1: trace: execution traces are not profiles" },
		{ "job a\nkinds cpu\ncpu off\ntarget h:1", "c.cpa:1: a: all kinds are off" },
		{ "\njob a\nevery 20s\ncpu 30s\ntarget h:1",
		  "c.cpa:2: a: cpu: a duration of 30 s does not fit into the interval of 20 s" },
		{ "job a\nevery 1m\ncpu 40s\nfgprof 30s\ntarget h:1",
		  "c.cpa:1: a: the durations of all kinds take more than the whole time, one after the other" },
		{ "shape route (a $1", "c.cpa:1: shape route: error parsing regexp: missing closing ): `(a`" },
		{ "shape route (a) $2", "c.cpa:1: shape route: $2: the expression has only 1 groups" },
		{ "limit tenant x", "c.cpa:1: limit x: not a number of at most 1000000" },
		{ "shard 4/3", "c.cpa:1: shard 4/3: the first shard is 1/3" },
		{ "listen 0.0.0.0:1 secrt=/x",
		  "c.cpa:1: listen: secrt=/x: expected secret=FILE, then user=NAME and service=PATTERN, tls=FILE or "
		  "client-ca=FILE" },
		{ "version git", "c.cpa:1: version git: expected label, comment, buildid, url=/PATH or field=MEMBER" },
		{ "job \"a", "c.cpa:1: missing closing quote" },
		{ "folder x", "c.cpa:1: expected folder PATH, as in: folder /debug/pprof" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++)
		refuses(c[i].text, c[i].sentence);
}

static void invalid_options_are_reported_with_their_name(void **state)
{
	static const char *const target[] = { "h:1", "nowhere" };

	(void)state;
	refuses_with("", &(struct scrape_arguments){ .every = "5x" },
		     "--every: every=5x: not a duration such as 30s, 10m or 1h30m");
	refuses_with("", &(struct scrape_arguments){ .target = target, .n_targets = 2 },
		     "target nowhere: not an address; write HOST:PORT, a URL or unix:SOCKET");
	refuses_with("", &(struct scrape_arguments){ .dapr = "ftp://x" },
		     "--dapr: target ftp://x: unsupported scheme ftp; use http, https, https+insecure or unix");
}

static void secrets_of_addresses_are_not_in_messages(void **state)
{
	(void)state;
	refuses("job a\ntarget ftp://me:secret@h/",
		"c.cpa:2: target ftp://h/: unsupported scheme ftp; use http, https, https+insecure or unix");
}

static void sizes_are_limited(void **state)
{
	struct buf text = { 0 };

	(void)state;
	buf_addz(&text, "job a\n");
	for (int i = 0; i < 100001; i++)
		buf_addf(&text, "target h%d:1\n", i);
	refuses(buf_text(&text), "c.cpa:100002: more than 100000 targets; write them to a file: targets file=PATH");
	text.len = 0;
	for (int i = 0; i < 10001; i++)
		buf_addf(&text, "job j%d\n", i);
	refuses(buf_text(&text), "c.cpa:10001: more than 10000 jobs");
	buf_release(&text);
}

static void the_example_is_valid(void **state)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	struct scrape_config *c = NULL;
	struct err err;

	(void)state;
	snprintf(path, sizeof(path), "%s/examples/collect/collect.cpa", top ? top : ".");
	if (scrape_config_read(path, NULL, &c, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(c->n_jobs, 3);
	kinds_are(&c->job[0],
		  "cpu=profile/30/60 heap=heap/0/600 goroutine=goroutine/0/600 mutex=mutex/0/600 block=block/0/600");
	scrape_config_unref(c);
	assert_int_equal(scrape_config_read("/nonexistent/c.cpa", NULL, &c, &err), ERR_IO);
	assert_string_equal(err.msg, "/nonexistent/c.cpa: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_keyword_is_read),
		cmocka_unit_test(arguments_give_the_same_configuration_as_a_file),
		cmocka_unit_test(options_replace_the_defaults_of_a_file_and_jobs_keep_their_lines),
		cmocka_unit_test(the_presets_add_services_and_continuous_sets_both_times),
		cmocka_unit_test(kinds_are_switched_on_and_off),
		cmocka_unit_test(invalid_lines_are_reported_with_file_and_line),
		cmocka_unit_test(invalid_options_are_reported_with_their_name),
		cmocka_unit_test(secrets_of_addresses_are_not_in_messages),
		cmocka_unit_test(sizes_are_limited),
		cmocka_unit_test(the_example_is_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_pods.c - targets that are pods of Kubernetes: the line of collect.cpa, annotations, lists, events
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
#include "scrape/pods.h"

/* The source of "targets kubernetes WORDS"; its configuration is *c. */
static const struct scrape_source *source_of(const char *words, struct scrape_config **c)
{
	struct buf text = { 0 };
	struct err err;

	buf_addf(&text, "job a\ntargets kubernetes %s\n", words);
	if (scrape_config_parse(text.data, text.len, "c.cpa", NULL, c, &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(&text);
	return &(*c)->job[0].source[0];
}

/* The targets of a set and the notes, a line each: "ADDRESS SERVICE [KINDS] K=V,K=V". */
static void set_is(const struct scrape_pods_set *s, const char *expected)
{
	struct scrape_list l = { 0 };
	struct buf all = { 0 }, notes = { 0 };

	scrape_pods_add_targets(s, 0, &l, &notes);
	for (size_t i = 0; i < l.n; i++) {
		buf_addf(&all, "%s %s [%s]", l.found[i].address, l.found[i].service, l.found[i].kinds);
		for (size_t k = 0; k < l.found[i].n_labels; k++)
			buf_addf(&all, "%s%s=%s", k ? "," : " ", l.found[i].label[k].name, l.found[i].label[k].value);
		buf_addz(&all, "\n");
	}
	buf_add(&all, buf_text(&notes), notes.len);
	assert_string_equal(buf_text(&all), expected);
	buf_release(&all);
	buf_release(&notes);
	scrape_list_release(&l);
}

static void add_page(struct scrape_pods_set *s, const char *text)
{
	struct err err;

	if (scrape_pods_add_page(s, text, strlen(text), &err) < 0)
		fail_msg("%s", err.msg);
}

/* A list of one running pod prod/shop-1 at 10.0.0.1. meta, spec: more members, each begins with a comma. */
static void add_pod(struct scrape_pods_set *s, const char *meta, const char *spec)
{
	struct buf text = { 0 };

	buf_addf(&text,
		 "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"namespace\":\"prod\",\"name\":"
		 "\"shop-1\"%s},\"spec\":{\"nodeName\":\"n1\"%s},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.0.0."
		 "1\"}}]}",
		 meta, spec);
	add_page(s, text.data);
	buf_release(&text);
}

static void pod_is(const char *words, const char *meta, const char *spec, const char *expected)
{
	struct scrape_config *c;
	struct scrape_pods_set s = { .source = source_of(words, &c) };

	add_pod(&s, meta, spec);
	set_is(&s, expected);
	scrape_pods_set_release(&s);
	scrape_config_unref(c);
}

#define SCRAPE "\"cpa.dev/scrape\":\"true\""
#define NOTE(text) "pod prod/shop-1: " text "\n"
#define OWN " namespace=prod,node=n1,pod=shop-1\n"

static void annotations_of_cpa_say_what_is_scraped(void **state)
{
	(void)state;
	pod_is("", "", "", "");
	pod_is("", ",\"annotations\":{\"cpa.dev/scrape\":\"false\"}", "", "");
	pod_is("", ",\"annotations\":{" SCRAPE "}", "", "10.0.0.1:6060 shop-1 []" OWN);
	pod_is("port=7000 zone=b pod=mine", ",\"annotations\":{" SCRAPE "}", "",
	       "10.0.0.1:7000 shop-1 [] namespace=prod,node=n1,pod=mine,zone=b\n");
	pod_is("service=job",
	       ",\"annotations\":{" SCRAPE
	       ",\"cpa.dev/port\":\"8080\",\"cpa.dev/path\":\"/p/x\",\"cpa.dev/scheme\":\"https\","
	       "\"cpa.dev/kinds\":\" cpu, heap\"}",
	       "", "https://10.0.0.1:8080/p/x  [cpu,heap]" OWN);
	pod_is("", ",\"annotations\":{" SCRAPE ",\"cpa.dev/path\":\"/p\",\"cpa.dev/service\":\"team/shop\"}", "",
	       "http://10.0.0.1:6060/p team/shop []" OWN);
	pod_is("annotation=none namespace=prod", "", "", "10.0.0.1:6060 shop-1 []" OWN);
	pod_is("annotation=none namespace=prod", ",\"annotations\":{\"cpa.dev/scrape\":\"false\"}", "", "");
}

static void ports_have_names_and_containers(void **state)
{
	static const char spec[] =
		",\"containers\":[{\"name\":\"app\",\"ports\":[{\"name\":\"http\",\"containerPort\":8080},{\"name\":"
		"\"pprof\","
		"\"containerPort\":6061}]},{\"name\":\"side\",\"ports\":[{\"containerPort\":9}]}],"
		"\"initContainers\":[{\"name\":\"daprd\",\"ports\":[{\"name\":\"debug\",\"containerPort\":7}]}]";

	(void)state;
	pod_is("", ",\"annotations\":{" SCRAPE "}", spec,
	       "10.0.0.1:6061 shop-1 [] container=app,namespace=prod,node=n1,pod=shop-1\n");
	pod_is("", ",\"annotations\":{" SCRAPE ",\"cpa.dev/port\":\"9\"}", spec,
	       "10.0.0.1:9 shop-1 [] container=side,namespace=prod,node=n1,pod=shop-1\n");
	pod_is("", ",\"annotations\":{" SCRAPE ",\"cpa.dev/port\":\"debug\"}", spec,
	       "10.0.0.1:7 shop-1 [] container=daprd,namespace=prod,node=n1,pod=shop-1\n");
	pod_is("", ",\"annotations\":{" SCRAPE ",\"cpa.dev/port\":\"6000\"}", spec, "10.0.0.1:6000 shop-1 []" OWN);
	pod_is("", ",\"annotations\":{" SCRAPE "}", ",\"containers\":[{\"name\":\"app\"}]",
	       "10.0.0.1:6060 shop-1 [] container=app,namespace=prod,node=n1,pod=shop-1\n");
	pod_is("", ",\"annotations\":{" SCRAPE ",\"cpa.dev/port\":\"web\"}", spec,
	       NOTE("cpa.dev/port web: is neither a port nor the name of a port of a container"));
}

static void services_come_from_labels_or_owners(void **state)
{
#define OWNER(kind, name) ",\"ownerReferences\":[{\"kind\":\"" kind "\",\"name\":\"" name "\"}]"
#define SERVICE(meta, service) pod_is("", ",\"annotations\":{" SCRAPE "}" meta, "", "10.0.0.1:6060 " service " []" OWN)
	(void)state;
	SERVICE(",\"labels\":{\"app.kubernetes.io/name\":\"shop\",\"app\":\"x\"}", "shop");
	SERVICE(",\"labels\":{\"app\":\"x\"}", "x");
	SERVICE(OWNER("StatefulSet", "pay-eu"), "pay-eu");
	SERVICE(OWNER("ReplicaSet", "shop-6d4cf56db6") ",\"labels\":{\"pod-template-hash\":\"6d4cf56db6\"}", "shop");
	SERVICE(OWNER("ReplicaSet", "shop-6d4cf56db6"), "shop-6d4cf56db6");
	SERVICE(OWNER("Job", "backup-29384729"), "backup");
	SERVICE(OWNER("Job", "import-7"), "import-7");
	pod_is("pod-label=team pod-label=app.kubernetes.io/version:release pod-label=x/part-of",
	       ",\"annotations\":{" SCRAPE
	       "},\"labels\":{\"team\":\"a\",\"app.kubernetes.io/version\":\"1.2\",\"x/part-of\":\"s\"}",
	       "", "10.0.0.1:6060 shop-1 [] namespace=prod,node=n1,part-of=s,pod=shop-1,release=1.2,team=a\n");
}

static void annotations_of_dapr_are_those_of_its_injector(void **state)
{
	static const char words[] = "annotation=dapr.io/enable-profiling";
	static const char target[] = "10.0.0.1:7777 daprd [] container=daprd,namespace=prod,node=n1,pod=shop-1\n";

	(void)state;
	pod_is(words, ",\"annotations\":{\"dapr.io/enabled\":\"true\",\"dapr.io/enable-profiling\":\"true\"}", "",
	       target);
	pod_is(words, ",\"annotations\":{\"dapr.io/enabled\":\" YES \",\"dapr.io/enable-profiling\":\"1\"}", "",
	       target);
	pod_is(words, ",\"annotations\":{\"dapr.io/enable-profiling\":\"true\"}", "", "");
	pod_is(words, ",\"annotations\":{\"dapr.io/enabled\":\"true\",\"dapr.io/enable-profiling\":\"false\"}", "", "");
	pod_is("annotation=dapr.io/enable-profiling annotation=cpa.dev/scrape",
	       ",\"annotations\":{" SCRAPE ",\"dapr.io/enabled\":\"on\",\"dapr.io/enable-profiling\":\"t\"}", "",
	       "10.0.0.1:6060 shop-1 []" OWN
	       "10.0.0.1:7777 daprd [] container=daprd,namespace=prod,node=n1,pod=shop-1\n");
}

#define GRAFANA(name, value) "\"profiles.grafana.com/" name "\":\"" value "\""

static void annotations_of_pyroscope_select_kinds(void **state)
{
	static const char words[] = "annotation=profiles.grafana.com/*";
	static const char spec[] =
		",\"containers\":[{\"name\":\"app\",\"ports\":[{\"name\":\"http\",\"containerPort\":8080}]}]";
#define APP " container=app,namespace=prod,node=n1,pod=shop-1\n"

	(void)state;
	pod_is(words,
	       ",\"annotations\":{" GRAFANA("cpu.scrape", "true") "," GRAFANA("cpu.port", "4040") "," GRAFANA(
		       "memory.scrape", "true") "," GRAFANA("memory.port", "4040") "," GRAFANA("mutex.scrape",
											       "false") "}",
	       spec, "10.0.0.1:4040 shop-1 [cpu,heap]" APP);
	pod_is(words,
	       ",\"annotations\":{" GRAFANA("cpu.scrape", "true") "," GRAFANA("goroutine.scrape", "true") "," GRAFANA(
		       "goroutine.port_name", "http") "," GRAFANA("goroutine.scheme", "https") "}",
	       spec, "10.0.0.1:8080 shop-1 [cpu]" APP "https://10.0.0.1:8080 shop-1 [goroutine]" APP);
	pod_is(words,
	       ",\"annotations\":{" GRAFANA("cpu.scrape", "true") "," GRAFANA(
		       "cpu.path",
		       "/x/pprof/profile") "," GRAFANA("memory.scrape",
						       "true") "," GRAFANA("memory.path",
									   "/x/pprof/allocs") ",\"pyroscope.io/"
											      "service_name\":\"s\"}",
	       spec, "http://10.0.0.1:8080/x/pprof s [cpu,heap]" APP);
	pod_is(words,
	       ",\"annotations\":{" GRAFANA("block.scrape", "true") "," GRAFANA("block.path",
										"/debug/pprof/delta_block") "}",
	       spec,
	       NOTE("profiles.grafana.com/block.path /debug/pprof/delta_block: does not end in the name of the "
		    "profile"));
	/* two profilers of one program disturb each other */
	pod_is("annotation=profiles.grafana.com/* annotation=cpa.dev/scrape",
	       ",\"annotations\":{" SCRAPE "," GRAFANA("cpu.scrape", "true") "}", spec, "10.0.0.1:6060 shop-1 []" APP);
}

static void annotations_that_cannot_be_used_are_named(void **state)
{
	static const char *const bad[][2] = {
		{ "\"cpa.dev/port\":\"0\"", "cpa.dev/port 0: is neither a port nor the name of a port of a container" },
		{ "\"cpa.dev/port\":\"65536\"",
		  "cpa.dev/port 65536: is neither a port nor the name of a port of a container" },
		{ "\"cpa.dev/scheme\":\"file\"", "cpa.dev/scheme file: is neither http nor https" },
		{ "\"cpa.dev/path\":\"@evil.example/\"", "cpa.dev/path @evil.example/: is not a path" },
		{ "\"cpa.dev/path\":\"/p?seconds=1\"", "cpa.dev/path /p?seconds=1: is not a path" },
		{ "\"cpa.dev/kinds\":\"../x\"", "cpa.dev/kinds ../x: is not a list of kinds like cpu,heap" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char meta[200], note[200];

		snprintf(meta, sizeof(meta), ",\"annotations\":{" SCRAPE ",%s}", bad[i][0]);
		snprintf(note, sizeof(note), NOTE("%s"), bad[i][1]);
		pod_is("", meta, "", note);
	}
	/* a name that is refused, or a value with NUL, leaves the rest usable */
	pod_is("", ",\"annotations\":{" SCRAPE ",\"cpa.dev/service\":\"a \\\"b\\\"\"},\"labels\":{\"app\":\"x\"}", "",
	       "10.0.0.1:6060 x []" OWN NOTE(
		       "cpa.dev/service a \"b\": is not a name of letters, digits and . _ - / : @"));
	pod_is("", ",\"annotations\":{" SCRAPE ",\"cpa.dev/port\":\"70\\u000000\"}", "",
	       "10.0.0.1:6060 shop-1 []" OWN NOTE("cpa.dev/port: has control characters"));
}

/* ---- the set ---- */

#define POD(name, version, state, more)                                                                                \
	"{\"metadata\":{\"namespace\":\"prod\",\"name\":\"" name "\",\"resourceVersion\":\"" version                   \
	"\",\"annotations\":{" SCRAPE "}" more "},\"status\":" state "}"
#define RUNNING(ip)                                                                                                    \
	"{\"phase\":\"Running\",\"podIP\":\"" ip "\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}]}"
#define READY(ip)                                                                                                      \
	"{\"phase\":\"Running\",\"podIP\":\"" ip "\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}"
#define ROW(ip, name) ip " " name " [] namespace=prod,pod=" name "\n"

static void only_pods_that_run_are_targets(void **state)
{
	static const char list[] =
		"{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" POD("c", "1", RUNNING("fd00::7"), "") "," POD(
			"b", "2", READY("10.0.0.2"),
			"") "," POD("d", "3", "{\"phase\":\"Pending\",\"podIP\":\"10.0.0.3\"}",
				    "") "," POD("e", "4", "{\"phase\":\"Running\"}",
						"") "," POD("f", "5", RUNNING("10.0.0.5"),
							    ",\"deletionTimestamp\":\"2026-11-29T00:00:"
							    "00Z\"") "," POD("g", "6", RUNNING("evil.example"),
									     "") "]}";
	struct scrape_config *c;
	struct scrape_pods_set s = { .source = source_of("", &c) };

	(void)state;
	add_page(&s, list);
	set_is(&s, ROW("10.0.0.2:6060", "b") ROW("[fd00::7]:6060", "c"));
	assert_string_equal(s.version, "9");
	scrape_pods_set_release(&s);
	scrape_config_unref(c);
	s.source = source_of("ready=yes", &c);
	add_page(&s, list);
	set_is(&s, ROW("10.0.0.2:6060", "b"));
	scrape_pods_set_release(&s);
	scrape_config_unref(c);
}

static void apply(struct scrape_pods_set *s, const char *event, int expected, bool changes)
{
	bool changed = false;
	struct err err = { 0 };
	int rc = scrape_pods_add_event(s, event, strlen(event), &changed, &err);

	if (rc != expected)
		fail_msg("%s", err.msg);
	assert_int_equal(changed, changes);
}

static void events_change_the_set(void **state)
{
	struct scrape_config *c;
	struct scrape_pods_set s = { .source = source_of("", &c) };

	(void)state;
	/* pages, of which the second has a pod that the first has too */
	add_page(&s, "{\"metadata\":{\"resourceVersion\":\"5\",\"continue\":\"x\"},\"items\":[" POD(
			     "b", "1", RUNNING("10.0.0.2"), "") "]}");
	assert_string_equal(s.next_page, "x");
	add_page(&s, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[" POD(
			     "a", "2", RUNNING("10.0.0.1"), "") "," POD("b", "1", RUNNING("10.0.0.2"), "") "]}");
	assert_null(s.next_page);
	assert_int_equal(s.n_targets, 2);
	apply(&s, "{\"type\":\"ADDED\",\"object\":" POD("c", "6", RUNNING("10.0.0.3"), "") "}", 0, true);
	apply(&s, "{\"type\":\"MODIFIED\",\"object\":" POD("b", "7", RUNNING("10.0.0.9"), "") "}", 0, true);
	apply(&s, "{\"type\":\"DELETED\",\"object\":" POD("a", "8", RUNNING("10.0.0.1"), "") "}", 0, true);
	apply(&s, "{\"type\":\"DELETED\",\"object\":" POD("z", "9", RUNNING("10.0.0.1"), "") "}", 0, false);
	apply(&s, "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"12\"}}}", 0, false);
	assert_string_equal(s.version, "12");
	set_is(&s, ROW("10.0.0.9:6060", "b") ROW("10.0.0.3:6060", "c"));
	apply(&s, "{\"type\":\"MODIFIED\",\"object\":" POD("c", "13", "{\"phase\":\"Succeeded\"}", "") "}", 0, true);
	set_is(&s, ROW("10.0.0.9:6060", "b"));
	apply(&s, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"message\":\"too old\"}}",
	      ERR_RANGE, false);
	apply(&s, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":500}}", ERR_IO, false);
	apply(&s, "{\"type\":\"ADDED\",\"object\":{}}", ERR_FORMAT, false);
	apply(&s, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"1\"}}}", ERR_FORMAT, false);
	apply(&s, "{\"type\":", ERR_FORMAT, false);
	apply(&s, "[]", ERR_FORMAT, false);
	assert_string_equal(s.version, "13");
	set_is(&s, ROW("10.0.0.9:6060", "b"));
	scrape_pods_set_release(&s);
	scrape_config_unref(c);
}

static void lists_that_are_none_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"items\":[]}",
		"{\"metadata\":{\"resourceVersion\":\"\"},\"items\":[]}",
		"{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":{}}",
		"{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[7]}",
		"{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}"
	};
	struct scrape_config *c;
	struct scrape_pods_set s = { .source = source_of("", &c) };
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(scrape_pods_add_page(&s, bad[i], strlen(bad[i]), &err), ERR_FORMAT);
	add_page(&s, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":null}"); /* as Go writes it */
	set_is(&s, "");
	scrape_pods_set_release(&s);
	scrape_config_unref(c);
}

static void many_notes_are_counted(void **state)
{
	struct scrape_config *c;
	struct scrape_pods_set s = { .source = source_of("namespace=prod", &c) };
	struct scrape_list l = { 0 };
	struct buf text = { 0 }, notes = { 0 };

	(void)state;
	buf_addz(&text, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[");
	for (int i = 0; i < 25; i++)
		buf_addf(&text,
			 "%s{\"metadata\":{\"namespace\":\"prod\",\"name\":\"p%02d\",\"annotations\":{" SCRAPE
			 ",\"cpa.dev/port\":\"-1\"}},\"status\":" RUNNING("10.0.0.1") "}",
			 i ? "," : "", i);
	buf_addz(&text, "]}");
	add_page(&s, text.data);
	scrape_pods_add_targets(&s, 0, &l, &notes);
	assert_int_equal(l.n, 0);
	assert_non_null(strstr(notes.data, "pod prod/p09: cpa.dev/port -1"));
	assert_null(strstr(notes.data, "p10"));
	assert_non_null(strstr(notes.data,
			       "kubernetes namespace=prod: and 15 more pods with annotations that cannot be used\n"));
	buf_release(&text);
	buf_release(&notes);
	scrape_list_release(&l);
	scrape_pods_set_release(&s);
	scrape_config_unref(c);
}

static void the_message_of_a_status_is_read(void **state)
{
	static const char status[] = "{\"kind\":\"Status\",\"code\":403,\"message\":\"pods is forbidden\"}";
	struct buf message = { 0 };

	(void)state;
	assert_int_equal(scrape_pods_read_status(status, strlen(status), &message), 403);
	assert_string_equal(buf_text(&message), "pods is forbidden");
	assert_int_equal(scrape_pods_read_status("{}", 2, &message), 0);
	assert_int_equal(scrape_pods_read_status("not JSON", 8, &message), 0);
	buf_release(&message);
}

static void words_that_are_wrong_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "namespace=Prod", "namespace=Prod: not the name of a namespace" },
		{ "namespace=", "namespace= needs a value" },
		{ "annotation=x",
		  "annotation=x: expected cpa.dev/scrape, dapr.io/enable-profiling, profiles.grafana.com/* or none" },
		{ "annotation=none", "annotation=none needs namespace= or selector=" },
		{ "server=ftp://x", "server=ftp://x: expected https://HOST[:PORT]" },
		{ "server=https://h/?x", "server=https://h/?x: not the URL of a server" },
		{ "server=http://h token-file=t", "the token would be sent without encryption; use https://" },
		{ "cert=a", "cert=FILE and key=FILE belong together" },
		{ "port=0", "port=0: not a port" },
		{ "ready=maybe", "ready=maybe: see collect.cpa(5) for its words" },
		{ "service=x", "service=x: see collect.cpa(5) for its words" },
		{ "running", "running: see collect.cpa(5) for its words" },
		{ "pod-label=a:b=c", "pod-label=a:b=c: expected NAME or NAME:LABEL" },
		{ "pod-label=x/", "pod-label=x/: expected NAME or NAME:LABEL" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct scrape_config *c = NULL;
		char text[200], sentence[300];
		struct err err = { 0 };

		snprintf(text, sizeof(text), "job a\ntargets kubernetes %s", bad[i][0]);
		snprintf(sentence, sizeof(sentence), "c.cpa:2: targets kubernetes: %s", bad[i][1]);
		assert_int_equal(scrape_config_parse(text, strlen(text), "c.cpa", NULL, &c, &err), ERR_USAGE);
		assert_string_equal(err.msg, sentence);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(annotations_of_cpa_say_what_is_scraped),
		cmocka_unit_test(ports_have_names_and_containers),
		cmocka_unit_test(services_come_from_labels_or_owners),
		cmocka_unit_test(annotations_of_dapr_are_those_of_its_injector),
		cmocka_unit_test(annotations_of_pyroscope_select_kinds),
		cmocka_unit_test(annotations_that_cannot_be_used_are_named),
		cmocka_unit_test(only_pods_that_run_are_targets),
		cmocka_unit_test(events_change_the_set),
		cmocka_unit_test(lists_that_are_none_are_refused),
		cmocka_unit_test(many_notes_are_counted),
		cmocka_unit_test(the_message_of_a_status_is_read),
		cmocka_unit_test(words_that_are_wrong_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_push_parts.c - requests with several profiles: of Datadog, Parca, OTLP, and recordings of Java with labels
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/push/push.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/temporality.h"
#include "tests/unit/check_profile.h"
#include "tests/unit/make_gzip.h"
#include "tests/unit/make_jfr.h"
#include "tests/unit/wire.h"

#define FORM "multipart/form-data; boundary=XX"
#define PART(name) "--XX\r\nContent-Disposition: form-data; name=\"" name "\"; filename=\"" name "\"\r\n\r\n"
#define FIELD(name, value) "--XX\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"
#define EVENT(tags)                                                                                                    \
	PART("event")                                                                                                  \
	"{\"start\":\"2026-11-29T12:00:00.5Z\",\"end\":\"2026-11-29T13:01:00+01:00\",\"family\":\"go\","               \
	"\"version\":\"4\",\"attachments\":[],\"tags_profiler\":\"" tags "\",\"info\":{\"a\":[1]}}\r\n"

static const struct format_options no_limits;

static int read_form(const struct buf *form, struct push *p, struct err *err)
{
	return push_read_datadog(FORM, (const uint8_t *)form->data, form->len, p, err);
}

/* The label of an item; "" if there is none. */
static const char *label(const struct push_item *item, const char *name)
{
	const char *value = push_label(item, name);

	return value ? value : "";
}

static void files_of_datadog_have_the_tags_and_times_of_the_event(void **state)
{
	static const struct {
		const char *kind, *content;
		bool is_cumulative;
	} want[] = {
		{ "", "one", false }, { "block", "two", false }, { "mutex", "three", true }, { "", "four", true }
	};
	struct buf form = { 0 };
	struct push p;
	struct err err;

	(void)state;
	buf_addz(&form, PART("cpu.pprof") "one\r\n" PART("delta-block.pprof") "two\r\n");
	buf_addz(&form, PART("metrics.json") "[]\r\n" PART("mutex.pprof") "three\r\n" PART("heap.pprof") "four\r\n");
	buf_addz(&form,
		 EVENT("service:shop,env:prod,profile_seq:7,runtime-id:a-b,host:h:1, x,version:2") PART("go.trace"));
	buf_addz(&form, "t\r\n--XX--\r\n");
	assert_int_equal(read_form(&form, &p, &err), 0);
	assert_int_equal(p.n, 4);
	for (size_t i = 0; i < p.n; i++) {
		assert_string_equal(p.item[i].kind, want[i].kind);
		assert_int_equal(p.item[i].is_cumulative, want[i].is_cumulative);
		assert_int_equal(p.item[i].n, strlen(want[i].content));
		assert_memory_equal(p.item[i].data, want[i].content, p.item[i].n);
		assert_int_equal(p.item[i].n_labels, 5);
		assert_string_equal(label(&p.item[i], "service_name"), "shop");
		assert_string_equal(label(&p.item[i], "host"), "h:1");
	}
	assert_int_equal(p.from_ns, INT64_C(1795953600500000000));
	assert_int_equal(p.until_ns, INT64_C(1795953660000000000));
	assert_string_equal(p.skipped, "metrics.json, go.trace");
	push_release(&p);
	buf_release(&form);
}

static void version_3_of_datadog_has_fields_in_place_of_an_event(void **state)
{
	struct buf form = { 0 };
	struct push p;
	struct err err;

	(void)state;
	buf_addz(&form, FIELD("version", "3") FIELD("family", "go") FIELD("start", "2026-11-29T12:00:00Z"));
	buf_addz(&form,
		 FIELD("end", "2026-11-29T12:01:00Z") FIELD("tags[]", "service:shop") FIELD("tags[]", "env:prod"));
	buf_addz(&form, "--XX\r\nContent-Disposition: form-data; name=\"data[delta-mutex.pprof]\"; "
			"filename=\"pprof-data\"\r\n");
	buf_addz(&form, "\r\nabc\r\n--XX--\r\n");
	assert_int_equal(read_form(&form, &p, &err), 0);
	assert_int_equal(p.n, 1);
	assert_string_equal(p.item[0].kind, "mutex");
	assert_false(p.item[0].is_cumulative);
	assert_string_equal(label(&p.item[0], "service_name"), "shop");
	assert_string_equal(label(&p.item[0], "env"), "prod");
	assert_int_equal(p.until_ns - p.from_ns, INT64_C(60000000000));
	push_release(&p);
	buf_release(&form);
}

static void bad_forms_of_datadog_are_refused_with_the_place(void **state)
{
	static const struct {
		const char *body, *message;
	} all[] = {
		{ EVENT("service:a") "--XX--\r\n", "the form has no complete part with a profile, *.pprof or *.jfr" },
		{ PART("event") "{\"start\":\"yesterday\"}\r\n" PART("a.pprof") "a\r\n--XX--\r\n",
		  "event: start is not a time like 2026-11-29T12:00:00Z" },
		{ PART("event") "{\"start\"\r\n" PART("a.pprof") "a\r\n--XX--\r\n", "event: byte 8: " },
		{ EVENT("service:\\u0001") PART("a.pprof") "a\r\n--XX--\r\n",
		  "event: tag: label 1: the value is not a text" },
	};
	struct push p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct buf form = { 0 };

		buf_addz(&form, all[i].body);
		assert_int_equal(read_form(&form, &p, &err), ERR_FORMAT);
		if (!strstr(err.msg, all[i].message))
			fail_msg("\"%s\" is not in \"%s\"", all[i].message, err.msg);
		buf_release(&form);
	}
}

/* A profile of types with a sample of these values each, one per type. */
static void put_pprof(struct buf *out, const char *const *type, const int64_t *value, size_t n)
{
	struct buf m = { 0 }, sample = { 0 };

	for (size_t i = 0; i < n; i++) {
		wire_int(&m, 1, i + 1);
		wire_message(out, 1, &m);
	}
	for (size_t i = 0; i < n; i++)
		wire_varint(&m, (uint64_t)value[i]);
	wire_message(&sample, 2, &m);
	wire_message(out, 2, &sample);
	wire_bytes(out, 6, "", 0);
	for (size_t i = 0; i < n; i++)
		wire_bytes(out, 6, type[i], strlen(type[i]));
}

/* Parts as text: "kind type=sum,type=sum; ...", with a g after gauges. */
static void expect_parts(const struct push *p, const char *text)
{
	struct push_parts parts;
	struct buf got = { 0 };
	struct err err;

	if (push_make_parts(p, &p->item[0], &no_limits, &parts, &err) < 0)
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < parts.n; i++) {
		const struct profile *made = parts.part[i].profile;

		if (profile_check(made, &err) < 0)
			fail_msg("%s", err.msg);
		buf_addf(&got, "%s%s", i ? "; " : "", parts.part[i].kind);
		for (uint32_t t = 0; t < made->n_types; t++) {
			int64_t sum = 0;

			for (uint32_t r = 0; r < made->n_rows; r++)
				sum += made->value[t][r];
			buf_addf(&got, "%s%s=%lld%s", t ? "," : " ", profile_text(made, made->type[t].name),
				 (long long)sum, profile_temporality(made, t) == TEMPORALITY_GAUGE ? "g" : "");
		}
	}
	assert_string_equal(buf_text(&got), text);
	push_parts_release(&parts);
	buf_release(&got);
}

static void kinds_in_one_profile_of_datadog_become_profiles(void **state)
{
	static const char *const types[] = { "cpu-time",    "lock-acquire", "heap-space",
					     "alloc-space", "cpu-samples",  "lock-release" };
	static const char *const node[] = { "sample", "wall", "cpu" };
	struct buf form = { 0 }, pprof = { 0 };
	struct push p;
	struct err err;

	(void)state;
	put_pprof(&pprof, types, (const int64_t[]){ 70, 2, 300, 400, 7, 0 }, 6);
	buf_addz(&form, EVENT("service:shop") PART("auto.pprof"));
	buf_add(&form, pprof.data, pprof.len);
	buf_addz(&form, "\r\n--XX--\r\n");
	assert_int_equal(read_form(&form, &p, &err), 0);
	expect_parts(&p, "cpu cpu-time=70,cpu-samples=7; lock lock-acquire=2,lock-release=0; heap "
			 "heap-space=300g,alloc-space=400");
	push_release(&p);

	form.len = pprof.len = 0;
	put_pprof(&pprof, node, (const int64_t[]){ 1, 2, 3 }, 3);
	buf_addz(&form, EVENT("service:shop") PART("wall.pprof"));
	buf_add(&form, pprof.data, pprof.len);
	buf_addz(&form, "\r\n--XX--\r\n");
	assert_int_equal(read_form(&form, &p, &err), 0);
	expect_parts(&p, " sample=1,wall=2,cpu=3");
	push_release(&p);
	buf_release(&form);
	buf_release(&pprof);
}

/* ---- recordings ---- */

enum { T_LONG = 3, T_EXECUTION = 101, T_MONITOR, T_PARK, T_ALLOC };

static const struct make_jfr_class classes[] = {
	{ T_LONG, "long", { { 0 } } },
	{ T_EXECUTION,
	  "jdk.ExecutionSample",
	  { { "startTime", T_LONG, 0, "TICKS" },
	    { "contextId", T_LONG, 0, NULL },
	    { "spanId", T_LONG, 0, NULL },
	    { "spanName", T_LONG, 0, NULL } } },
	{ T_MONITOR,
	  "jdk.JavaMonitorEnter",
	  { { "startTime", T_LONG, 0, "TICKS" }, { "duration", T_LONG, 0, "TICKS" } } },
	{ T_PARK, "jdk.ThreadPark", { { "startTime", T_LONG, 0, "TICKS" }, { "duration", T_LONG, 0, "TICKS" } } },
	{ T_ALLOC,
	  "jdk.ObjectAllocationSample",
	  { { "startTime", T_LONG, 0, "TICKS" }, { "weight", T_LONG, 0, NULL } } },
};

/* A recording with two samples of context 5, one of a context that was not sent, two waits and an allocation. */
static void put_recording(struct buf *out)
{
	struct make_jfr m = { .start_ns = 1700000000000000000 };

	make_jfr_start(&m);
	make_jfr_metadata(&m, classes, sizeof(classes) / sizeof(classes[0]));
	MAKE_JFR(&m, T_EXECUTION, 1, 5, 0xabc, 2);
	MAKE_JFR(&m, T_EXECUTION, 2, 5, 0, 0);
	MAKE_JFR(&m, T_EXECUTION, 3, 9, 0, 0);
	MAKE_JFR(&m, T_MONITOR, 4, 1000);
	MAKE_JFR(&m, T_PARK, 5, 2000);
	MAKE_JFR(&m, T_ALLOC, 6, 512);
	make_jfr_checkpoint(&m);
	make_jfr_end(&m);
	buf_add(out, m.out.data, m.out.len);
	make_jfr_release(&m);
}

/* An entry of a map with a text. */
static void put_text(struct buf *out, uint64_t id, const char *text)
{
	struct buf m = { 0 };

	wire_int(&m, 1, id);
	wire_bytes(&m, 2, text, strlen(text));
	wire_message(out, 2, &m);
}

/* The labels of context 5: controller=c1, and a name of a span. */
static void put_snapshot(struct buf *out)
{
	struct buf pair = { 0 }, context = { 0 }, entry = { 0 };

	wire_int(&pair, 1, 1);
	wire_int(&pair, 2, 3);
	wire_message(&context, 1, &pair);
	wire_int(&entry, 1, 5);
	wire_message(&entry, 2, &context);
	wire_message(out, 1, &entry);
	put_text(out, 3, "c1");
	put_text(out, 1, "controller");
	put_text(out, 2, "GET /");
}

static void expect_labels(const struct profile *p, uint32_t row, const char *text)
{
	struct buf got = { 0 };
	uint32_t set = p->labels[row];

	for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++)
		buf_addf(&got, "%s=%s ", profile_text(p, p->label_key[p->label_sets.item[i]]),
			 profile_text(p, p->label_text[p->label_sets.item[i]]));
	assert_string_equal(buf_text(&got), text);
	buf_release(&got);
}

static void a_recording_has_a_profile_per_kind_with_the_labels_sent_beside_it(void **state)
{
	struct buf recording = { 0 }, snapshot = { 0 }, form = { 0 };
	struct push_parts parts;
	struct push p;
	struct err err;

	(void)state;
	put_recording(&recording);
	put_snapshot(&snapshot);
	buf_addz(&form, PART("jfr"));
	buf_add(&form, recording.data, recording.len);
	buf_addz(&form, "\r\n" PART("labels"));
	buf_add(&form, snapshot.data, snapshot.len);
	buf_addz(&form, "\r\n--XX--\r\n");
	assert_int_equal(push_read_ingest("name=shop%7Bregion%3Deu%7D&format=jfr&from=1700000000&until=1700000010",
					  FORM, (const uint8_t *)form.data, form.len, &p, &err),
			 0);
	expect_parts(&p, "cpu cpu=3; heap alloc_samples=1,alloc=512; mutex contentions=1,delay=1000000; block "
			 "contentions=1,delay=2000000");
	assert_int_equal(push_make_parts(&p, &p.item[0], &no_limits, &parts, &err), 0);
	expect_labels(parts.part[0].profile, 0,
		      "event=jdk.ExecutionSample controller=c1 profile_id=0000000000000abc span_name=GET / ");
	expect_labels(parts.part[0].profile, 1, "event=jdk.ExecutionSample controller=c1 ");
	expect_labels(parts.part[0].profile, 2, "event=jdk.ExecutionSample ");
	assert_int_equal(parts.part[0].profile->meta.n_comments, 1);
	assert_string_equal(push_find_label(parts.part[0].label, parts.part[0].n_labels, "region"), "eu");
	push_parts_release(&parts);
	push_release(&p);
	buf_release(&recording);
	buf_release(&snapshot);
	buf_release(&form);
}

static void damaged_labels_of_a_recording_are_refused(void **state)
{
	struct buf recording = { 0 }, snapshot = { 0 };
	struct push_item item = { .id = "", .kind = "" };
	struct push p = { .item = &item, .n = 1, .skipped = "" };
	size_t n_refused = 0;

	(void)state;
	put_recording(&recording);
	put_snapshot(&snapshot);
	item.data = (const uint8_t *)recording.data;
	item.n = recording.len;
	for (size_t n = 1; n <= snapshot.len; n++) {
		uint8_t *copy = malloc(n); /* exact size, for the address sanitizer */
		struct push_parts parts;
		struct err err;

		memcpy(copy, snapshot.data, n);
		item.contexts = copy;
		item.n_contexts = n;
		if (push_make_parts(&p, &item, &no_limits, &parts, &err) == 0)
			push_parts_release(&parts);
		else
			n_refused++;
		free(copy);
	}
	assert_int_equal(n_refused, snapshot.len - 4); /* it may end after each of its four entries */
	buf_release(&recording);
	buf_release(&snapshot);
}

/* ---- Parca ---- */

static void put_pair(struct buf *set, const char *name, const char *value)
{
	struct buf m = { 0 };

	wire_bytes(&m, 1, name, strlen(name));
	wire_bytes(&m, 2, value, strlen(value));
	wire_message(set, 1, &m);
}

static void put_write_raw(struct buf *out)
{
	struct buf set = { 0 }, sample = { 0 }, series = { 0 };

	put_pair(&set, "__name__", "process_cpu");
	put_pair(&set, "job", "shop");
	wire_message(&series, 1, &set);
	wire_bytes(&sample, 1, "abc", 3);
	wire_bytes(&sample, 2, "\x08\x02", 2); /* information on an executable */
	wire_message(&series, 2, &sample);
	wire_message(out, 2, &series);
	wire_int(out, 3, 1);
}

static void expect_write_raw(struct push *p)
{
	assert_int_equal(p->n, 1);
	assert_string_equal(label(&p->item[0], "service_name"), "shop");
	assert_string_equal(label(&p->item[0], "__name__"), "process_cpu");
	assert_int_equal(p->item[0].n, 3);
	assert_memory_equal(p->item[0].data, "abc", 3);
	push_release(p);
}

static void requests_of_parca_are_read_in_three_forms(void **state)
{
	static const char json[] =
		"{\"series\":[{\"labels\":{\"labels\":[{\"name\":\"__name__\",\"value\":\"process_cpu\"},"
		"{\"name\":\"job\",\"value\":\"shop\"}]},\"samples\":[{\"rawProfile\":\"YWJj\"}]}]}";
	struct buf m = { 0 }, frame = { 0 };
	struct push p;
	struct err err;

	(void)state;
	put_write_raw(&m);
	assert_int_equal(push_read_parca((const uint8_t *)m.data, m.len, &p, &err), 0);
	expect_write_raw(&p);
	assert_int_equal(push_read_parca_json((const uint8_t *)json, strlen(json), &p, &err), 0);
	expect_write_raw(&p);

	/* trailers of a client come first */
	buf_add(&frame, "\x80\0\0\0\1x\0\0\0\0", 10);
	buf_add(&frame, &(uint8_t){ (uint8_t)m.len }, 1);
	buf_add(&frame, m.data, m.len);
	assert_int_equal(push_read_parca_grpc_web((const uint8_t *)frame.data, frame.len, &no_limits, &p, &err), 0);
	expect_write_raw(&p);
	assert_int_equal(push_read_parca_grpc_web((const uint8_t *)frame.data, frame.len - 1, &no_limits, &p, &err),
			 ERR_FORMAT);
	assert_string_equal(err.msg, "byte 6: a frame of gRPC-Web is longer than the body");
	assert_int_equal(push_read_parca_grpc_web((const uint8_t *)frame.data, 6, &no_limits, &p, &err), ERR_FORMAT);
	buf_release(&frame);
	buf_release(&m);
}

static void a_frame_of_grpc_web_may_be_compressed(void **state)
{
	struct buf m = { 0 }, frame = { 0 };
	struct buf packed = { 0 };
	struct push p;
	struct err err;

	(void)state;
	put_write_raw(&m);
	add_gzip_level(&packed, m.data, m.len, 6);
	buf_add(&frame, "\1\0\0\0", 4);
	buf_add(&frame, &(uint8_t){ (uint8_t)packed.len }, 1);
	buf_add(&frame, packed.data, packed.len);
	assert_int_equal(push_read_parca_grpc_web((const uint8_t *)frame.data, frame.len, &no_limits, &p, &err), 0);
	expect_write_raw(&p);
	buf_release(&packed);
	buf_release(&frame);
	buf_release(&m);
}

/* ---- OTLP ---- */

#define ATTRIBUTE(key, value) "{\"key\":\"" key "\",\"value\":{\"stringValue\":\"" value "\"}}"
#define PROFILE(type, time, value)                                                                                     \
	"{\"sampleType\":{\"typeStrindex\":" type "},\"timeUnixNano\":\"" time "\",\"durationNano\":\"5\","            \
	"\"samples\":[{\"stackIndex\":0,\"attributeIndices\":[1],\"values\":[\"" value "\"]}]}"

static void profiles_of_otlp_are_joined_by_resource_kind_and_time(void **state)
{
	/* clang-format off */
	static const char json[] =
		"{\"resourceProfiles\":["
		"{\"resource\":{\"attributes\":[" ATTRIBUTE("service.name", "shop") ","
		ATTRIBUTE("deployment.environment.name", "prod") ","
		"{\"key\":\"process.pid\",\"value\":{\"intValue\":\"42\"}}]},"
		"\"scopeProfiles\":[{\"profiles\":["
		PROFILE("1", "100", "3") "," PROFILE("2", "100", "30") "," PROFILE("3", "100", "7") ","
		PROFILE("1", "200", "4") "]}]},"
		"{\"resource\":{\"attributes\":[" ATTRIBUTE("process.executable.name", "b\\n") "]},"
		"\"scopeProfiles\":[{\"profiles\":[" PROFILE("1", "100", "5") ",{}]}]}],"
		"\"dictionary\":{\"stringTable\":[\"\",\"samples\",\"cpu\",\"wall\",\"thread\"],\"stackTable\":[{}],"
		"\"attributeTable\":[{},{\"keyStrindex\":4,\"value\":{\"stringValue\":\"one\"}}]}}";
	/* clang-format on */
	struct push_parts parts;
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(push_read_otlp((const uint8_t *)json, strlen(json), &p, &err), 0);
	expect_parts(&p, " samples=3,cpu=30;  wall=7;  samples=4;  samples=5");
	assert_int_equal(push_make_parts(&p, &p.item[0], &no_limits, &parts, &err), 0);
	assert_int_equal(parts.part[0].n_labels, 3);
	assert_string_equal(push_find_label(parts.part[0].label, 3, "service_name"), "shop");
	assert_string_equal(push_find_label(parts.part[0].label, 3, "env"), "prod");
	assert_string_equal(push_find_label(parts.part[0].label, 3, "process.pid"), "42");
	assert_int_equal(parts.part[0].n_sent, 2);
	assert_int_equal(parts.part[0].profile->n_rows, 1);
	assert_int_equal(parts.part[0].profile->meta.time_ns, 100);
	assert_int_equal(parts.part[0].profile->meta.duration_ns, 5);
	expect_labels(parts.part[0].profile, 0, "thread=one ");
	assert_int_equal(parts.part[2].profile->meta.time_ns, 200);
	assert_string_equal(push_find_label(parts.part[3].label, parts.part[3].n_labels, "service_name"),
			    "unknown_service:b?");
	push_parts_release(&parts);
	push_release(&p);
}

static void a_request_of_otlp_may_have_no_profile(void **state)
{
	static const char *const all[] = { "{}", "{\"resourceProfiles\":[]}",
					   "{\"resourceProfiles\":[{\"resource\":{}}]}" };
	struct push p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(push_read_otlp((const uint8_t *)all[i], strlen(all[i]), &p, &err), 0);
		expect_parts(&p, "");
		push_release(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_datadog_have_the_tags_and_times_of_the_event),
		cmocka_unit_test(version_3_of_datadog_has_fields_in_place_of_an_event),
		cmocka_unit_test(bad_forms_of_datadog_are_refused_with_the_place),
		cmocka_unit_test(kinds_in_one_profile_of_datadog_become_profiles),
		cmocka_unit_test(a_recording_has_a_profile_per_kind_with_the_labels_sent_beside_it),
		cmocka_unit_test(damaged_labels_of_a_recording_are_refused),
		cmocka_unit_test(requests_of_parca_are_read_in_three_forms),
		cmocka_unit_test(a_frame_of_grpc_web_may_be_compressed),
		cmocka_unit_test(profiles_of_otlp_are_joined_by_resource_kind_and_time),
		cmocka_unit_test(a_request_of_otlp_may_have_no_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

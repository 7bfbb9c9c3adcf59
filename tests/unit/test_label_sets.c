/*
 * test_label_sets.c - sets of labels in the segment: adding, reading, and reading a corrupted segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/labels.h"
#include "libcpaprof/target/labels.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/target.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { N_WRITERS = 4, N_SHARED = 2000 };

struct target cpi;
__thread struct local cpi_local;

static struct collect reader;

/* Map the section alone, with an inaccessible page after it. */
static int section_new(void **state)
{
	uint8_t *p = mmap(NULL, LABELS_SIZE + SEGMENT_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (p == MAP_FAILED || mprotect(p + LABELS_SIZE, SEGMENT_PAGE, PROT_NONE) != 0)
		return -1;
	cpi.labels = p;
	cpi.cookie = 0x1234567;
	reader.head = (struct segment_head *)p; /* the section is at the start of the segment */
	return 0;
}

static int section_free(void **state)
{
	(void)state;
	return munmap(cpi.labels, LABELS_SIZE + SEGMENT_PAGE);
}

static struct labels_pair pair_of(const char *key, const char *value)
{
	return (struct labels_pair){ key, value, { (uint16_t)strlen(key), (uint16_t)strlen(value) } };
}

static uint32_t add(const char *key, const char *value)
{
	struct labels_pair p = pair_of(key, value);

	return cpi_labels_add_sig(&p, 1);
}

static int append(void *arg, const char *key, size_t n_key, const char *value, size_t n_value)
{
	char *text = arg;

	assert_int_equal(n_key, strlen(key));
	assert_int_equal(n_value, strlen(value));
	sprintf(text + strlen(text), "%s=%s;", key, value);
	return 0;
}

static const char *text_of(uint32_t id)
{
	static char text[1 << 20];

	text[0] = '\0';
	collect_labels(&reader, id, append, text);
	return text;
}

static void equal_sets_share_an_id_and_read_back_unchanged(void **state)
{
	struct labels_pair two[] = { pair_of("op", "read"), pair_of("tenant", "a b\n\x01") }, less[] = { two[0] };
	uint32_t id = cpi_labels_add_sig(two, 2), other = cpi_labels_add_sig(less, 1);

	(void)state;
	assert_int_not_equal(id, other);
	assert_int_equal(cpi_labels_add_sig(two, 2), id);
	assert_int_equal(cpi_labels_add_sig(less, 1), other);
	assert_string_equal(text_of(id), "op=read;tenant=a b\n\x01;");
	assert_string_equal(text_of(other), "op=read;");
	assert_string_equal(text_of(add("op", "")), "op=;");
	assert_int_equal(cpi_labels_add_sig(two, 0), 0);
}

static void sets_with_the_same_bytes_but_other_keys_are_distinct(void **state)
{
	struct labels_pair p[] = { pair_of("ab", "c"), pair_of("d", "") },
			   q[] = { pair_of("a", "bc"), pair_of("", "d") };

	(void)state;
	assert_int_not_equal(cpi_labels_add_sig(p, 1), cpi_labels_add_sig(q, 1));
	assert_int_not_equal(cpi_labels_add_sig(p, 2), cpi_labels_add_sig(q, 2));
}

static void sets_that_do_not_fit_share_the_overflow_set(void **state)
{
	char value[16];
	uint32_t id = 0, last = 0;

	(void)state;
	for (int i = 0; i < LABELS_SETS_MAX; i++) {
		snprintf(value, sizeof(value), "%d", i);
		id = add("request", value);
		assert_int_not_equal(id, LABELS_OVERFLOW);
		assert_true(id > last);
		last = id;
	}
	for (int i = LABELS_SETS_MAX; i < LABELS_SETS_MAX + 1000; i++) {
		snprintf(value, sizeof(value), "%d", i);
		assert_int_equal(add("request", value), LABELS_OVERFLOW);
	}
	assert_string_equal(text_of(LABELS_OVERFLOW), "cpa_label_overflow=1;");
	assert_int_equal(add("request", "65535"), last);
	assert_string_equal(text_of(add("request", "0")), "request=0;");
}

static void long_sets_fill_the_section_but_do_not_exceed_it(void **state)
{
	static char value[LABELS_PAIRS_MAX][LABELS_VALUE_MAX + 1], key[LABELS_PAIRS_MAX][16];
	struct labels_pair p[LABELS_PAIRS_MAX];
	uint32_t id, n = 0;

	(void)state;
	for (int i = 0; i < LABELS_PAIRS_MAX; i++) {
		memset(value[i], 'x', LABELS_VALUE_MAX);
		snprintf(key[i], sizeof(key[i]), "k%02d", i);
		p[i] = pair_of(key[i], value[i]);
	}
	do {
		value[7][n % 64] = (char)('a' + n / 64);
		id = cpi_labels_add_sig(p, LABELS_PAIRS_MAX);
		n += id != LABELS_OVERFLOW;
	} while (id != LABELS_OVERFLOW);
	assert_in_range(n, (LABELS_SIZE - LABELS_SETS_AT) / (LABELS_PAIRS_MAX * 1040), 64 * 26);
	assert_int_equal(strlen(text_of(LABELS_FIRST + n - 1)), LABELS_PAIRS_MAX * (3 + 1 + LABELS_VALUE_MAX + 1));
	/* smaller sets still fit, until the section is full */
	while (add("s", value[0]) != LABELS_OVERFLOW)
		value[0][n % 900] = (char)('a' + n / 900 % 26), n++;
	assert_string_equal(text_of(LABELS_OVERFLOW), "cpa_label_overflow=1;");
}

static void invalid_utf8_is_replaced(void **state)
{
	(void)state;
	assert_string_equal(text_of(add("k", "a\xff"
					     "b")),
			    "k=a\xef\xbf\xbd"
			    "b;");
	assert_string_equal(text_of(add("k", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80")),
			    "k=\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80;");
	assert_string_equal(text_of(add("k", "\xed\xa0\x80")), "k=\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd;");
	assert_string_equal(text_of(add("k", "\xe2\x82")), "k=\xef\xbf\xbd\xef\xbf\xbd;");
}

static void custom_profiles_have_a_name_and_label_sets_have_none(void **state)
{
	char name[16] = "before";
	uint32_t id = add("", "db.conns");

	(void)state;
	assert_true(collect_profile_name(&reader, id, name, sizeof(name)));
	assert_string_equal(name, "db.conns");
	assert_string_equal(text_of(id), "");
	assert_false(collect_profile_name(&reader, add("a", "b"), name, sizeof(name)));
	assert_false(collect_profile_name(&reader, 1ULL << 40, name, sizeof(name)));
	assert_false(collect_profile_name(&reader, LABELS_OVERFLOW, name, sizeof(name)));
	assert_string_equal(name, "db.conns");
}

struct writer {
	unsigned seed;
	uint32_t id[N_SHARED];
};

static void *write_all(void *arg)
{
	struct writer *w = arg;
	char value[16];

	for (int i = 0; i < N_SHARED; i++) {
		snprintf(value, sizeof(value), "%d", (int)((unsigned)i + w->seed) % N_SHARED);
		w->id[((unsigned)i + w->seed) % N_SHARED] = add("n", value);
	}
	return NULL;
}

static void threads_that_add_equal_sets_read_equal_labels(void **state)
{
	static struct writer w[N_WRITERS];
	pthread_t thread[N_WRITERS];
	char want[32];

	(void)state;
	for (unsigned i = 0; i < N_WRITERS; i++) {
		w[i].seed = i % 2;
		pthread_create(&thread[i], NULL, write_all, &w[i]);
	}
	for (unsigned i = 0; i < N_WRITERS; i++)
		pthread_join(thread[i], NULL);
	for (int k = 0; k < N_SHARED; k++) {
		snprintf(want, sizeof(want), "n=%d;", k);
		for (int i = 0; i < N_WRITERS; i++)
			assert_string_equal(text_of(w[i].id[k]), want);
		snprintf(want, sizeof(want), "%d", k);
		assert_int_not_equal(add("n", want), 0);
	}
	/* two racing threads may each add the same set, but this must be rare */
	assert_in_range(((struct labels_head *)cpi.labels)->n_sets, N_SHARED, N_SHARED + N_SHARED / 2);
}

/* Nothing after the section is read, whatever it contains. Reading, finding and adding terminate. */
static void a_corrupted_section_yields_some_labels_or_none(void **state)
{
	uint32_t seed = 1, *index = (uint32_t *)(cpi.labels + LABELS_INDEX_AT);
	char name[64];

	(void)state;
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "value %d", i);
		add("key", name);
	}
	for (int round = 0; round < 20000; round++) {
		uint32_t at;

		seed = seed * 1664525 + 1013904223;
		at = seed >> 8;
		if (round % 3 == 0)
			index[LABELS_FIRST + at % 500] = LABELS_WORDS_MAX - at % 64;
		else if (round % 3 == 1)
			memcpy(cpi.labels + LABELS_SETS_AT + at % 20000, &seed, sizeof(seed));
		else
			memcpy(cpi.labels + LABELS_SIZE - 4 - at % 400, &seed, sizeof(seed));
		text_of(LABELS_FIRST + seed % 500);
		collect_profile_name(&reader, seed % 600, name, sizeof(name));
		snprintf(name, sizeof(name), "value %u", at % 600);
		add("key", name);
	}
	/* a chain that forms a cycle */
	memset(cpi.labels + LABELS_BUCKETS_AT, 2, LABELS_BUCKETS * 4);
	add("key", "new");
	assert_string_equal(text_of(UINT32_MAX), "");
	assert_string_equal(text_of(LABELS_ENTRIES), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_sets_share_an_id_and_read_back_unchanged, section_new,
						section_free),
		cmocka_unit_test_setup_teardown(sets_with_the_same_bytes_but_other_keys_are_distinct, section_new,
						section_free),
		cmocka_unit_test_setup_teardown(sets_that_do_not_fit_share_the_overflow_set, section_new, section_free),
		cmocka_unit_test_setup_teardown(long_sets_fill_the_section_but_do_not_exceed_it, section_new,
						section_free),
		cmocka_unit_test_setup_teardown(invalid_utf8_is_replaced, section_new, section_free),
		cmocka_unit_test_setup_teardown(custom_profiles_have_a_name_and_label_sets_have_none, section_new,
						section_free),
		cmocka_unit_test_setup_teardown(threads_that_add_equal_sets_read_equal_labels, section_new,
						section_free),
		cmocka_unit_test_setup_teardown(a_corrupted_section_yields_some_labels_or_none, section_new,
						section_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

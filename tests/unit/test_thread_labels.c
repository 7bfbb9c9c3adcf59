/*
 * test_thread_labels.c - labels of threads read from memory that is not trusted
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The test publishes labels of its own threads; its variables are exported (tests/unit/local.mk).
 */
#include "config.h"

#include "attach/thread_labels.h"
#include "libcpaprof/collector/read/task.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N_MUTATIONS = 2000, SEED = 4947 };

struct text {
	uint64_t n;
	const char *at;
};
struct custom {
	struct text key, value;
};
struct custom_set {
	const struct custom *label;
	uint64_t n, capacity;
};

extern uint32_t custom_labels_abi_version;
uint32_t custom_labels_abi_version = 1;
extern __thread const struct custom_set *custom_labels_current_set;
__thread const struct custom_set *custom_labels_current_set;
extern __thread const uint8_t *otel_thread_ctx_v1;
__thread const uint8_t *otel_thread_ctx_v1;

/* A thread that waits, and the places of its variables. */
struct waiting {
	pthread_t thread;
	_Atomic uint32_t tid;
	const uint8_t **record;
	const struct custom_set **custom;
	int ready[2], end[2];
};

static void *wait_for_end(void *arg)
{
	struct waiting *w = arg;
	char byte;

	w->record = &otel_thread_ctx_v1;
	w->custom = &custom_labels_current_set;
	w->tid = (uint32_t)syscall(SYS_gettid);
	if (write(w->ready[1], "", 1) == 1 && read(w->end[0], &byte, 1) < 0)
		return NULL;
	return NULL;
}

/* A context with the keys a, b and c, whose mapping readers find. */
static void publish_context(void)
{
	static const uint8_t message[] = "\x12\x2e\x0a\x1athreadlocal.schema_version\x12\x10\x0a\x0etlsdesc_v1_dev"
					 "\x12\x36\x0a\x1dthreadlocal.attribute_key_map\x12\x15\x2a\x13"
					 "\x0a\x03\x0a\x01"
					 "a\x0a\x03\x0a\x01"
					 "b\x0a\x07\x0a\x05"
					 "ccccc";
	struct {
		char signature[8];
		uint32_t version, size;
		uint64_t published_ns, payload;
	} h = { "OTEL_CTX", 2, sizeof(message) - 1, 1, (uint64_t)(uintptr_t)message };
	int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);
	void *at;

	assert_int_equal(ftruncate(fd, sizeof(h)), 0);
	at = mmap(NULL, sizeof(h), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	memcpy(at, &h, sizeof(h));
	close(fd);
}

static int begin(void **state)
{
	struct waiting *w = calloc(1, sizeof(*w));
	int folder = task_open_folder(getpid());
	struct task t = { 0 };
	char byte;

	publish_context();
	*state = w;
	if (pipe(w->ready) || pipe(w->end) || pthread_create(&w->thread, NULL, wait_for_end, w) ||
	    read(w->ready[0], &byte, 1) != 1)
		return -1;
	while (task_read(folder, w->tid, &t) && t.state != 'S')
		sched_yield();
	close(folder);
	return 0;
}

static int end(void **state)
{
	struct waiting *w = *state;

	close(w->end[1]);
	pthread_join(w->thread, NULL);
	close(w->end[0]);
	close(w->ready[0]);
	close(w->ready[1]);
	free(w);
	return 0;
}

/* The reader of the thread. */
struct reading {
	struct thread_labels *labels;
	struct address_space space;
	int folder;
};

static struct reading open_reading(void)
{
	struct reading r = { .labels = attach_labels_new(), .space = { .pid = getpid(), .mem = -1 } };

	r.folder = task_open_folder(getpid());
	attach_labels_find(r.labels, getpid(), &r.space, true);
	return r;
}

static void close_reading(struct reading *r)
{
	attach_labels_free(r->labels);
	space_close_files(&r->space);
	close(r->folder);
}

static uint32_t read_thread(struct reading *r, const struct waiting *w)
{
	return attach_labels_read(r->labels, &r->space, r->folder, w->tid);
}

static int add_label(void *text, const char *key, size_t n_key, const char *value, size_t n_value)
{
	assert_int_equal(strlen(key), n_key);
	assert_int_equal(strlen(value), n_value);
	buf_addf(text, "%s=%s ", key, value);
	return 0;
}

static void assert_labels(struct reading *r, uint32_t set, const char *want)
{
	struct buf text = { 0 };

	assert_int_equal(attach_labels_each(r->labels, set, add_label, &text), 0);
	assert_string_equal(buf_text(&text), want);
	buf_release(&text);
}

static bool is_supported(void)
{
#if defined(__x86_64__) && defined(__GLIBC__)
	return true;
#else
	return false;
#endif
}

static void reads_both_layouts_and_numbers_equal_sets_equally(void **state)
{
	static const uint8_t record[] = { [24] = 1, [26] = 11, [28] = 2, 1, 'x', 0, 2, 'y', 'y', 2, 1, 'z', 0 };
	static const struct custom label[] = { { { 1, "k" }, { 1, "v" } }, { { 5, "ccccc" }, { 1, "-" } } };
	const struct custom_set custom = { label, 2, 2 };
	struct waiting *w = *state;
	struct reading r = open_reading();
	uint32_t set;

	if (!is_supported())
		skip();
	assert_true(attach_labels_exist(r.labels));
	assert_int_equal(read_thread(&r, w), 0);
	*w->record = record;
	set = read_thread(&r, w);
	assert_labels(&r, set, "a=yy ccccc=z "); /* the last one of a key counts, and half an entry does not */
	*w->custom = &custom;
	assert_labels(&r, read_thread(&r, w), "a=yy ccccc=z k=v "); /* the record comes first */
	*w->custom = NULL;
	assert_int_equal(read_thread(&r, w), set);
	*w->record = NULL;
	assert_int_equal(read_thread(&r, w), 0);
	close_reading(&r);
}

static void ignores_records_that_are_not_valid(void **state)
{
	uint8_t record[64] = { [24] = 0, [26] = 3, [29] = 1, [30] = 'x' };
	struct waiting *w = *state;
	struct reading r = open_reading();

	if (!is_supported())
		skip();
	*w->record = record;
	assert_int_equal(read_thread(&r, w), 0);
	record[24] = 2;
	assert_int_equal(read_thread(&r, w), 0);
	record[24] = 1;
	assert_labels(&r, read_thread(&r, w), "a=x ");
	record[28] = 7; /* a key without a name */
	assert_int_equal(read_thread(&r, w), 0);
	*w->record = (const uint8_t *)(uintptr_t)64; /* not mapped */
	assert_int_equal(read_thread(&r, w), 0);
	*w->record = NULL;
	close_reading(&r);
}

static void no_record_harms_the_reader(void **state)
{
	static uint8_t record[28 + 65536];
	struct waiting *w = *state;
	struct reading r = open_reading();
	unsigned seed = SEED;

	for (int i = 0; i < N_MUTATIONS; i++) {
		for (size_t k = 0; k < 64; k++)
			record[k] = (uint8_t)rand_r(&seed);
		record[24] = 1;
		if (i % 8)
			record[27] = 0;
		*w->record = record;
		assert_in_range(read_thread(&r, w), 0, LABEL_SETS_MAX + 1);
	}
	*w->record = NULL;
	close_reading(&r);
}

static void no_custom_labels_harm_the_reader(void **state)
{
	static char text[2000];
	struct custom label[4];
	struct custom_set set = { label, 4, 4 };
	struct waiting *w = *state;
	struct reading r = open_reading();
	unsigned seed = SEED;

	memset(text, '\xc3', sizeof(text));
	for (int i = 0; i < N_MUTATIONS; i++) {
		for (size_t k = 0; k < 4; k++)
			label[k] = (struct custom){ { (uint64_t)(rand_r(&seed) % 300), text },
						    { (uint64_t)(rand_r(&seed) % 1100), text } };
		((uint8_t *)label)[(size_t)rand_r(&seed) % sizeof(label)] ^= (uint8_t)rand_r(&seed);
		set.n = i % 3 ? 4 : (uint64_t)rand_r(&seed) << 40;
		*w->custom = &set;
		assert_in_range(read_thread(&r, w), 0, LABEL_SETS_MAX + 1);
	}
	*w->custom = NULL;
	close_reading(&r);
}

static void counts_sets_beyond_the_limit_as_one(void **state)
{
	uint8_t record[64] = { [24] = 1, [26] = 6, [29] = 4 };
	struct waiting *w = *state;
	struct reading r = open_reading();
	uint32_t set = 0;

	if (!is_supported())
		skip();
	*w->record = record;
	for (uint32_t i = 0; i < LABEL_SETS_MAX + 2; i++) {
		record[30] = (uint8_t)('a' + i % 16);
		record[31] = (uint8_t)('a' + i / 16 % 16);
		record[32] = (uint8_t)('a' + i / 256 % 16);
		record[33] = (uint8_t)('A' + i / 4096);
		set = read_thread(&r, w);
	}
	assert_int_equal(set, LABEL_SETS_MAX + 1);
	assert_labels(&r, set, "cpa_label_overflow=1 ");
	assert_labels(&r, LABEL_SETS_MAX, "a=pppP ");
	*w->record = NULL;
	close_reading(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_both_layouts_and_numbers_equal_sets_equally),
		cmocka_unit_test(ignores_records_that_are_not_valid),
		cmocka_unit_test(no_record_harms_the_reader),
		cmocka_unit_test(no_custom_labels_harm_the_reader),
		cmocka_unit_test(counts_sets_beyond_the_limit_as_one),
	};

	return cmocka_run_group_tests(tests, begin, end);
}

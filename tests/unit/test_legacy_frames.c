/*
 * test_legacy_frames.c - drop_frames and keep_frames of legacy profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include "base/regex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Returns true if drop_frames matches a name and keep_frames does not. */
static bool is_dropped(enum legacy_frames which, const char *name)
{
	struct builder *b = builder_new();
	struct profile *p;
	char pattern[4096];
	bool out[2] = { false, false };

	legacy_set_frames(b, which);
	p = builder_seal(b);
	for (unsigned i = 0; i < 2; i++) {
		const char *list = profile_text(p, i ? p->meta.keep_frames : p->meta.drop_frames);
		struct regex *rx;
		struct err err;

		if (!*list)
			continue;
		snprintf(pattern, sizeof(pattern), "^(%s)$", list);
		assert_int_equal(regex_new(pattern, &rx, &err), 0);
		assert_int_equal(regex_match(rx, name, strlen(name), &out[i], &err), 0);
		regex_free(rx);
	}
	profile_free(p);
	builder_free(b);
	return out[0] && !out[1];
}

static void heap_profiles_drop_frames_of_the_allocator(void **state)
{
	static const char *const names[] = { "malloc",          "__posix_memalign", "tcmalloc::x::y",
					     "tc_new_nothrow",  "malloc_zone_free", "::do_malloc",
					     "operator new[]",  "operator new",     "__builtin_vec_new",
					     "runtime.mallocgc" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!is_dropped(FRAMES_HEAP, names[i]))
			fail_msg("%s stays", names[i]);
}

static void drop_frames_match_whole_names(void **state)
{
	(void)state;
	assert_false(is_dropped(FRAMES_HEAP, "my_malloc"));
	assert_false(is_dropped(FRAMES_HEAP, "runtimeX"));
	assert_false(is_dropped(FRAMES_HEAP, "runtime.call32"));
	assert_false(is_dropped(FRAMES_HEAP, "runtime.panic"));
	assert_true(is_dropped(FRAMES_HEAP, "runtime.panicmem"));
}

static void cpu_profiles_drop_only_frames_of_the_signal_handler(void **state)
{
	(void)state;
	assert_true(is_dropped(FRAMES_CPU, "ProfileData::Add"));
	assert_false(is_dropped(FRAMES_CPU, "malloc"));
}

static void lock_profiles_drop_unlock_functions(void **state)
{
	(void)state;
	assert_true(is_dropped(FRAMES_LOCK, "base::Mutex::UnlockSlow"));
	assert_true(is_dropped(FRAMES_LOCK, "SpinLockHolder::~SpinLockHolder"));
	assert_false(is_dropped(FRAMES_LOCK, "Mutex::Lock"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_profiles_drop_frames_of_the_allocator),
		cmocka_unit_test(drop_frames_match_whole_names),
		cmocka_unit_test(cpu_profiles_drop_only_frames_of_the_signal_handler),
		cmocka_unit_test(lock_profiles_drop_unlock_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

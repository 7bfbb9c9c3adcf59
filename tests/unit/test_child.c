/*
 * test_child.c - other programs: bytes in, bytes out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/child.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int run(const char *script, const char *in, size_t n, struct buf *out, struct err *err)
{
	return child_run((const char *const[]){ "sh", "-c", script, NULL }, in, n, out, err);
}

static void what_goes_in_comes_out_however_much_it_is(void **state)
{
	size_t n = 3 << 20;
	char *in = malloc(n);
	struct buf out = { 0 };
	struct err err;

	(void)state;
	for (size_t i = 0; i < n; i++)
		in[i] = (char)(i * 7 / 5);
	assert_int_equal(run("exec cat", in, n, &out, &err), 0);
	assert_int_equal(out.len, n);
	assert_memory_equal(out.data, in, n);
	free(in);
	buf_release(&out);
}

static void a_program_that_reads_nothing_is_no_error(void **state)
{
	size_t n = 1 << 20;
	char *in = calloc(1, n);
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(run("exec <&-; echo done", in, n, &out, &err), 0);
	assert_string_equal(out.data, "done\n");
	free(in);
	buf_release(&out);
}

enum { N_THREADS = 4, N_TIMES = 40 };

static void *run_what_reads_nothing(void *arg)
{
	size_t n = 1 << 17;
	char *in = calloc(1, n);

	(void)arg;
	for (int i = 0; i < N_TIMES; i++) {
		struct buf out = { 0 };
		bool fine = child_run((const char *const[]){ "true", NULL }, in, n, &out, NULL) == 0;

		buf_release(&out);
		if (!fine)
			abort();
	}
	free(in);
	return NULL;
}

/* Once each ignored SIGPIPE for all threads, and whoever was done first ended the others. */
static void programs_that_read_nothing_may_be_run_by_several_threads(void **state)
{
	pthread_t thread[N_THREADS];
	struct sigaction now;
	sigset_t mask;

	(void)state;
	signal(SIGPIPE, SIG_DFL);
	for (int i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run_what_reads_nothing, NULL), 0);
	run_what_reads_nothing(NULL);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(thread[i], NULL);
	sigaction(SIGPIPE, NULL, &now);
	assert_true(now.sa_handler == SIG_DFL);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	assert_int_equal(sigismember(&mask, SIGPIPE), 0);
	sigpending(&mask);
	assert_int_equal(sigismember(&mask, SIGPIPE), 0);
}

static void a_program_is_ended_by_sigpipe_as_usual(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(run("for set in $(sed -En 's/^Sig(Blk|Ign):\t/0x/p' /proc/self/status); do"
			     " echo $((set >> 12 & 1)); done", /* it is number 13 */
			     "", 0, &out, &err),
			 0);
	assert_string_equal(out.data, "0\n0\n");
	buf_release(&out);
}

static void a_status_is_an_error_with_the_first_line_of_what_was_said(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(run("echo half; printf 'bad\\033 line\\nmore' >&2; exit 7", "", 0, &out, &err), ERR_IO);
	assert_string_equal(err.msg, "sh ended with status 7: bad\\x1b line");
	assert_string_equal(out.data, "half\n");
	buf_release(&out);
}

static void much_noise_does_not_block(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(run("head -c 1000000 /dev/zero >&2; echo out", "", 0, &out, &err), 0);
	assert_string_equal(out.data, "out\n");
	buf_release(&out);
}

static void a_signal_is_an_error(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(run("kill -9 $$", "", 0, &out, &err), ERR_IO);
	assert_string_equal(err.msg, "sh was ended by signal 9");
	buf_release(&out);
}

static void a_program_that_is_not_there_is_told_apart(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(child_run((const char *const[]){ "no-such-program-here", NULL }, "", 0, &out, &err),
			 ERR_UNKNOWN);
	assert_int_equal(child_show((const char *const[]){ "no-such-program-here", NULL }, &err), ERR_UNKNOWN);
}

static void a_program_that_takes_too_long_or_prints_too_much_is_ended(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(child_read((const char *const[]){ "sleep", "100", NULL }, 1, 1, NULL, &out, &err), ERR_IO);
	assert_string_equal(err.msg, "sleep took too long");
	assert_int_equal(child_read((const char *const[]){ "yes", NULL }, 1 << 20, 100, NULL, &out, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "yes printed more than 1 MiB");
	out.len = 0;
	assert_int_equal(child_read((const char *const[]){ "echo", "yes", NULL }, 4, 100, NULL, &out, &err), 0);
	assert_string_equal(out.data, "yes\n");
	buf_release(&out);
}

static void signals_are_what_they_were_afterwards(void **state)
{
	void (*const handlers[])(int) = { SIG_IGN, SIG_DFL };
	struct sigaction before, after;
	struct buf out = { 0 };
	struct err err;

	(void)state;
	sigaction(SIGPIPE, NULL, &before);
	assert_int_equal(run("exec <&-", "x", 1, &out, &err), 0);
	sigaction(SIGPIPE, NULL, &after);
	assert_ptr_equal(before.sa_handler, after.sa_handler);
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		signal(SIGINT, handlers[i]);
		signal(SIGQUIT, handlers[i]);
		assert_int_equal(child_show((const char *const[]){ "true", NULL }, &err), 0);
		sigaction(SIGINT, NULL, &after);
		assert_ptr_equal(after.sa_handler, handlers[i]);
		sigaction(SIGQUIT, NULL, &after);
		assert_ptr_equal(after.sa_handler, handlers[i]);
	}
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_in_comes_out_however_much_it_is),
		cmocka_unit_test(a_program_that_reads_nothing_is_no_error),
		cmocka_unit_test(programs_that_read_nothing_may_be_run_by_several_threads),
		cmocka_unit_test(a_program_is_ended_by_sigpipe_as_usual),
		cmocka_unit_test(a_status_is_an_error_with_the_first_line_of_what_was_said),
		cmocka_unit_test(much_noise_does_not_block),
		cmocka_unit_test(a_signal_is_an_error),
		cmocka_unit_test(a_program_that_is_not_there_is_told_apart),
		cmocka_unit_test(a_program_that_takes_too_long_or_prints_too_much_is_ended),
		cmocka_unit_test(signals_are_what_they_were_afterwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

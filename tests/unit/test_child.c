/*
 * test_child.c - run other programs and exchange data with them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/child.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int run(const char *script, const char *in, size_t n, struct buf *out, struct err *err)
{
	return child_run((const char *const[]){ "sh", "-c", script, NULL }, in, n, out, err);
}

static void large_input_is_copied_to_the_output(void **state)
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

static void a_program_that_ignores_its_input_is_no_error(void **state)
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

static void *run_without_reading(void *arg)
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

/*
 * A regression test: each thread used to ignore SIGPIPE for the whole process, and the first thread to restore it
 * killed the others.
 */
static void several_threads_can_run_programs_that_ignore_their_input(void **state)
{
	pthread_t thread[N_THREADS];
	struct sigaction now;
	sigset_t mask;

	(void)state;
	signal(SIGPIPE, SIG_DFL);
	for (int i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run_without_reading, NULL), 0);
	run_without_reading(NULL);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(thread[i], NULL);
	sigaction(SIGPIPE, NULL, &now);
	assert_true(now.sa_handler == SIG_DFL);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	assert_int_equal(sigismember(&mask, SIGPIPE), 0);
	sigpending(&mask);
	assert_int_equal(sigismember(&mask, SIGPIPE), 0);
}

static void programs_start_with_the_default_action_for_sigpipe(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(run("for set in $(sed -En 's/^Sig(Blk|Ign):\t/0x/p' /proc/self/status); do"
			     " echo $((set >> 12 & 1)); done", /* SIGPIPE is number 13 */
			     "", 0, &out, &err),
			 0);
	assert_string_equal(out.data, "0\n0\n");
	buf_release(&out);
}

static void an_exit_status_is_an_error_with_the_first_line_of_stderr(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(run("echo half; printf 'bad\\033 line\\nmore' >&2; exit 7", "", 0, &out, &err), ERR_IO);
	assert_string_equal(err.msg, "sh exited with status 7: bad\\x1b line");
	assert_string_equal(out.data, "half\n");
	buf_release(&out);
}

static void large_standard_error_does_not_block(void **state)
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
	assert_string_equal(err.msg, "sh was killed by signal 9");
	buf_release(&out);
}

static void a_missing_program_has_its_own_error_code(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(child_run((const char *const[]){ "no-such-program-here", NULL }, "", 0, &out, &err),
			 ERR_UNKNOWN);
	assert_int_equal(child_run_silent((const char *const[]){ "no-such-program-here", NULL }, &err), ERR_UNKNOWN);
}

static void programs_that_exceed_time_or_output_limits_are_killed(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(child_read((const char *const[]){ "sleep", "100", NULL }, 1, 1, NULL, &out, &err), ERR_IO);
	assert_string_equal(err.msg, "sleep timed out");
	assert_int_equal(child_read((const char *const[]){ "yes", NULL }, 1 << 20, 100, NULL, &out, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "yes printed more than 1 MiB");
	out.len = 0;
	assert_int_equal(child_read((const char *const[]){ "echo", "yes", NULL }, 4, 100, NULL, &out, &err), 0);
	assert_string_equal(out.data, "yes\n");
	buf_release(&out);
}

static int run_limited(const char *script, size_t max_memory, unsigned seconds, struct buf *out, struct err *err)
{
	const struct child_limits limits = { .max_output = 1 << 20, .max_memory = max_memory, .seconds = seconds };

	return child_run_limited((const char *const[]){ "sh", "-c", script, NULL }, "in", 2, &limits, out, err);
}

static void a_limited_program_runs_in_its_own_group_with_its_limits(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(run_limited("cat; ulimit -v; ulimit -t; ps -o pgid= -p $$ | tr -d ' '; echo $$", 100 << 20,
				     100, &out, &err),
			 0);
	assert_memory_equal(out.data, "in102400\n100\n", 13);
	assert_int_equal(strtol(out.data + 13, NULL, 10), strtol(strchr(out.data + 14, '\n'), NULL, 10));
	buf_release(&out);
}

static void the_whole_group_of_a_program_that_takes_too_long_is_killed(void **state)
{
	struct buf out = { 0 };
	struct err err;
	pid_t child;

	(void)state;
	assert_int_equal(run_limited("sleep 1000 & echo $!; wait", SIZE_MAX, 1, &out, &err), ERR_IO);
	assert_string_equal(err.msg, "sh timed out");
	child = (pid_t)strtol(out.data, NULL, 10);
	assert_in_range(child, 2, INT_MAX);
	for (int i = 0; i < 1000 && kill(child, 0) == 0; i++)
		usleep(10000); /* until init has reaped it */
	assert_int_not_equal(kill(child, 0), 0);
	buf_release(&out);
}

static void a_program_that_closes_its_output_still_has_a_time_limit(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(run_limited("exec >&- 2>&-; exec sleep 1000", SIZE_MAX, 1, &out, &err), ERR_IO);
	assert_string_equal(err.msg, "sh timed out");
	assert_int_equal(run_limited("exec >&- 2>&-; sleep 0.1; exit 3", SIZE_MAX, 100, &out, &err), ERR_IO);
	assert_string_equal(err.msg, "sh exited with status 3");
	buf_release(&out);
}

static void a_program_that_needs_more_memory_than_its_limit_fails(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(
		run_limited("x=$(head -c 300000000 /dev/zero | tr '\\0' x) && echo ${#x}", 100 << 20, 100, &out, &err),
		ERR_IO);
	buf_release(&out);
}

static void signal_actions_are_restored(void **state)
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
		assert_int_equal(child_run_silent((const char *const[]){ "true", NULL }, &err), 0);
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
		cmocka_unit_test(large_input_is_copied_to_the_output),
		cmocka_unit_test(a_program_that_ignores_its_input_is_no_error),
		cmocka_unit_test(several_threads_can_run_programs_that_ignore_their_input),
		cmocka_unit_test(programs_start_with_the_default_action_for_sigpipe),
		cmocka_unit_test(an_exit_status_is_an_error_with_the_first_line_of_stderr),
		cmocka_unit_test(large_standard_error_does_not_block),
		cmocka_unit_test(a_signal_is_an_error),
		cmocka_unit_test(a_missing_program_has_its_own_error_code),
		cmocka_unit_test(programs_that_exceed_time_or_output_limits_are_killed),
		cmocka_unit_test(a_limited_program_runs_in_its_own_group_with_its_limits),
		cmocka_unit_test(the_whole_group_of_a_program_that_takes_too_long_is_killed),
		cmocka_unit_test(a_program_that_closes_its_output_still_has_a_time_limit),
		cmocka_unit_test(a_program_that_needs_more_memory_than_its_limit_fails),
		cmocka_unit_test(signal_actions_are_restored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

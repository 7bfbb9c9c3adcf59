/*
 * test_attach_sample.c - arguments of attach_sample, and stacks from registers and a copy of the stack
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/processes.h"
#include "attach/sample.h"
#include "attach/sample_int.h"
#include "libcpaprof/collector/read/read_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static void parses_lists_of_pids(void **state)
{
	pid_t pid[SAMPLE_PIDS_MAX];
	struct err err;
	size_t n;

	(void)state;
	assert_int_equal(attach_parse_pids("4711", 4, pid, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_int_equal(pid[0], 4711);
	assert_int_equal(attach_parse_pids("12,7,12,1", 9, pid, &n, &err), 0); /* a duplicate is dropped */
	assert_int_equal(n, 3);
	assert_int_equal(pid[2], 1);
}

static void refuses_lists_that_are_not_pids(void **state)
{
	static const char *const bad[] = { "", "0", "x", "1,", ",1", "1,,2", "-1", "1 2", "1.5" };
	pid_t pid[SAMPLE_PIDS_MAX];
	struct err err;
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(attach_parse_pids(bad[i], strlen(bad[i]), pid, &n, &err), ERR_USAGE);
		assert_non_null(strstr(err.msg, "list of process ids"));
	}
	assert_int_equal(attach_parse_pids("99999999999999999999", 20, pid, &n, &err), ERR_USAGE);
	assert_string_equal(err.msg, "process 99999999999999999999 does not exist");
}

static void limits_the_number_of_pids(void **state)
{
	static pid_t pid[SAMPLE_PIDS_MAX];
	struct buf text = { 0 };
	struct err err;
	size_t n;

	(void)state;
	for (int i = 1; i <= SAMPLE_PIDS_MAX; i++)
		buf_addf(&text, "%s%d", i > 1 ? "," : "", i);
	assert_int_equal(attach_parse_pids(text.data, text.len, pid, &n, &err), 0);
	assert_int_equal(n, SAMPLE_PIDS_MAX);
	buf_addz(&text, ",999999");
	assert_int_equal(attach_parse_pids(text.data, text.len, pid, &n, &err), ERR_USAGE);
	buf_release(&text);
}

static void checks_names_of_events(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(attach_check_events("", &err), 0);
	assert_int_equal(attach_check_events("cycles,cache-misses", &err), 0);
	assert_int_equal(attach_check_events("cycle", &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "\"cycle\" is not an event; events: cpu-clock, "));
	assert_int_equal(attach_check_events("cycles,", &err), ERR_USAGE);
	assert_int_equal(attach_check_events("cycles,cycles", &err), ERR_USAGE);
	assert_int_equal(attach_check_events("cycles,instructions,branches,page-faults", &err), ERR_USAGE);
}

static void lists_every_event_in_the_message(void **state)
{
	const char *at = events_names();

	(void)state;
	while (*at) {
		size_t n = strcspn(at, ",");

		assert_non_null(events_find(at, n));
		at += n;
		at += strspn(at, ", ");
	}
}

static void knows_the_releases_that_hang(void **state)
{
	(void)state;
	assert_true(attach_sample_is_dangerous("6.16.3-amd64"));
	assert_true(attach_sample_is_dangerous("6.17.0"));
	assert_false(attach_sample_is_dangerous("6.1.0"));
	assert_false(attach_sample_is_dangerous("6.18.0"));
	assert_false(attach_sample_is_dangerous("6.160.0"));
}

enum { STACK_COPY = 4096, FRAMES = 64 };

struct walked {
	uint64_t pc[FRAMES];
	uint32_t n;
	enum unwind_end end;
};

/* Copy registers in the order of the kernel. */
static void copy_regs(const ucontext_t *u, uint64_t *reg)
{
#if defined(__x86_64__)
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
				     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		reg[i] = (uint64_t)u->uc_mcontext.gregs[order[i]];
#else
	reg[0] = u->uc_mcontext.regs[29];
	reg[1] = u->uc_mcontext.regs[30];
	reg[2] = u->uc_mcontext.sp;
	reg[3] = u->uc_mcontext.pc;
#endif
}

__attribute__((noinline)) static void walk_here(struct walked *out, size_t n_stack)
{
	static unsigned char copy[1 << 20];
	struct stack_reader reader = { .space.mem = -1 };
	uint64_t reg[32] = { 0 };
	struct stack_sample s = { .reg = reg, .stack = copy, .n_stack = n_stack };
	uint32_t n_guessed;
	ucontext_t u;

	getcontext(&u);
	copy_regs(&u, reg);
	assert_int_equal(space_read_maps(&reader.space, getpid()), 0);
	s.n_stack = space_read(&reader.space, reg[read_stack_n_event_regs() == 4 ? 2 : 7], copy, n_stack);
	out->n = read_stack_of_sample(&reader, &s, out->pc, FRAMES, &n_guessed, &out->end);
	read_stack_release(&reader);
}

static int recurse(struct walked *out, int depth, size_t n_stack);
static int (*volatile next)(struct walked *out, int depth, size_t n_stack) = recurse; /* not known to the compiler */

__attribute__((noinline)) static int recurse(struct walked *out, int depth, size_t n_stack)
{
	if (depth == 0)
		walk_here(out, n_stack);
	else if (next(out, depth - 1, n_stack) < 0)
		return -1;
	return depth;
}

static bool is_in(uint64_t pc, uintptr_t function)
{
	enum { SIZE_MAX_OF_TEST = 4096 };

	return pc - function < SIZE_MAX_OF_TEST;
}

static void walks_a_copied_stack_to_its_start(void **state)
{
	struct walked w;

	(void)state;
	assert_int_equal(next(&w, 10, 1 << 20), 10);
	assert_true(is_in(w.pc[0], (uintptr_t)walk_here));
	assert_true(w.n > 13);
	for (uint32_t i = 3; i < 12; i++) /* ten calls from the same place; pc[1] is that of walk_here */
		assert_true(w.pc[i] == w.pc[2] && is_in(w.pc[i], (uintptr_t)recurse));
	assert_true(w.pc[12] != w.pc[2]);
	assert_int_equal(w.end, UNWIND_ROOT);
}

static void a_short_copy_ends_the_walk_early(void **state)
{
	struct walked w;

	(void)state;
	assert_int_equal(next(&w, 10, 2048), 10);
	assert_true(w.n >= 1);
	assert_int_equal(w.end, UNWIND_OUTSIDE);
}

/* The line of our own vDSO in the format of /proc/PID/maps. */
static int own_vdso_line(uint64_t *lo)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	int fd = memfd_create("maps", MFD_CLOEXEC);
	char line[256];

	*lo = 0;
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[vdso]")) {
			*lo = strtoull(line, NULL, 16);
			assert_int_equal(write(fd, line, strlen(line)), strlen(line));
		}
	if (maps)
		fclose(maps);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void uses_the_own_vdso_if_memory_cannot_be_read(void **state)
{
	struct address_space space = { .mem = -1 };
	const struct unwind_object *object;
	struct unwind_object room;
	pid_t ended = fork();
	uint64_t lo;
	int fd = own_vdso_line(&lo);

	(void)state;
	if (ended == 0)
		_exit(0);
	waitpid(ended, NULL, 0);
	if (lo == 0)
		skip();
	assert_int_equal(space_read_maps_file(&space, ended, fd), 0);
	object = space_find(&space, lo, &room);
	assert_non_null(object);
	assert_non_null(object->eh);
	space_release(&space);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_lists_of_pids),
		cmocka_unit_test(refuses_lists_that_are_not_pids),
		cmocka_unit_test(limits_the_number_of_pids),
		cmocka_unit_test(checks_names_of_events),
		cmocka_unit_test(lists_every_event_in_the_message),
		cmocka_unit_test(knows_the_releases_that_hang),
		cmocka_unit_test(walks_a_copied_stack_to_its_start),
		cmocka_unit_test(a_short_copy_ends_the_walk_early),
		cmocka_unit_test(uses_the_own_vdso_if_memory_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

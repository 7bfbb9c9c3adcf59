/*
 * incomplete.c - report that many stacks are incomplete, with the reason and the remedy
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/incomplete.h"

#include "attach/files.h"
#include "base/buf.h"
#include "base/str.h"

#include <inttypes.h>

static const char *const incomplete_reason[UNWIND_N_ENDS] = {
	[UNWIND_FULL] = "are deeper than --max-depth",
	[UNWIND_NO_CFI] = "end in code without call frame information and without frame pointers",
	[UNWIND_BAD_CFI] = "end in code whose call frame information cannot be used",
	[UNWIND_NO_REG] = "end in code whose call frame information needs an unknown register",
	[UNWIND_BAD_SP] = "end where the stack pointer is not one",
	[UNWIND_OUTSIDE] = "end where the stack continues outside the memory that was read",
	[UNWIND_TOO_LONG] = "take too many steps",
};

/* Options that let the runtimes of generated code write frame pointers. */
static const struct {
	const char *program, *remedy;
} incomplete_runtimes[] = {
	{ "java", "start Java with -XX:+PreserveFramePointer" },
	{ "node", "start Node with --perf-basic-prof --interpreted-frames-native-stack" },
	{ "python", "start Python with -X perf, and build it with -fno-omit-frame-pointer" },
	{ "dotnet", "set DOTNET_PerfMapEnabled=1" },
};

static const char *incomplete_remedy(const struct incomplete *x, bool is_outside)
{
	bool is_generated = x->n_file ? !*x->file || starts_with(x->file, "libjvm") : x->has_generated_code;

	for (size_t i = 0; is_generated && i < sizeof(incomplete_runtimes) / sizeof(*incomplete_runtimes); i++)
		if (starts_with(x->program, incomplete_runtimes[i].program))
			return incomplete_runtimes[i].remedy;
	if (x->reason == UNWIND_FULL)
		return "raise --max-depth";
	if (x->reason == UNWIND_OUTSIDE && is_outside)
		return "cpa record -- PROGRAM unwinds in the program, where all of the stack is";
	if (is_generated)
		return "let the compiler that generates the code use frame pointers";
	return "compile it with -fno-omit-frame-pointer or -fasynchronous-unwind-tables";
}

void attach_incomplete_add(struct attach_incomplete *to, const struct incomplete *x, bool is_outside)
{
	struct incomplete *worst = &to->worst;
	uint64_t n_reason = x->n_reason + (x->reason == worst->reason ? worst->n_reason : 0);

	to->n += x->n;
	to->n_complete += x->n_complete;
	if (x->n - x->n_complete > worst->n - worst->n_complete) {
		*worst = *x;
		to->is_outside = is_outside;
		worst->n_reason = n_reason;
	} else if (x->reason == worst->reason) {
		worst->n_reason = n_reason;
	}
}

void attach_note_incomplete(const struct attach_messages *m, const struct attach_incomplete *all)
{
	const struct incomplete *x = &all->worst;
	struct buf where = { 0 };

	if (all->n < INCOMPLETE_STACKS_MIN || all->n_complete * 100 >= all->n * INCOMPLETE_PERCENT_MIN)
		return;
	if (x->n_file && *x->file)
		buf_addf(&where, " (most in %s)", x->file);
	else if (x->n_file)
		buf_addf(&where, " (most in code generated at run time)");
	attach_note(m, "%.1f%% of the stacks of %s are complete: %" PRIu64 " %s%s; %s",
		    100.0 * (double)all->n_complete / (double)all->n, *x->program ? x->program : "the program",
		    x->n_reason, incomplete_reason[x->reason], buf_text(&where), incomplete_remedy(x, all->is_outside));
	buf_release(&where);
}

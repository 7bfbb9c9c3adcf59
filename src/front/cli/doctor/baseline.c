/*
 * baseline.c - compare the CPU profile with an earlier one, by the gate
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The gate is another process, as for cpa watch (front/cli/watch/judge.c).
 */
#include "config.h"

#include "front/cli/doctor/doctor_int.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/time.h"
#include "front/cli/interrupt.h"
#include "front/cli/messages.h"
#include "front/cli/watch/watch.h"
#include "session/settings.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS_SHOWN = 5 };

/* Earlier times of the same service, in minutes before the profile. */
static const struct {
	const char *name;
	int from, to;
} earlier[] = { { "an hour before", 90, 30 }, { "a day before", 25 * 60, 23 * 60 } };

/* After this time, the last deploy need not be the last one before the profile. */
enum { RECENT_MINUTES = 60 };

/* "main.parse +41 % (12 % to 16 % of the total), ..." */
static void baseline_add_functions(const struct cmd_watch_verdict *v, struct buf *out)
{
	for (size_t i = 0; i < v->n && i < FUNCTIONS_SHOWN; i++) {
		const struct cmd_watch_function *f = &v->function[i];

		buf_addf(out, "%s%s %+.0f %% (%.1f %% to %.1f %% of the total)", i ? ", " : "", f->name,
			 100 * f->change, 100 * f->share_before, 100 * f->share_after);
	}
	if (v->n > FUNCTIONS_SHOWN)
		buf_addf(out, ", and %zu more", v->n - FUNCTIONS_SHOWN);
}

/* Run the gate. Its failure is a statement, not an error: the baseline may have no profiles. */
static void compare_with(const struct doctor_args *a, struct doctor_files *files, const char *name, const char *source,
			 const char *profile)
{
	struct buf *text = files->comparison_text[files->n_comparisons];
	struct doctor_comparison *x = &files->comparison[files->n_comparisons];
	struct buf store = { 0 }, base = { 0 };
	char *argv[7] = { (char *)(uintptr_t) "/proc/self/exe", (char *)(uintptr_t) "gate" };
	int argc = 2;
	struct cmd_watch_verdict verdict;
	struct err err;
	int rc;

	if (*a->store) {
		buf_addf(&store, "--store=%s", a->store);
		argv[argc++] = store.data;
	}
	buf_addf(&base, "-base=%s", source);
	argv[argc++] = base.data;
	argv[argc++] = (char *)(uintptr_t)profile;
	buf_addz(&text[1], "cpa");
	for (int i = 1; i < argc; i++) {
		buf_addz(&text[1], " ");
		settings_add_word(argv[i], &text[1]);
	}
	argv[argc++] = (char *)(uintptr_t) "-json";
	progress_begin("comparing with the baseline");
	rc = cmd_watch_judge(argv, cmd_interrupt_catch(), &verdict, &err);
	cmd_interrupt_release();
	progress_end();
	buf_addf(&text[0], *name ? "%s (%s)" : "%s%s", name, source);
	if (rc < 0) {
		const char *reason = starts_with(err.msg, "store:") ? strstr(err.msg, ": ") : NULL;

		buf_addz(&text[2], reason ? reason + 2 : err.msg);
	} else
		baseline_add_functions(&verdict, &text[2]);
	*x = (struct doctor_comparison){ .source = buf_text(&text[0]),
					 .command = rc < 0 ? "" : buf_text(&text[1]),
					 .verdict = rc < 0 ? NULL : cmd_watch_outcome_word(verdict.outcome),
					 .details = buf_text(&text[2]) };
	files->n_comparisons++;
	if (rc == 0)
		cmd_watch_verdict_release(&verdict);
	buf_release(&store);
	buf_release(&base);
}

/* The service of a profile in a store: the name of the file of the program. */
static const char *service_of(const struct profile *p)
{
	return p->n_maps ? path_base(profile_text(p, p->map[0].file)) : "";
}

/* Compare with stored profiles of the same service. */
static void compare_with_store(const struct doctor_args *a, struct doctor_files *files, const struct doctor_capture *c,
			       const char *profile)
{
	int64_t at = c->cpu->meta.time_ns ? c->cpu->meta.time_ns : c->time_ns;
	const char *service = service_of(c->cpu);

	for (size_t i = 0; i < sizeof(earlier) / sizeof(earlier[0]) && at > 2 * NS_PER_DAY; i++) {
		struct buf source = { 0 };

		buf_addf(&source, "store:\"%s\"/cpu@", service);
		time_add_utc(&source, at - earlier[i].from * NS_PER_MINUTE, TIME_ISO);
		buf_addz(&source, "..");
		time_add_utc(&source, at - earlier[i].to * NS_PER_MINUTE, TIME_ISO);
		compare_with(a, files, earlier[i].name, source.data, profile);
		buf_release(&source);
	}
	if (at > clock_wall_ns() - RECENT_MINUTES * NS_PER_MINUTE) {
		struct buf source = { 0 };

		buf_addf(&source, "store:\"%s\"/cpu@deploy-1h..deploy", service);
		compare_with(a, files, "the hour before the last deploy", source.data, profile);
		buf_release(&source);
	}
}

void cmd_doctor_compare(const struct doctor_args *a, struct doctor_files *files)
{
	const struct doctor_capture *c = NULL;
	struct buf profile = { 0 }, directory = { 0 };

	for (size_t i = 0; i < files->n; i++)
		c = files->capture[i].cpu ? &files->capture[i] : c;
	if (a->runbook != DOCTOR_SLOW || !c)
		return;
	buf_addf(&profile, "%s/cpu.pb.gz", c->directory);
	store_directory(a->store, &directory);
	if (*a->baseline)
		compare_with(a, files, "", a->baseline, profile.data);
	else if (access(buf_text(&directory), F_OK) == 0 && *service_of(c->cpu))
		compare_with_store(a, files, c, profile.data);
	else
		cmd_doctor_miss(files, "There is no baseline: no store in %s, and no --baseline.",
				buf_text(&directory));
	buf_release(&profile);
	buf_release(&directory);
}

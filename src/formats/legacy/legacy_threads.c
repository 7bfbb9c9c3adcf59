/*
 * legacy_threads.c - stacks of all threads as text (threadz)
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	--- threadz 1 ---
 *
 *	--- Thread 7f01 (name: main/1) stack: ---
 *	  PC: 0x401000
 *	    0x402000: main
 *	--- Memory map: ---
 *
 * Like pprof profile/legacy_profile.go, parseThread.
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include <inttypes.h>
#include <string.h>

/* Does the line contain "--- threadz 1 ---"? */
static bool is_title(struct slice line)
{
	static const char start[] = "--- threadz ";

	for (const char *at; (at = slice_find(line, start)) != NULL;) {
		line = slice_make(at + strlen(start), line.p + line.n);
		if (slice_take_digits(&line).n && slice_starts(line, " ---"))
			return true;
	}
	return false;
}

/* Does the text contain "/1) stack: ---"? */
static bool has_thread_end(struct slice text)
{
	static const char end[] = ") stack: ---";
	const char *start = text.p;

	for (const char *at; (at = slice_find(text, end)) != NULL;) {
		const char *digits = at;

		while (digits > start && digits[-1] >= '0' && digits[-1] <= '9')
			digits--;
		if (digits < at && digits > start && digits[-1] == '/')
			return true;
		text = slice_make(at + strlen(end), text.p + text.n);
	}
	return false;
}

/* Does the line contain "--- Thread 7f01 (name: main/1) stack: ---", with any name? */
static bool is_thread(struct slice line)
{
	static const char start[] = "--- Thread ";

	for (const char *at; (at = slice_find(line, start)) != NULL;) {
		line = slice_make(at + strlen(start), line.p + line.n);
		if (slice_take_hex(&line).n && slice_take(&line, " (name: "))
			/* if no header ends after this match of start, none ends after a later match either */
			return has_thread_end(line);
	}
	return false;
}

/*
 * Read the lines of a thread as frames of the current sample.
 *
 * next    set to the line after them, trimmed; at the end of the text, to the last line
 */
static int threadz_read_stack(struct legacy *l, struct lines *in, struct slice *next, struct err *err)
{
	bool same = false;

	*next = (struct slice){ in->end, 0 };
	while (lines_next(in)) {
		*next = slice_trim(in->line);
		if (slice_starts(*next, "---"))
			break;
		if (slice_find(*next, "same as previous thread"))
			same = true;
		else if (legacy_add_frames(l, *next, ADJUST_CALLERS, err) < 0)
			return err_wrap(err, "line %" PRIu64, in->no);
	}
	if (same)
		legacy_discard_sample(l);
	return 0;
}

/* Read all threads; line is the header of the first. */
static int read_threads(struct legacy *l, struct lines *in, struct slice line, struct err *err)
{
	static const int64_t one = 1;

	while (!slice_is_map_heading(line) && !slice_starts(line, "---- no stack trace for")) {
		int rc;

		if (!is_thread(line))
			return err_set(err, ERR_FORMAT,
				       "line %" PRIu64 ": neither the start of a thread nor the end of the list",
				       in->no);
		if ((rc = threadz_read_stack(l, in, &line, err)) < 0)
			return rc;
		if (l->n_frames > l->sample_start) {
			if ((rc = legacy_end_sample(l, &one, NULL, err)) < 0)
				return rc;
		} else if (l->n_samples > 0) {
			l->value[l->n_samples - 1]++; /* same stack as the previous thread */
		}
	}
	return 0;
}

static int threadz_read_profile(struct legacy *l, struct lines *in, struct profile **out, struct err *err)
{
	struct slice line = in->line;
	int rc;

	if (is_title(line)) {
		while (lines_next(in)) {
			line = in->line;
			if (slice_is_map_heading(line) || slice_starts(line, "-"))
				break;
		}
	}
	legacy_add_type(l, "thread", "count");
	legacy_set_period(l, 1, "thread", "count");
	rc = read_threads(l, in, line, err);
	if (rc == 0)
		rc = legacy_read_maps(l, in, err);
	return rc < 0 ? rc : legacy_finish(l, FRAMES_CPU, FINISH_DROP_REPEATED_LEAF, out, err);
}

int legacy_read_threads(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
			struct err *err)
{
	struct lines in = { .at = (const char *)data, .end = (const char *)data + n };
	struct legacy l;
	int rc;

	if (!lines_next_text(&in) || (!is_title(in.line) && !is_thread(in.line)))
		return err_set(err, ERR_UNKNOWN, "not a thread profile");
	legacy_init(&l, options);
	rc = threadz_read_profile(&l, &in, out, err);
	legacy_release(&l);
	return rc;
}

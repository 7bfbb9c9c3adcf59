/*
 * files.c - write the profiles of the processes of a run to files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/files.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/write/write.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HOST_MAX = 256, FILE_MODE = 0600 };

static const char other_processes[] = "[cpa: other processes]";

void attach_note(const struct attach_messages *m, const char *fmt, ...)
{
	struct buf text = { 0 };
	va_list args;

	assert(m->note);
	va_start(args, fmt);
	buf_vaddf(&text, fmt, args);
	va_end(args);
	m->note(m->arg, buf_text(&text));
	buf_release(&text);
}

int attach_error(const struct attach_messages *m, const char *fmt, ...)
{
	struct buf text = { 0 };
	va_list args;

	assert(m->error);
	va_start(args, fmt);
	buf_vaddf(&text, fmt, args);
	va_end(args);
	m->error(m->arg, buf_text(&text));
	buf_release(&text);
	return ERR_IO;
}

static void add_host(struct buf *out)
{
	char host[HOST_MAX] = "";

	buf_addz(out, gethostname(host, sizeof(host) - 1) == 0 && *host ? host : "localhost");
}

/* Expand %p, %t, %h or %%; other text is unchanged. Returns the length of the input used. */
static size_t attach_files_add_percent(const char *at, pid_t pid, struct buf *out)
{
	switch (at[1]) {
	case 'p':
		buf_addf(out, "%d", (int)pid);
		return 2;
	case 't':
		buf_addf(out, "%lld", (long long)time(NULL));
		return 2;
	case 'h':
		add_host(out);
		return 2;
	case '%':
		buf_addz(out, "%");
		return 2;
	default:
		buf_addz(out, "%");
		return 1;
	}
}

void attach_file_name(const char *name, pid_t pid, const char *more, struct buf *out)
{
	const char *dot = strchr(path_base(name), '.');

	assert(*name && pid > 0);
	for (const char *c = name; *c;) {
		if (c == dot)
			buf_addz(out, more);
		if (*c == '%')
			c += attach_files_add_percent(c, pid, out);
		else
			buf_add(out, c++, 1);
	}
	if (!dot)
		buf_addz(out, more);
}

void attach_files_add(struct attach_files *files, const char *path)
{
	buf_addz(&files->result->written.all, path);
	string_list_end(&files->result->written);
}

static int sink(void *arg, const void *data, size_t n)
{
	const struct io_out *out = arg;
	struct err err;

	return io_write_fd(out->fd, data, n, &err) < 0 ? -(errno ? errno : EIO) : 0;
}

/* Look up the names of generated code. Problems are reported if wants_notes. */
static struct attach_jit_names *find_names(struct attach_files *files, const struct snap *s,
					   const struct process_info *f, bool wants_notes)
{
	struct buf notes = { 0 };
	struct attach_jit_names *names = attach_jit_names_new(s, attach_jits_find(&files->jits, f->pid), &notes);
	const char *line = buf_text(&notes);

	for (size_t n; wants_notes && *line; line += n + 1) {
		n = strcspn(line, "\n");
		attach_note(&files->options->messages, "%.*s", (int)n, line);
	}
	buf_release(&notes);
	return names;
}

/*
 * Write one profile. An error does not stop the other profiles.
 *
 * is_given  the path is exactly the name that the user gave: it may be a pipe, and a link is an error
 */
static void attach_files_write_snap(struct attach_files *files, const struct snap *s, struct attach_jit_names *names,
				    const char *path, bool is_given)
{
	struct io_out out;
	struct err err;
	int rc;

	rc = is_given ? io_out_open_private(path, &out, &err) : io_out_open_replace(path, FILE_MODE, &out, &err);
	if (rc < 0) {
		attach_error(&files->options->messages, "%s", err.msg);
		return;
	}
	rc = write_snap(s, 0, names ? attach_jit_names_at : NULL, names, sink, &out);
	if (rc < 0)
		attach_error(&files->options->messages, "%s: %s", path, strerror(-rc));
	if (io_out_close(&out, rc == 0, &err) < 0 && rc == 0) {
		attach_error(&files->options->messages, "%s", err.msg);
		rc = -EIO;
	}
	if (rc == 0)
		attach_files_add(files, path);
}

/* Take the custom profile of this name, if the program created one. */
static int take_custom(struct process *p, const char *name, struct snap **out)
{
	char seen[SNAP_NAME_MAX];

	assert(strlen(name) < SNAP_NAME_MAX);
	for (uint64_t i = 0; (i = collect_profile_next(p, i, seen)) != 0;)
		if (strcmp(seen, name) == 0)
			return snap_take(p, SNAP_CUSTOM, i, out);
	return -ENOENT;
}

static int attach_files_take(struct process *p, const struct attach_file *f, struct snap **out)
{
	assert(f->kind < N_SNAP_KINDS && (f->kind == SNAP_CUSTOM) == (f->custom != NULL));
	return f->kind == SNAP_CUSTOM ? take_custom(p, f->custom, out) : snap_take(p, f->kind, 0, out);
}

bool attach_follows(const struct attach_options *o, const struct process_info *f)
{
	struct err err;
	bool yes = true;

	if (f->is_main || !o->follow)
		return true;
	return regex_match(o->follow, f->program, f->n_program, &yes, &err) == 0 && yes;
}

bool attach_files_has_room(struct attach_files *files)
{
	if (files->n_written++ < files->options->files_max)
		return true;
	if (!files->is_full)
		attach_note(&files->options->messages, "limit of %u files reached; no more profiles are written",
			    files->options->files_max);
	files->is_full = true;
	return false;
}

/* Report why the program has no profile of a kind. A missing profile of a child is not reported. */
static void attach_files_note_missing(const struct attach_files *files, const struct attach_file *file,
				      const struct process_info *f, int rc)
{
	if (!f->is_main || f->is_replaced)
		return;
	if (rc == -ENOENT && file->kind == SNAP_CUSTOM)
		attach_note(&files->options->messages, "%s: the program has no profile named %s", file->name,
			    file->custom);
	else
		attach_note(&files->options->messages, "%s: process %d has no such profile: %s", file->name,
			    (int)f->pid, strerror(-rc));
}

/* Append the text that makes the file names of a process unique; it is inserted before the suffix. */
static void name_process(const struct attach_files *files, const struct process_info *f, const char *name,
			 struct buf *more)
{
	if (!strstr(name, "%p") && (!f->is_main || f->is_replaced))
		buf_addf(more, "-%d", (int)f->pid);
	if (f->is_replaced || f->has_inner_pid)
		buf_addf(more, "-%u", files->n_replaced);
}

/* Add CPU time of processes without a sample, which have no file of their own. */
static void add_unsampled_program(struct attach_files *files, const char *program, size_t n, uint64_t ns)
{
	const char *slash = memrchr(program, '/', n);
	size_t i = 0, skip = slash ? (size_t)(slash + 1 - program) : 0;

	if (!ns)
		return;
	program += skip;
	n -= skip;
	while (i < files->n_unsampled &&
	       (strncmp(files->unsampled[i].program, program, n) != 0 || files->unsampled[i].program[n]))
		i++;
	if (i == files->n_unsampled) {
		files->unsampled = mem_grow(files->unsampled, &files->unsampled_cap, i + 1, sizeof(*files->unsampled));
		files->unsampled[i] = (struct attach_unsampled){ mem_strndup(program, n), 0 };
		files->n_unsampled++;
	}
	files->unsampled[i].ns += ns;
}

/*
 * Add the CPU time of processes without a sample to the CPU profile of the program itself. Some of it only the parent
 * of the program has seen.
 */
static struct snap_unsampled *attach_files_make_rows(struct attach_files *files, size_t *n)
{
	struct collect_totals totals;
	struct snap_unsampled *row;

	collect_get_totals(files->c, &totals);
	add_unsampled_program(files, other_processes, strlen(other_processes),
			      totals.slotless_ns + totals.unreported_ns);
	row = mem_zalloc(files->n_unsampled + 1, sizeof(*row));
	for (*n = 0; *n < files->n_unsampled; ++*n)
		row[*n] = (struct snap_unsampled){ files->unsampled[*n].program, files->unsampled[*n].ns };
	return row;
}

static void attach_files_write_all(struct attach_files *files, struct process *p, const struct process_info *f,
				   bool numbered)
{
	assert(!numbered || files->n_every > 0);
	for (size_t i = 0; i < files->options->n_files; i++) {
		const struct attach_file *file = &files->options->file[i];
		struct buf more = { 0 }, path = { 0 };
		struct attach_jit_names *names;
		struct snap_unsampled *unsampled = NULL;
		struct snap *s = NULL;
		int rc;

		if (file->kind == SNAP_THREADS && !numbered)
			continue;
		rc = attach_files_take(p, file, &s);
		if (rc < 0) {
			if (!numbered)
				attach_files_note_missing(files, file, f, rc);
			continue;
		}
		if (file->kind == SNAP_CPU && !numbered && f->is_main && !f->is_replaced)
			s->unsampled = unsampled = attach_files_make_rows(files, &s->n_unsampled);
		/* an empty profile is written only for the program itself */
		if ((s->row.n || (f->is_main && !f->is_replaced)) && attach_files_has_room(files)) {
			name_process(files, f, file->name, &more);
			if (numbered)
				buf_addf(&more, "-%04u", files->n_every);
			attach_file_name(file->name, f->pid, buf_text(&more), &path);
			names = find_names(files, s, f, f->is_main && !numbered);
			attach_files_write_snap(files, s, names, buf_text(&path),
						strcmp(buf_text(&path), file->name) == 0);
			attach_jit_names_free(names);
		}
		snap_free(s);
		free(unsampled);
		buf_release(&more);
		buf_release(&path);
	}
}

void attach_files_release(struct attach_files *files)
{
	for (size_t i = 0; i < files->n_unsampled; i++)
		free(files->unsampled[i].program);
	free(files->unsampled);
}

static void write_ended(struct attach_files *files, struct process *p, const struct process_info *f)
{
	struct incomplete stacks;

	if (f->error && f->weight == 0)
		attach_note(&files->options->messages, "process %d: cannot create timers: %s", (int)f->pid,
			    strerror((int)f->error));
	incomplete_get(p, &stacks);
	attach_incomplete_add(&files->incomplete, &stacks, false);
	files->n_replaced += f->is_replaced || f->has_inner_pid;
	add_unsampled_program(files, f->program, f->n_program, f->slotless_ns);
	if (f->weight == 0 && (!f->is_main || f->is_replaced))
		add_unsampled_program(files, f->program, f->n_program, f->rest_ns);
	attach_files_write_all(files, p, f, false);
}

void attach_files_write(void *arg, struct process *p)
{
	struct attach_files *files = arg;
	struct process_info f;

	assert(files->options && files->result);
	process_info(p, &f);
	files->result->is_profiled |= f.is_main;
	files->n_child_periods += f.is_main ? 0 : f.weight;
	if (attach_follows(files->options, &f))
		write_ended(files, p, &f);
	attach_jits_remove(&files->jits, f.pid);
}

void attach_files_write_numbered(void *arg, struct process *p)
{
	struct attach_files *files = arg;
	struct process_info f;

	assert(files->options && files->options->every_ns > 0);
	process_info(p, &f);
	if (attach_follows(files->options, &f))
		attach_files_write_all(files, p, &f, true);
}

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

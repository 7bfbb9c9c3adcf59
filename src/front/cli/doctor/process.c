/*
 * process.c - capture a process of this machine, and find the process of a server
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/doctor/doctor_int.h"

#include "attach/threads.h"
#include "base/child.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/time.h"
#include "front/cli/messages.h"
#include "snapshot/snapshot.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT_MAX = 1 << 20, TCP_LISTEN = 10, START_SECONDS = 300 };

/* Save a text as a file of the directory. */
static int doctor_save(const char *directory, const char *name, const struct buf *text, struct err *err)
{
	char *path = cmd_doctor_path(directory, name);
	int rc = io_write_file(path, buf_text(text), text->len, err);

	free(path);
	return rc;
}

void cmd_doctor_save_holder(pid_t pid, const char *directory)
{
	static const char mark[] = "  for a mutex held by ";
	const struct attach_threads_options o = { 0 };
	struct buf text = { 0 }, holder = { 0 };
	struct err err;
	const char *at = attach_threads(pid, &o, &text, &err) == 0 ? strstr(buf_text(&text), mark) : NULL;

	if (at) {
		at += strlen(mark);
		buf_add(&holder, at, strcspn(at, "\n"));
		if (doctor_save(directory, DOCTOR_HOLDER_FILE, &holder, &err) < 0)
			say_error("%s", err.msg);
	}
	buf_release(&text);
	buf_release(&holder);
}

/* Sample the CPU time by another cpa, which also looks up names. */
static int doctor_sample(const struct doctor_args *a, const char *directory, struct err *err)
{
	struct buf source = { 0 }, output = { 0 }, text = { 0 };
	const char *argv[] = { "/proc/self/exe", "proto", NULL, NULL, NULL };
	int rc;

	buf_addf(&source, "pid:%d?seconds=%" PRId64, (int)a->pid, a->seconds);
	buf_addf(&output, "-output=%s/cpu.pb.gz", directory);
	argv[2] = output.data;
	argv[3] = source.data;
	progress_begin("sampling the process");
	rc = child_read(argv, OUTPUT_MAX, (unsigned)a->seconds + START_SECONDS, NULL, &text, err);
	progress_end();
	buf_release(&source);
	buf_release(&output);
	buf_release(&text);
	return rc;
}

/* A manifest with the fields of that of a snapshot; files of a process have no path on a server. */
static int doctor_save_manifest(const struct doctor_args *a, const char *directory, int64_t begin_ns, bool has_cpu,
				struct err *err)
{
	static const char *const file[] = { "threads.txt", "cpu.pb.gz" }, *const kind[] = { "threads", "cpu" };
	static const char *const nulls[] = { "error",        "note",         "bytes",       "samples",
					     "sample_types", "default_type", "period_type", "period",
					     "time",         "duration_ns",  "program",     "build_id" };
	struct buf text = { 0 }, time = { 0 };
	struct json j = { .out = &text };
	char host[256] = "";
	int rc;

	gethostname(host, sizeof(host) - 1);
	jsonw_open(&j, '{');
	jsonw_add_text(&j, "schema", SNAPSHOT_SCHEMA);
	jsonw_add_text(&j, "cpa", PACKAGE_VERSION);
	buf_addf(&time, "pid:%d", (int)a->pid);
	jsonw_add_text(&j, "url", time.data);
	jsonw_add_text(&j, "host", host);
	jsonw_key(&j, "version");
	jsonw_raw(&j, "null", 4);
	jsonw_add_texts(&j, "comments", NULL, 0);
	jsonw_key(&j, "cmdline");
	jsonw_raw(&j, "null", 4);
	jsonw_add_int(&j, "seconds", a->seconds);
	time.len = 0;
	time_add_utc(&time, begin_ns, TIME_ISO);
	jsonw_add_text(&j, "begin", time.data);
	time.len = 0;
	time_add_utc(&time, clock_wall_ns(), TIME_ISO);
	jsonw_add_text(&j, "end", time.data);
	jsonw_add_bool(&j, "interrupted", false);
	jsonw_open_key(&j, "files", '[');
	for (int i = 0; i <= has_cpu; i++) {
		jsonw_open(&j, '{');
		jsonw_add_text(&j, "name", file[i]);
		jsonw_add_text(&j, "kind", kind[i]);
		jsonw_add_text(&j, "form", i == 0 ? "text" : "profile");
		jsonw_add_text(&j, "path", "");
		jsonw_add_text(&j, "state", "written");
		for (size_t k = 0; k < sizeof(nulls) / sizeof(nulls[0]); k++) {
			jsonw_key(&j, nulls[k]);
			jsonw_raw(&j, "null", 4);
		}
		jsonw_close(&j, '}');
	}
	jsonw_close(&j, ']');
	jsonw_close(&j, '}');
	buf_addz(&text, "\n");
	rc = doctor_save(directory, SNAPSHOT_MANIFEST, &text, err);
	buf_release(&text);
	buf_release(&time);
	return rc;
}

int cmd_doctor_capture_process(const struct doctor_args *a, const char *directory, bool has_cpu,
			       struct doctor_files *files, struct err *err)
{
	const struct attach_threads_options o = { .debug = 2 };
	const struct snapshot s = { .options = &(struct snapshot_options){ .folder = directory } };
	int64_t begin_ns = clock_wall_ns();
	struct buf text = { 0 };
	struct err why;
	int rc = attach_threads(a->pid, &o, &text, err);

	if (rc == 0 && snapshot_make_folder(&s, err) < 0)
		rc = ERR_IO;
	if (rc == 0)
		rc = doctor_save(directory, "threads.txt", &text, err);
	buf_release(&text);
	if (rc < 0)
		return rc;
	cmd_doctor_save_holder(a->pid, directory);
	if (has_cpu && doctor_sample(a, directory, &why) < 0) {
		cmd_doctor_miss(files, "CPU time could not be sampled: %s", why.msg);
		has_cpu = false;
	}
	return doctor_save_manifest(a, directory, begin_ns, has_cpu, err);
}

/* --- the process of a server --- */

/* The inode of the socket that listens on a port, in a table of the kernel; 0: none. */
static uint64_t listening_inode(const char *table, unsigned port)
{
	FILE *f = fopen(table, "re");
	char line[512];
	uint64_t inode = 0;

	while (f && !inode && fgets(line, sizeof(line), f)) {
		unsigned line_port, state;
		uint64_t found;

		if (sscanf(line, "%*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x %*s %*s %*s %*s %*s %" SCNu64, &line_port,
			   &state, &found) == 3 &&
		    line_port == port && state == TCP_LISTEN)
			inode = found;
	}
	if (f)
		fclose(f);
	return inode;
}

/* Does a process have this socket? */
static bool has_socket(const char *pid, uint64_t inode)
{
	char folder[64], want[64], link[64];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(folder, sizeof(folder), "/proc/%.20s/fd", pid);
	snprintf(want, sizeof(want), "socket:[%" PRIu64 "]", inode);
	d = opendir(folder);
	while (d && !found && (e = readdir(d))) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, link, sizeof(link) - 1);

		link[n < 0 ? 0 : n] = '\0';
		found = strcmp(link, want) == 0;
	}
	if (d)
		closedir(d);
	return found;
}

pid_t cmd_doctor_listener(unsigned port)
{
	uint64_t inode = listening_inode("/proc/net/tcp", port);
	struct dirent *e;
	pid_t pid = 0;
	DIR *d;

	inode = inode ? inode : listening_inode("/proc/net/tcp6", port);
	d = inode ? opendir("/proc") : NULL;
	while (d && !pid && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]) && has_socket(e->d_name, inode))
			pid = atoi(e->d_name);
	if (d)
		closedir(d);
	return pid;
}

/* The length of a command line without NULs at its end. */
static size_t cmdline_length(const void *data, size_t n)
{
	const char *text = data;

	while (n > 0 && text[n - 1] == '\0')
		n--;
	return n;
}

bool cmd_doctor_has_cmdline(pid_t pid, const struct buf *cmdline)
{
	char path[64];
	struct bytes own = { 0 };
	struct err err;
	size_t n = cmdline_length(buf_text(cmdline), cmdline->len);
	bool is_same;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	is_same = n > 0 && io_read_file(path, OUTPUT_MAX, "the limit of a command line", &own, &err) == 0 &&
		  cmdline_length(own.data, own.n) == n && memcmp(own.data, buf_text(cmdline), n) == 0;
	free(own.data);
	return is_same;
}

int64_t cmd_doctor_rss(pid_t pid)
{
	char path[64];
	long long pages = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%*d %lld", &pages) != 1)
		pages = -1;
	if (f)
		fclose(f);
	return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}

/*
 * doctor_int.h - the parts of the command doctor
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first capture is in the directory itself, as cpa snapshot writes it, later ones are in its directories 2, 3 and so on. A
 * capture is always read back from its files, so that the findings of saved evidence are those of the capture.
 */
#ifndef FRONT_CLI_DOCTOR_DOCTOR_INT_H
#define FRONT_CLI_DOCTOR_DOCTOR_INT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/string_list.h"
#include "doctor/doctor.h"
#include "formats/dump/stacks.h"
#include "front/cli/http_options.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DOCTOR_REPORT_FILE "report.md"
#define DOCTOR_METRICS_FILE "metrics.txt"
#define DOCTOR_HOLDER_FILE "lock-holder.txt"

enum { DOCTOR_CAPTURES_MAX = 8, DOCTOR_COMPARISONS_MAX = 4 };

/* The command line. Texts are borrowed from argv. */
struct doctor_args {
	enum doctor_runbook runbook;
	const char *target;    /* as given */
	const char *second;    /* a second directory; NULL: none */
	const char *directory; /* for the evidence; "": none given */
	const char *wait, *baseline, *store;
	int64_t wait_ns, seconds;
	bool json, force, help;
	pid_t pid; /* 0: not a process */
	struct http_options http;
};

/* A capture in memory. */
struct doctor_saved {
	struct doctor_capture shown;
	struct buf word; /* the directory */
	struct profile *profile[6];
	struct profile *threads; /* of goroutines or threads; NULL: none */
	char *path;              /* the directory */
	char *url;               /* of the server; "": none */
	struct bytes text;       /* of the stacks */
	struct stacks stacks;
};

/* The evidence in memory, and what owns it. */
struct doctor_files {
	struct doctor_saved saved[DOCTOR_CAPTURES_MAX];
	struct doctor_capture capture[DOCTOR_CAPTURES_MAX];
	size_t n;
	struct doctor_comparison comparison[DOCTOR_COMPARISONS_MAX];
	struct buf comparison_text[DOCTOR_COMPARISONS_MAX][3]; /* source, command, details */
	size_t n_comparisons;
	struct string_list missing; /* sentences */
	struct buf holder;
};

/*
 * Capture the evidence of a runbook into the directory.
 *
 * directory  created if needed
 * files      sentences about evidence that is missing are added
 * Fails      ERR_IO, ERR_USAGE; with a server that does not respond nothing is written
 */
int cmd_doctor_capture(const struct doctor_args *a, const char *directory, struct doctor_files *files, struct err *err);

/*
 * Read the captures of a directory: the first one, and those in its directories 2, 3 and so on.
 *
 * Fails  ERR_USAGE if it has none; a profile that is damaged is an error, with its name
 */
int cmd_doctor_read(const char *directory, struct doctor_files *files, struct err *err);
void cmd_doctor_release(struct doctor_files *files);

/* Compare the newest profile of the runbook with --baseline, or with stored profiles of the same service. */
void cmd_doctor_compare(const struct doctor_args *a, struct doctor_files *files);

/*
 * The service of a store that has profiles of a server: the one whose label instance is its address; else the name of the program.
 *
 * store    a directory, or "" for the default one
 * target   URL of the server; "": none
 * program  the name of its file
 * kind     of the profiles
 * Returns  a text to be freed by the caller
 */
char *cmd_doctor_find_service(const char *store, const char *target, const char *program, const char *kind);

/* Add a sentence about evidence that is missing. */
void cmd_doctor_miss(struct doctor_files *files, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* DIRECTORY/NAME; NAME may be "". To be freed by the caller. */
char *cmd_doctor_path(const char *directory, const char *name);

/* KIND.pb.gz, to be freed by the caller. */
char *cmd_doctor_name(const char *kind);

/* --- processes of this machine --- */

/* Capture a process: its threads, and for slow its CPU time. */
int cmd_doctor_capture_process(const struct doctor_args *a, const char *directory, bool has_cpu,
			       struct doctor_files *files, struct err *err);

/* The process that listens on a TCP port of this machine; 0 if it cannot be found. */
pid_t cmd_doctor_listener(unsigned port);

/* Does a process have this command line: arguments, each followed by NUL? */
bool cmd_doctor_has_cmdline(pid_t pid, const struct buf *cmdline);

/* Resident memory of a process in bytes; -1 if it cannot be read. */
int64_t cmd_doctor_rss(pid_t pid);

/* Save the holder of a lock for which threads of the process wait, if there is one. */
void cmd_doctor_save_holder(pid_t pid, const char *directory);

#endif

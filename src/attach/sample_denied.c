/*
 * sample_denied.c - explain why processes cannot be sampled, and which setting permits it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/sample_int.h"
#include "base/str.h"
#include "libcpaprof/collector/read/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PARANOID_USER = 2, PARANOID_KERNEL = 1, PARANOID_MACHINE = 0, PARANOID_UNKNOWN = 100 };

/* The level of kernel.perf_event_paranoid. */
static int paranoid_level(void)
{
	int level;
	char text[32];

	task_read_file(AT_FDCWD, "/proc/sys/kernel/perf_event_paranoid", text, sizeof(text));
	return sscanf(text, "%d", &level) == 1 ? level : PARANOID_UNKNOWN;
}

/* Does the process belong to another user? */
static bool is_foreign(pid_t pid)
{
	struct stat owner;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d", (int)pid);
	return stat(name, &owner) == 0 && owner.st_uid != geteuid();
}

static int explain_permission(const struct session *s, pid_t pid, const char *what, struct err *err)
{
	int level = paranoid_level();
	int needed = !pid ? PARANOID_MACHINE : s->kind == SAMPLE_OFF_CPU ? PARANOID_KERNEL : PARANOID_USER;

	if (geteuid() == 0)
		return err_set(
			err, ERR_IO,
			"%s: perf events are forbidden here, probably by the seccomp filter of a container; it needs "
			"the capability CAP_PERFMON and perf_event_open",
			what);
	if (level > needed)
		return err_set(err, ERR_IO,
			       "%s: kernel.perf_event_paranoid is %d; run as root, or permit it with "
			       "\"sysctl kernel.perf_event_paranoid=%d\"",
			       what, level, needed);
	if (pid && is_foreign(pid))
		return err_set(err, ERR_IO, "%s: permission denied (another user's process); run as root", what);
	return err_set(err, ERR_IO,
		       "%s: permission denied (a protected process, or perf events are forbidden by a seccomp filter)",
		       what);
}

bool attach_sample_is_dangerous(const char *release)
{
	return starts_with(release, "6.16.") || starts_with(release, "6.17.");
}

bool attach_sample_is_permitted(void)
{
	const struct events_options o = {
		.type = { events_named("cpu-clock") }, .n_types = 1, .hz = 1, .no_kernel = true
	};
	struct events *e;
	struct utsname system;
	struct err err;
	bool yes;

	if ((uname(&system) == 0 && attach_sample_is_dangerous(system.release)) || events_new(&o, &e, &err) < 0)
		return false;
	yes = events_add_process(e, getpid()) == 0;
	events_free(e);
	return yes;
}

int attach_sample_explain(const struct session *s, pid_t pid, int error, struct err *err)
{
	char what[64] = "the whole machine";

	if (pid)
		snprintf(what, sizeof(what), "process %d", (int)pid);
	else if (s->o->cgroup)
		snprintf(what, sizeof(what), "cgroup");
	switch (error) {
	case ESRCH:
	case EINVAL:
		return err_set(err, ERR_IO,
			       error == ESRCH ? "%s does not exist" : "%s: the kernel refuses the perf events", what);
	case EACCES:
	case EPERM:
		return explain_permission(s, pid, what, err);
	case ENOENT:
	case EOPNOTSUPP:
		return err_set(err, ERR_IO,
			       "%s: this machine cannot count %s; many virtual machines count only software "
			       "events, such as cpu-clock and page-faults",
			       what, s->o->events && *s->o->events ? s->o->events : "CPU time");
	case ENOSYS:
		return err_set(err, ERR_IO, "%s: this kernel has no perf events", what);
	case EMFILE:
	case ENFILE:
		return err_set(err, ERR_IO,
			       "%s: too many threads: each needs an open file per CPU; raise the limit "
			       "(ulimit -n)",
			       what);
	default:
		return err_set(err, ERR_IO, "%s: %s", what, strerror(error));
	}
}

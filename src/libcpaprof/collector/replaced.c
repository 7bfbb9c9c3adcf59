/*
 * replaced.c - a process that executed a program which is not profiled
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One that is profiled takes a slot of its own, which says so. Of others nobody tells: the process goes on, with another
 * file, and without our memory. What it has mapped costs more to read, so the file is looked at first.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"

#include <stdio.h>
#include <sys/stat.h>

void process_program(pid_t pid, dev_t *dev, ino_t *ino)
{
	struct stat file;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	if (stat(name, &file) != 0)
		return;
	*dev = file.st_dev;
	*ino = file.st_ino;
}

bool process_is_replaced(struct process *p)
{
	dev_t dev = p->dev;
	ino_t ino = p->ino;

	if (!p->used || p->ended || p->left || !p->c || p->c->how.self || !p->proven)
		return p->left;
	process_program(p->pid, &dev, &ino);
	if ((dev == p->dev && ino == p->ino) || maps_has_file(p->pid, p->c->dev, p->c->ino) != MAPS_NO)
		return false;
	if (p->main)
		p->left = true;
	else
		p->ended = p->replaced = true;
	return true;
}

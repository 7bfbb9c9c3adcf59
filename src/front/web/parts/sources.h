/*
 * sources.h - the files of the command line, each as a profile of its own
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_PARTS_SOURCES_H
#define FRONT_WEB_PARTS_SOURCES_H

#include "front/web/parts/state.h"

/* List the files of a load with several sources. */
void web_sources_set(struct web *w, const struct load_result *l);
void web_sources_release(struct web_sources *all);

/* The file with this id; NULL if there is none. */
const struct web_source *web_source_find(const struct web *w, const char *id);

/* A reference to the profile of a file; NULL unless it is open. */
struct open_profile *web_source_get(struct web *w, const struct web_source *s);

/*
 * The profile of a file, which is read unless it is open. web_source_read is called by a job, web_source_open runs one.
 *
 * out     one reference
 * Fails   as sources_load, workspace_open; as jobs_run
 */
int web_source_read(struct web *w, const struct web_source *s, struct stop *stop, struct open_profile **out,
		    struct err *err);
int web_source_open(struct web *w, const struct web_source *s, const struct stop *stop, struct open_profile **out,
		    struct err *err);

#endif

/*
 * pods_int.h - internals shared by the files that read pods of Kubernetes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_PODS_INT_H
#define SCRAPE_PODS_INT_H

#include "base/jansson.h"
#include "scrape/pods.h"

/* A member of an object; NULL if there is none, or if it is no object. */
const json_t *scrape_pods_member(const struct jansson *lib, const json_t *of, const char *name);

/* The value of a string without control characters; NULL for everything else. Borrowed from the value. */
const char *scrape_pods_text(const struct jansson *lib, const json_t *value);

/*
 * Read a pod: its state, annotations and labels.
 *
 * out    its targets are added; none unless it runs. Their job is 0
 * note   problems of its annotations are appended, separated by semicolons
 */
void scrape_pods_read_pod(const struct jansson *lib, const json_t *pod, const struct scrape_source *source,
			  struct scrape_list *out, struct buf *note);

#endif

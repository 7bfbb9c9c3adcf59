/*
 * version.h - the version of a scraped program, and marks for new versions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_VERSION_H
#define SCRAPE_VERSION_H

#include "base/buf.h"
#include "base/err.h"
#include "fetch/url.h"
#include "profile/profile.h"
#include "scrape/scrape_config.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

enum { SCRAPE_VERSION_MAX = 128 }; /* bytes */

/* The service of a profile without a job name: the file name of its program; "unknown" without one. Appends to out. */
void scrape_version_service(const struct profile *p, struct buf *out);

/*
 * The version of a profile, from the first source of the job that has one.
 *
 * label    [n] labels of the series
 * url      the version that the server reported; "" for none
 * out      appended; nothing if there is no version
 * Returns the source, or N_SCRAPE_VERSION_SOURCES if there is none
 */
enum scrape_version_source scrape_version_find(const struct scrape_job *job, const struct store_label *label, size_t n,
					       const struct profile *p, const char *url, struct buf *out);

/* The URL of the version of a target. out: released with url_release. */
void scrape_version_make_url(const struct scrape_job *job, const struct url *folder, struct url *out);

/*
 * Read the version from a response.
 *
 * field  path of a member in a JSON object, "git.commit"; "" for the first line of a text
 * Fails  ERR_FORMAT when there is no version in it; ERR_IO without libjansson
 */
int scrape_version_parse(const char *body, size_t n, const char *field, struct buf *out, struct err *err);

/* The versions that each service and env has had. Callable by any thread. */
struct scrape_versions;
struct scrape_versions *scrape_versions_new(void);
void scrape_versions_free(struct scrape_versions *v);

/* Add those that have a deploy mark in the store. Fails like store_each_mark. */
int scrape_versions_load(struct scrape_versions *v, struct store *s, struct err *err);

/* Is it the first profile of this version? The caller then adds a mark of kind deploy, with the version as its text. */
bool scrape_versions_add(struct scrape_versions *v, const char *service, const char *env, const char *version);

#endif

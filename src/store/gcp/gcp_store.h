/*
 * gcp_store.h - Google's Cloud Profiler as a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_GCP_GCP_STORE_H
#define STORE_GCP_GCP_STORE_H

#include "base/err.h"
#include "fetch/fetch.h"
#include "store/store.h"

/* The project of a URL that ends with /v2/projects/PROJECT, owned by the caller; NULL if there is no valid one. */
char *gcpstore_find_project(const char *url);

/*
 * Open the store of a project: gcp+https://cloudprofiler.googleapis.com/v2/projects/PROJECT. Nothing is requested yet.
 *
 * A profile is read as it was uploaded. The target of its deployment is the service; labels are those of the deployment and of the
 * profile. Its kind is cpu, wall, heap, allocs, mutex, goroutine or threads, or peak_heap.
 *
 * options  for requests; its strings must live until store_close. Without header_file and bearer_file, the token is that of
 *          $CLOUDSDK_AUTH_ACCESS_TOKEN
 * Fails    ERR_USAGE
 */
int gcpstore_open(const char *where, const struct fetch_options *options, struct store **out, struct err *err);

#endif

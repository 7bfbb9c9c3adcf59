/*
 * recover.h - repair after a crash: interrupted flushes, torn journals, temporary files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_UPKEEP_RECOVER_H
#define STORE_LOCAL_UPKEEP_RECOVER_H

#include "store/local/write/writer_state.h"

/* Open the catalogue, which is built again if it is missing or damaged. */
int recover_catalogue(struct store_writer *w, struct err *err);

/* Empty tmp/, adopt or remove segments without a row, and read the journals. */
int recover_files(struct store_writer *w, struct err *err);

#endif

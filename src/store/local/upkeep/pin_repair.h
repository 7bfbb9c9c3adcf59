/*
 * pin_repair.h - pins after a crash, and damaged pins
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_UPKEEP_PIN_REPAIR_H
#define STORE_LOCAL_UPKEEP_PIN_REPAIR_H

#include "base/buf.h"
#include "base/err.h"

struct store_writer;

/* Remove rows of pins whose file is missing, and add rows for files without one. What was changed is added to the notes of the
   writer, which is being opened. */
int pin_recover(struct store_writer *w, struct err *err);

/* Move damaged pins to bad/, and keep their sound chapters as the pins. The maintenance lock is held. report: a line for each */
int pin_repair_all(struct store_writer *w, struct buf *report, struct err *err);

#endif

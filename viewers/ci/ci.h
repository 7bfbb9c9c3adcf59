/*
 * ci.h - results of a gate in formats for CI servers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Paths of source files are relative to the repository, which is $GITHUB_WORKSPACE or else the current directory.
 */
#ifndef VIEWERS_CI_H
#define VIEWERS_CI_H

#include "base/buf.h"
#include "base/err.h"
#include "report/gate/gate.h"

/*
 * Append JUnit XML: a test case for each tested row, and one that checks the number of samples. FAIL is a failure;
 * SUSPECT and allowed rows are skipped. GATE_ERROR is a single test case with an error.
 *
 * Fails   ERR_IO if libxml2 is not available
 * Like    the schema of Jenkins' xunit plugin, junit-10.xsd
 */
int junit_draw(const struct gate *g, struct buf *out, struct err *err);

/* Append SARIF 2.1.0: a result for each FAIL, SUSPECT, NEW and MOVED. */
void sarif_draw(const struct gate *g, struct buf *out);

/* Append workflow commands of GitHub Actions: at most ten errors and ten warnings, since GitHub shows no more, and a
   notice if the gate passed. */
void github_draw(const struct gate *g, struct buf *out);

/* Append Markdown for a job summary or a comment, within GitHub's limit of 65536 characters per comment. */
void ci_draw_markdown(const struct gate *g, struct buf *out);

#endif

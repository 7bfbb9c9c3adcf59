/*
 * ci.h - the answer of a gate for CI servers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Paths of source files are told relative to the repository, which is $GITHUB_WORKSPACE or else the current folder.
 */
#ifndef VIEWERS_CI_H
#define VIEWERS_CI_H

#include "base/buf.h"
#include "base/err.h"
#include "report/gate/gate.h"

/*
 * Append JUnit XML: a test case for each row that was tested, and one for whether the profiles are long enough.
 * FAIL is a failure, SUSPECT is skipped; so is what was allowed.
 *
 * Fails   ERR_IO when libxml2 is not there
 * Like    the schema of Jenkins' xunit plugin, junit-10.xsd
 */
int junit_draw(const struct gate *g, struct buf *out, struct err *err);

/* Append SARIF 2.1.0: a result for each FAIL, SUSPECT, NEW and MOVED. */
void sarif_draw(const struct gate *g, struct buf *out);

/* Append workflow commands of GitHub Actions: at most ten errors and ten warnings, which is what GitHub shows, and
   a notice when the gate has passed. */
void github_draw(const struct gate *g, struct buf *out);

/* Append Markdown for the summary of a job or a comment; it fits the 65536 characters that GitHub gives a comment. */
void ci_draw_markdown(const struct gate *g, struct buf *out);

#endif

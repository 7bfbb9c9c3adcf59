/*
 * views.h - the views of reports, one file each
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_VIEWS_VIEWS_H
#define FRONT_SHELL_VIEWS_VIEWS_H

#include "front/shell/state.h"

/* The view of each enum report_view, for shell_options. */
extern const struct pane_class *const shell_views[N_REPORT_VIEWS];

extern const struct pane_class shell_view_asm;
extern const struct pane_class shell_view_source;
extern const struct pane_class shell_view_flame;
extern const struct pane_class shell_view_text; /* any report as pprof prints it */
extern const struct pane_class shell_view_top;
extern const struct pane_class shell_view_calls;
extern const struct pane_class shell_view_labels;
extern const struct pane_class shell_view_traces;
extern const struct pane_class shell_view_tree;

#endif

/*
 * views.c - the table of views
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/views.h"

const struct pane_class *const shell_views[N_REPORT_VIEWS] = {
	[VIEW_TEXT] = &shell_view_text,    [VIEW_TOP] = &shell_view_top,       [VIEW_CALLERS] = &shell_view_calls,
	[VIEW_TREE] = &shell_view_tree,    [VIEW_FLAME] = &shell_view_flame,   [VIEW_SOURCE] = &shell_view_source,
	[VIEW_ASSEMBLY] = &shell_view_asm, [VIEW_TRACES] = &shell_view_traces, [VIEW_LABELS] = &shell_view_labels,
};

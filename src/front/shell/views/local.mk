# src/front/shell/views - the views of reports

src_front_shell_libshell_a_SOURCES += \
	src/front/shell/views/asm.c \
	src/front/shell/views/calls.c \
	src/front/shell/views/calls.h \
	src/front/shell/views/calls_lines.c \
	src/front/shell/views/code_pane.c \
	src/front/shell/views/code_pane.h \
	src/front/shell/views/columns.c \
	src/front/shell/views/flame.c \
	src/front/shell/views/flame.h \
	src/front/shell/views/flame_draw.c \
	src/front/shell/views/flame_zoom.c \
	src/front/shell/views/headline.c \
	src/front/shell/views/headline.h \
	src/front/shell/views/labels.c \
	src/front/shell/views/source.c \
	src/front/shell/views/source.h \
	src/front/shell/views/source_rows.c \
	src/front/shell/views/text.c \
	src/front/shell/views/top.c \
	src/front/shell/views/top.h \
	src/front/shell/views/top_columns.c \
	src/front/shell/views/traces.c \
	src/front/shell/views/traces.h \
	src/front/shell/views/traces_rows.c \
	src/front/shell/views/tree.c \
	src/front/shell/views/tree.h \
	src/front/shell/views/tree_rows.c \
	src/front/shell/views/views.c \
	src/front/shell/views/views.h

# src/front/shell/widgets - parts of views and windows: lines of text, lists, menus, tables

src_front_shell_libshell_a_SOURCES += \
	src/front/shell/widgets/editor.c \
	src/front/shell/widgets/editor.h \
	src/front/shell/widgets/find.c \
	src/front/shell/widgets/find.h \
	src/front/shell/widgets/history.c \
	src/front/shell/widgets/history.h \
	src/front/shell/widgets/list.c \
	src/front/shell/widgets/list.h \
	src/front/shell/widgets/menu.c \
	src/front/shell/widgets/menu.h \
	src/front/shell/widgets/name.c \
	src/front/shell/widgets/name.h \
	src/front/shell/widgets/number.c \
	src/front/shell/widgets/number.h \
	src/front/shell/widgets/sheet.c \
	src/front/shell/widgets/sheet.h \
	src/front/shell/widgets/wrap.c \
	src/front/shell/widgets/wrap.h

# src/front/web/parts - what all pages share: the state, frame, menus, forms, tables, files

src_front_web_libweb_a_SOURCES += \
	src/front/web/parts/chips.c \
	src/front/web/parts/empty.c \
	src/front/web/parts/export.c \
	src/front/web/parts/export.h \
	src/front/web/parts/form.c \
	src/front/web/parts/frame.c \
	src/front/web/parts/frame.h \
	src/front/web/parts/menu.c \
	src/front/web/parts/order.c \
	src/front/web/parts/page.c \
	src/front/web/parts/page.h \
	src/front/web/parts/presets.c \
	src/front/web/parts/profiles.c \
	src/front/web/parts/progress.c \
	src/front/web/parts/request.c \
	src/front/web/parts/respond.c \
	src/front/web/parts/row_links.c \
	src/front/web/parts/rows.c \
	src/front/web/parts/sources.c \
	src/front/web/parts/sources.h \
	src/front/web/parts/state.h \
	src/front/web/parts/table.h \
	src/front/web/parts/verdicts.c \
	src/front/web/parts/verdicts.h

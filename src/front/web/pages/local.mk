# src/front/web/pages - the views: one page each

src_front_web_libweb_a_SOURCES += \
	src/front/web/pages/capture.c \
	src/front/web/pages/compare.c \
	src/front/web/pages/compare.h \
	src/front/web/pages/diff.c \
	src/front/web/pages/disasm.c \
	src/front/web/pages/flame.c \
	src/front/web/pages/folder.c \
	src/front/web/pages/gate.c \
	src/front/web/pages/graph.c \
	src/front/web/pages/help.c \
	src/front/web/pages/label_check.c \
	src/front/web/pages/labels.c \
	src/front/web/pages/source.c \
	src/front/web/pages/store.c \
	src/front/web/pages/store.h \
	src/front/web/pages/store_chart.c \
	src/front/web/pages/store_start.c \
	src/front/web/pages/table.c \
	src/front/web/pages/traces.c \
	src/front/web/pages/trend.c \
	src/front/web/pages/views.c \
	src/front/web/pages/views.h

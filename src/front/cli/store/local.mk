# src/front/cli/store - list, copy, import and remove stored profiles

src_cpa_SOURCES += \
	src/front/cli/store/change.c \
	src/front/cli/store/cluster.c \
	src/front/cli/store/copy.c \
	src/front/cli/store/files.c \
	src/front/cli/store/forward.c \
	src/front/cli/store/forward.h \
	src/front/cli/store/import.c \
	src/front/cli/store/import.h \
	src/front/cli/store/list.c \
	src/front/cli/store/listing.c \
	src/front/cli/store/plan.c \
	src/front/cli/store/release.c \
	src/front/cli/store/store.c \
	src/front/cli/store/store.h \
	src/front/cli/store/tar.c

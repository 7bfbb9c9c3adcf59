# src/cli/store - list, copy, import and remove stored profiles

src_cpa_SOURCES += \
	src/cli/store/change.c \
	src/cli/store/files.c \
	src/cli/store/forward.c \
	src/cli/store/forward.h \
	src/cli/store/import.c \
	src/cli/store/import.h \
	src/cli/store/list.c \
	src/cli/store/listing.c \
	src/cli/store/store.c \
	src/cli/store/store.h \
	src/cli/store/tar.c

# src/cli/snapshot - all profiles of a server, into a folder

src_cpa_SOURCES += \
	src/cli/snapshot/check.c \
	src/cli/snapshot/fetch.c \
	src/cli/snapshot/http_options.c \
	src/cli/snapshot/http_options.h \
	src/cli/snapshot/snapshot.c \
	src/cli/snapshot/snapshot.h \
	src/cli/snapshot/write.c

# src/snapshot - save all profiles of a server at one time

noinst_LIBRARIES += src/snapshot/libsnapshot.a
src_snapshot_libsnapshot_a_SOURCES = \
	src/snapshot/check.c \
	src/snapshot/fetch.c \
	src/snapshot/snapshot.h \
	src/snapshot/write.c

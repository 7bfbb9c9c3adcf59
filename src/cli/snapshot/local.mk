# src/cli/snapshot - all profiles of a server, into a folder

src_cpa_SOURCES += src/cli/snapshot/snapshot.c

# src/front/cli/snapshot - all profiles of a server, into a folder

src_cpa_SOURCES += src/front/cli/snapshot/snapshot.c

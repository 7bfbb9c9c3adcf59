# src/access - access control: addresses to listen on, users, hosts, secrets; also part of the library in programs

access_sources = \
	src/access/host.c \
	src/access/host.h \
	src/access/listen.c \
	src/access/listen.h \
	src/access/listen_address.c \
	src/access/listen_int.h \
	src/access/owned.c \
	src/access/owned.h \
	src/access/peer.c \
	src/access/peer.h \
	src/access/secret.c \
	src/access/secret.h

noinst_LIBRARIES += src/access/libaccess.a
src_access_libaccess_a_SOURCES = $(access_sources) \
	src/access/check.c \
	src/access/check.h

# src/wire - protobuf writer that does not allocate memory

noinst_LIBRARIES += src/wire/libwire.a
src_wire_libwire_a_SOURCES = \
	src/wire/wire.c \
	src/wire/wire.h

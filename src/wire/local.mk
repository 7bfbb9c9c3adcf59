# src/wire - protocol buffers, field by field, without memory of its own

noinst_LIBRARIES += src/wire/libwire.a
src_wire_libwire_a_SOURCES = \
	src/wire/wire.c \
	src/wire/wire.h

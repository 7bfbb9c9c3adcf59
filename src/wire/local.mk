# src/wire - protobuf writer that does not allocate memory, and the fields of profile.proto

noinst_LIBRARIES += src/wire/libwire.a
src_wire_libwire_a_SOURCES = \
	src/wire/profile_fields.h \
	src/wire/wire.c \
	src/wire/wire.h

# proto - protobuf-c code for the schemas, generated into the build tree

noinst_LIBRARIES += proto/libproto.a
EXTRA_DIST += proto/profile.proto
BUILT_SOURCES += proto/profile.pb-c.c proto/profile.pb-c.h
CLEANFILES += proto/profile.pb-c.c proto/profile.pb-c.h

nodist_proto_libproto_a_SOURCES = proto/profile.pb-c.c proto/profile.pb-c.h
proto_libproto_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)

proto/profile.pb-c.c: proto/profile.proto
	$(AM_V_GEN)$(MKDIR_P) proto && \
	$(PROTOC_C) --proto_path=$(srcdir)/proto --c_out=proto $(srcdir)/proto/profile.proto
proto/profile.pb-c.h: proto/profile.pb-c.c
	@touch $@

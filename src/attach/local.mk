# src/attach - start programs with libcpaprof, and read threads of running processes

noinst_LIBRARIES += src/attach/libattach.a
src_attach_libattach_a_SOURCES = \
	src/attach/context.c \
	src/attach/context.h \
	src/attach/copied_stacks.c \
	src/attach/copied_stacks.h \
	src/attach/events.c \
	src/attach/events.h \
	src/attach/exec.c \
	src/attach/exec.h \
	src/attach/files.c \
	src/attach/files.h \
	src/attach/images.c \
	src/attach/images.h \
	src/attach/jit.c \
	src/attach/jit.h \
	src/attach/names.c \
	src/attach/names.h \
	src/attach/outside.c \
	src/attach/outside.h \
	src/attach/processes.c \
	src/attach/processes.h \
	src/attach/program.c \
	src/attach/program.h \
	src/attach/run.c \
	src/attach/run.h \
	src/attach/sample.c \
	src/attach/sample.h \
	src/attach/sample_context.c \
	src/attach/sample_denied.c \
	src/attach/sample_events.c \
	src/attach/sample_int.h \
	src/attach/sample_wall.c \
	src/attach/server.c \
	src/attach/server.h \
	src/attach/snap.c \
	src/attach/snap.h \
	src/attach/thread_labels.c \
	src/attach/thread_labels.h \
	src/attach/threads.c \
	src/attach/threads.h \
	src/attach/tls.c \
	src/attach/tls.h

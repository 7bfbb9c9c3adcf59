# src/runtime - what lives in profiled programs: one shared library, preloaded or linked
#
# No libtool: objects that can be anywhere, and one link. Nothing is exported but wrappers and the
# public interface. -z nodelete, for timers may still be running.

runtimedir = $(pkglibdir)
runtime_PROGRAMS = src/runtime/libcpaprof.so
# Programs that are linked ask for libcpaprof.so.0, and it may be a link to what cpa run preloads.
src/runtime/libcpaprof.so.0: src/runtime/libcpaprof.so
	$(AM_V_GEN)ln -sf libcpaprof.so $@
noinst_DATA += src/runtime/libcpaprof.so.0
CLEANFILES += src/runtime/libcpaprof.so.0
install-exec-hook:
	$(MKDIR_P) '$(DESTDIR)$(libdir)'
	ln -sf cpa/libcpaprof.so '$(DESTDIR)$(libdir)/libcpaprof.so.0'
	ln -sf libcpaprof.so.0 '$(DESTDIR)$(libdir)/libcpaprof.so'
uninstall-hook:
	rm -f '$(DESTDIR)$(libdir)/libcpaprof.so' '$(DESTDIR)$(libdir)/libcpaprof.so.0'
# Without sanitizers, whose library the profiled program does not have; so the unwinder is compiled here too.
src_runtime_libcpaprof_so_CFLAGS = -std=gnu17 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-fPIC -fvisibility=hidden -fno-stack-protector -ftls-model=initial-exec
src_runtime_libcpaprof_so_LDFLAGS = -shared -Wl,-soname,libcpaprof.so.0 -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete \
	-Wl,--version-script=$(srcdir)/src/runtime/versions.map -Wl,--exclude-libs,ALL
EXTRA_src_runtime_libcpaprof_so_DEPENDENCIES = src/runtime/versions.map
src_runtime_libcpaprof_so_LDADD = $(ZLIB_STATIC_LIBS)
src_runtime_libcpaprof_so_SOURCES = \
	$(api_sources) \
	$(src_collect_libcollect_a_SOURCES) \
	$(src_serve_libserve_a_SOURCES) \
	$(src_runtime_unwind_libcpaunwind_a_SOURCES) \
	$(src_wire_libwire_a_SOURCES) \
	src/runtime/clock.c \
	src/runtime/create.c \
	src/runtime/env.c \
	src/runtime/exec.c \
	src/runtime/exec.h \
	src/runtime/exec_look.c \
	src/runtime/fork.c \
	src/runtime/guard.c \
	src/runtime/guard_actions.c \
	src/runtime/guard_int.h \
	src/runtime/guard_masks.c \
	src/runtime/guard_move.c \
	src/runtime/guard_waits.c \
	src/runtime/handler.c \
	src/runtime/heap.c \
	src/runtime/heap.h \
	src/runtime/heap_draw.c \
	src/runtime/heap_first.c \
	src/runtime/heap_init.c \
	src/runtime/heap_malloc.c \
	src/runtime/heap_new.c \
	src/runtime/heap_next.c \
	src/runtime/here.c \
	src/runtime/holders.c \
	src/runtime/init.c \
	src/runtime/labels.c \
	src/runtime/labels.h \
	src/runtime/latch.h \
	src/runtime/live.c \
	src/runtime/live.h \
	src/runtime/loader.c \
	src/runtime/locals.c \
	src/runtime/lock.c \
	src/runtime/lock_c11.c \
	src/runtime/lock_rw.c \
	src/runtime/memlock.c \
	src/runtime/modules.c \
	src/runtime/next.c \
	src/runtime/next.h \
	src/runtime/objects.c \
	src/runtime/perf.c \
	src/runtime/process.c \
	src/runtime/ring.c \
	src/runtime/sample.c \
	src/runtime/sandbox.c \
	src/runtime/segment.h \
	src/runtime/session.c \
	src/runtime/stacks.c \
	src/runtime/stacks.h \
	src/runtime/switch.c \
	src/runtime/sys.h \
	src/runtime/target.h \
	src/runtime/threads.c \
	src/runtime/wait.c \
	src/runtime/wait.h \
	src/runtime/wait_cond.c \
	src/runtime/wait_for.c

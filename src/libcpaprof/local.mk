# src/libcpaprof - code that runs in profiled programs or next to them: one shared library, preloaded or linked
#
# No libtool: position-independent objects and one link step. Only wrappers and the public interface are
# exported. -z nodelete, because timers may still be running when the library would be unloaded.

include src/libcpaprof/target/local.mk
include src/libcpaprof/target/unwind/local.mk
include src/libcpaprof/collector/local.mk
include src/libcpaprof/collector/read/local.mk
include src/libcpaprof/collector/trace/local.mk
include src/libcpaprof/collector/write/local.mk
include src/libcpaprof/endpoint/local.mk
include src/libcpaprof/api/local.mk

# Names of the one file in the build tree and when installed; the last one is for programs that were linked before it had an ABI.
noinst_PROGRAMS = src/libcpaprof/libcpaprof.so
library_links = src/libcpaprof/libcpaprof.so.1 src/libcpaprof/libcpaprof.so.0
$(library_links): src/libcpaprof/libcpaprof.so
	$(AM_V_GEN)ln -sf libcpaprof.so $@
noinst_DATA += $(library_links)
CLEANFILES += $(library_links)
# Links are made after the file that they name, because ldconfig deletes links to missing files.
install-exec-local: src/libcpaprof/libcpaprof.so
	$(MKDIR_P) '$(DESTDIR)$(libdir)'
	$(INSTALL_PROGRAM) src/libcpaprof/libcpaprof.so '$(DESTDIR)$(libdir)/libcpaprof.so.1'
	ln -sf libcpaprof.so.1 '$(DESTDIR)$(libdir)/libcpaprof.so.0'
	ln -sf libcpaprof.so.1 '$(DESTDIR)$(libdir)/libcpaprof.so'
	test -n '$(DESTDIR)' || ldconfig 2>/dev/null || : # so that the loader finds it in linked programs
uninstall-local: uninstall-library
uninstall-library:
	cd '$(DESTDIR)$(libdir)' && rm -f libcpaprof.so libcpaprof.so.0 libcpaprof.so.1
.PHONY: uninstall-library
# Without sanitizers, since the profiled program lacks their library; so the unwinder is compiled here too. Without the
# paths of the build, also in debug information.
src_libcpaprof_libcpaprof_so_CFLAGS = -std=gnu17 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-fPIC -fvisibility=hidden -fno-stack-protector -ftls-model=initial-exec \
	-ffile-prefix-map=$(abs_top_srcdir)=. -ffile-prefix-map=$(abs_top_builddir)=.
src_libcpaprof_libcpaprof_so_LDFLAGS = -shared -Wl,-soname,libcpaprof.so.1 -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete -Wl,--wrap=close \
	-Wl,--version-script=$(srcdir)/src/libcpaprof/target/versions.map -Wl,--exclude-libs,ALL
EXTRA_DIST += src/libcpaprof/target/versions.map
EXTRA_src_libcpaprof_libcpaprof_so_DEPENDENCIES = src/libcpaprof/target/versions.map
src_libcpaprof_libcpaprof_so_LDADD = $(ZLIB_STATIC_LIBS)
src_libcpaprof_libcpaprof_so_SOURCES = \
	$(api_sources) \
	$(src_libcpaprof_collector_libcollector_a_SOURCES) \
	$(src_libcpaprof_endpoint_libendpoint_a_SOURCES) \
	$(access_sources) \
	$(src_libcpaprof_target_unwind_libunwind_a_SOURCES) \
	$(src_wire_libwire_a_SOURCES) \
	$(target_sources)

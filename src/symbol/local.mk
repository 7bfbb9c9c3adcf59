# src/symbol - addresses to names, lines, source and assembly

noinst_LIBRARIES += src/symbol/libsymbol.a
src_symbol_libsymbol_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(ELF_CFLAGS) $(DEBUGINFOD_CFLAGS)
src_symbol_libsymbol_a_SOURCES = \
	src/symbol/demangle.h \
	src/symbol/disasm.h \
	src/symbol/frames.h \
	src/symbol/locate.h \
	src/symbol/object.h \
	src/symbol/source_file.h \
	src/symbol/where.c \
	src/symbol/where.h

/*
 * elfutils.h - functions of libdw, libelf and liblzma, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linking these libraries would add 0.4 ms to each start of cpa, which takes 2 ms. Include this header instead of
 * theirs: the names of the functions refer to the table of loaded ones. elf_version, which must precede all other
 * functions in each thread, loads them. If that fails, elf_begin returns NULL.
 */
#ifndef SYMBOL_ELFUTILS_H
#define SYMBOL_ELFUTILS_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <lzma.h>

#define ELFUTILS_FUNCTIONS(X)                                                                                          \
	X(elf_begin)                                                                                                   \
	X(elf_end)                                                                                                     \
	X(elf_errmsg)                                                                                                  \
	X(elf_getdata)                                                                                                 \
	X(elf_getphdrnum)                                                                                              \
	X(elf_getscn)                                                                                                  \
	X(elf_getshdrnum)                                                                                              \
	X(elf_getshdrstrndx)                                                                                           \
	X(elf_kind)                                                                                                    \
	X(elf_memory)                                                                                                  \
	X(elf_ndxscn)                                                                                                  \
	X(elf_nextscn)                                                                                                 \
	X(elf_rawdata)                                                                                                 \
	X(elf_rawfile)                                                                                                 \
	X(elf_strptr)                                                                                                  \
	X(elf_version)                                                                                                 \
	X(gelf_fsize)                                                                                                  \
	X(gelf_getehdr)                                                                                                \
	X(gelf_getphdr)                                                                                                \
	X(gelf_getshdr)                                                                                                \
	X(gelf_getsym)                                                                                                 \
	X(dwarf_attr)                                                                                                  \
	X(dwarf_attr_integrate)                                                                                        \
	X(dwarf_begin_elf)                                                                                             \
	X(dwarf_child)                                                                                                 \
	X(dwarf_cu_getdwarf)                                                                                           \
	X(dwarf_cu_info)                                                                                               \
	X(dwarf_cuoffset)                                                                                              \
	X(dwarf_decl_line)                                                                                             \
	X(dwarf_dieoffset)                                                                                             \
	X(dwarf_end)                                                                                                   \
	X(dwarf_errmsg)                                                                                                \
	X(dwarf_filesrc)                                                                                               \
	X(dwarf_formstring)                                                                                            \
	X(dwarf_formudata)                                                                                             \
	X(dwarf_get_units)                                                                                             \
	X(dwarf_getattrs)                                                                                              \
	X(dwarf_getsrcfiles)                                                                                           \
	X(dwarf_getsrclines)                                                                                           \
	X(dwarf_haschildren)                                                                                           \
	X(dwarf_line_file)                                                                                             \
	X(dwarf_lineaddr)                                                                                              \
	X(dwarf_linecol)                                                                                               \
	X(dwarf_lineendsequence)                                                                                       \
	X(dwarf_lineno)                                                                                                \
	X(dwarf_nextcu)                                                                                                \
	X(dwarf_offdie)                                                                                                \
	X(dwarf_onesrcline)                                                                                            \
	X(dwarf_ranges)                                                                                                \
	X(dwarf_setalt)                                                                                                \
	X(dwarf_siblingof)                                                                                             \
	X(dwarf_srclang)                                                                                               \
	X(dwarf_tag)                                                                                                   \
	X(lzma_code)                                                                                                   \
	X(lzma_end)                                                                                                    \
	X(lzma_stream_decoder)

struct elfutils {
#define ELFUTILS_MEMBER(name) __typeof__(name) *name;
	ELFUTILS_FUNCTIONS(ELFUTILS_MEMBER)
#undef ELFUTILS_MEMBER
};

/* The functions. Valid after elf_version. */
extern struct elfutils elfutils;

/* Load the libraries once, and call elf_version. Returns EV_NONE if they cannot be loaded. */
unsigned elfutils_version(unsigned version);

#ifndef ELFUTILS_TABLE /* elfutils.c needs the names themselves */
#define elf_begin elfutils.elf_begin
#define elf_end elfutils.elf_end
#define elf_errmsg elfutils.elf_errmsg
#define elf_getdata elfutils.elf_getdata
#define elf_getphdrnum elfutils.elf_getphdrnum
#define elf_getscn elfutils.elf_getscn
#define elf_getshdrnum elfutils.elf_getshdrnum
#define elf_getshdrstrndx elfutils.elf_getshdrstrndx
#define elf_kind elfutils.elf_kind
#define elf_memory elfutils.elf_memory
#define elf_ndxscn elfutils.elf_ndxscn
#define elf_nextscn elfutils.elf_nextscn
#define elf_rawdata elfutils.elf_rawdata
#define elf_rawfile elfutils.elf_rawfile
#define elf_strptr elfutils.elf_strptr
#define elf_version elfutils_version
#define gelf_fsize elfutils.gelf_fsize
#define gelf_getehdr elfutils.gelf_getehdr
#define gelf_getphdr elfutils.gelf_getphdr
#define gelf_getshdr elfutils.gelf_getshdr
#define gelf_getsym elfutils.gelf_getsym
#define dwarf_attr elfutils.dwarf_attr
#define dwarf_attr_integrate elfutils.dwarf_attr_integrate
#define dwarf_begin_elf elfutils.dwarf_begin_elf
#define dwarf_child elfutils.dwarf_child
#define dwarf_cu_getdwarf elfutils.dwarf_cu_getdwarf
#define dwarf_cu_info elfutils.dwarf_cu_info
#define dwarf_cuoffset elfutils.dwarf_cuoffset
#define dwarf_decl_line elfutils.dwarf_decl_line
#define dwarf_dieoffset elfutils.dwarf_dieoffset
#define dwarf_end elfutils.dwarf_end
#define dwarf_errmsg elfutils.dwarf_errmsg
#define dwarf_filesrc elfutils.dwarf_filesrc
#define dwarf_formstring elfutils.dwarf_formstring
#define dwarf_formudata elfutils.dwarf_formudata
#define dwarf_get_units elfutils.dwarf_get_units
#define dwarf_getattrs elfutils.dwarf_getattrs
#define dwarf_getsrcfiles elfutils.dwarf_getsrcfiles
#define dwarf_getsrclines elfutils.dwarf_getsrclines
#define dwarf_haschildren elfutils.dwarf_haschildren
#define dwarf_line_file elfutils.dwarf_line_file
#define dwarf_lineaddr elfutils.dwarf_lineaddr
#define dwarf_linecol elfutils.dwarf_linecol
#define dwarf_lineendsequence elfutils.dwarf_lineendsequence
#define dwarf_lineno elfutils.dwarf_lineno
#define dwarf_nextcu elfutils.dwarf_nextcu
#define dwarf_offdie elfutils.dwarf_offdie
#define dwarf_onesrcline elfutils.dwarf_onesrcline
#define dwarf_ranges elfutils.dwarf_ranges
#define dwarf_setalt elfutils.dwarf_setalt
#define dwarf_siblingof elfutils.dwarf_siblingof
#define dwarf_srclang elfutils.dwarf_srclang
#define dwarf_tag elfutils.dwarf_tag
#define lzma_code elfutils.lzma_code
#define lzma_end elfutils.lzma_end
#define lzma_stream_decoder elfutils.lzma_stream_decoder
#endif

#endif

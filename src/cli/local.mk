# src/cli - argv in, exit status out: the program

bin_PROGRAMS += src/cpa
src_cpa_LDADD = viewers/text/libtext.a viewers/json/libjson.a viewers/export/libexport.a $(session_libs)
src_cpa_SOURCES = \
	src/cli/args.c \
	src/cli/args.h \
	src/cli/cmd.h \
	src/cli/cmd_completion.c \
	src/cli/cmd_help.c \
	src/cli/cmd_report.c \
	src/cli/main.c \
	src/cli/say.c \
	src/cli/say.h

# src/cli - argv in, exit status out: the program

bin_PROGRAMS += src/cpa
src_cpa_LDADD = viewers/ci/libci.a viewers/shell/libshell.a viewers/html/libhtml.a viewers/svg/libsvg.a viewers/xml/libxml.a viewers/pdf/libpdf.a viewers/flame/libflame.a viewers/text/libtext.a viewers/json/libjson.a viewers/export/libexport.a $(endpoint_libs) $(collector_libs) $(gate_libs) $(session_libs)
src_cpa_SOURCES = \
	src/cli/answer.c \
	src/cli/answer.h \
	src/cli/args.c \
	src/cli/args.h \
	src/cli/asking.c \
	src/cli/asking.h \
	src/cli/cmd.h \
	src/cli/cmd_completion.c \
	src/cli/cmd_diff.c \
	src/cli/cmd_gate.c \
	src/cli/cmd_help.c \
	src/cli/cmd_record.c \
	src/cli/cmd_report.c \
	src/cli/cmd_report.h \
	src/cli/cmd_run.c \
	src/cli/cmd_snapshot.c \
	src/cli/cmd_threads.c \
	src/cli/cmd_trend.c \
	src/cli/edit.c \
	src/cli/edit.h \
	src/cli/fetching.c \
	src/cli/fetching.h \
	src/cli/flame.c \
	src/cli/flame.h \
	src/cli/gate.h \
	src/cli/gate_flame.c \
	src/cli/gate_self.c \
	src/cli/gate_write.c \
	src/cli/loading.c \
	src/cli/loading.h \
	src/cli/main.c \
	src/cli/naming.c \
	src/cli/naming.h \
	src/cli/open.c \
	src/cli/open.h \
	src/cli/pair.c \
	src/cli/pair.h \
	src/cli/picture.c \
	src/cli/picture.h \
	src/cli/pieces.c \
	src/cli/pieces.h \
	src/cli/program.c \
	src/cli/program.h \
	src/cli/program_elf.c \
	src/cli/program_elf.h \
	src/cli/run.c \
	src/cli/run.h \
	src/cli/run_env.c \
	src/cli/run_files.c \
	src/cli/run_names.c \
	src/cli/run_names.h \
	src/cli/run_options.c \
	src/cli/run_options.h \
	src/cli/run_profile.c \
	src/cli/run_serve.c \
	src/cli/run_serve.h \
	src/cli/run_tables.c \
	src/cli/run_tables.h \
	src/cli/save.c \
	src/cli/save.h \
	src/cli/say.c \
	src/cli/say.h \
	src/cli/screen.c \
	src/cli/screen.h \
	src/cli/shell.c \
	src/cli/shell_editor.c \
	src/cli/shell_editor.h \
	src/cli/shell_help.c \
	src/cli/shell_help.h \
	src/cli/shell_history.c \
	src/cli/shell_history.h \
	src/cli/shell_list.c \
	src/cli/shell_list.h \
	src/cli/shell_report.c \
	src/cli/shell_report.h \
	src/cli/snap_names.c \
	src/cli/snap_names.h \
	src/cli/snapshot.h \
	src/cli/snapshot_check.c \
	src/cli/snapshot_fetch.c \
	src/cli/snapshot_write.c \
	src/cli/subject.c \
	src/cli/subject.h \
	src/cli/threads_dump.c \
	src/cli/threads_dump.h \
	src/cli/threads_lines.c \
	src/cli/threads_lines.h \
	src/cli/threads_text.c \
	src/cli/threads_text.h

# The completions come out of the program itself, where each shell looks for them.
completions = bash-completion/completions/cpa zsh/site-functions/_cpa fish/vendor_completions.d/cpa.fish

install-data-local: src/cpa
	@for file in $(completions); do \
		echo " completion $${file%%[-/]*} > '$(DESTDIR)$(datadir)/$$file'"; \
		$(MKDIR_P) "$(DESTDIR)$(datadir)/$${file%/*}" || exit 1; \
		src/cpa completion "$${file%%[-/]*}" > "$(DESTDIR)$(datadir)/$$file" || exit 1; \
	done

uninstall-local:
	for file in $(completions); do rm -f "$(DESTDIR)$(datadir)/$$file"; done

# src/cli - the program: from argv to the exit status

bin_PROGRAMS += src/cpa
if WITH_WEB
web_part = viewers/web/libweb.a
endif
if WITH_COLLECT
collect_part = src/scrape/libscrape.a
endif
if WITH_HTTPD
httpd_part = src/httpd/libhttpd.a
endif
src_cpa_LDADD = $(web_part) $(collect_part) $(httpd_part) viewers/shell/libshell.a viewers/ci/libci.a src/session/libsession.a src/snapshot/libsnapshot.a $(answer_libs)
src_cpa_SOURCES = \
	src/cli/args.c \
	src/cli/args.h \
	src/cli/cmd.h \
	src/cli/complete.c \
	src/cli/complete.h \
	src/cli/completion.c \
	src/cli/help.c \
	src/cli/help_text.c \
	src/cli/help_text.h \
	src/cli/hints.c \
	src/cli/hints.h \
	src/cli/http_options.c \
	src/cli/http_options.h \
	src/cli/interrupt.c \
	src/cli/interrupt.h \
	src/cli/main.c \
	src/cli/messages.c \
	src/cli/messages.h \
	src/cli/pager.c \
	src/cli/pager.h \
	src/cli/version.c

include src/cli/collect/local.mk
include src/cli/gate/local.mk
include src/cli/report/local.mk
include src/cli/run/local.mk
include src/cli/shell/local.mk
include src/cli/store/local.mk
include src/cli/snapshot/local.mk
include src/cli/threads/local.mk
include src/cli/web/local.mk

# The program itself prints the completions, which are installed where each shell looks for them.
completions = bash-completion/completions/cpa zsh/site-functions/_cpa fish/vendor_completions.d/cpa.fish

install-data-local: src/cpa
	@for file in $(completions); do \
		echo " completion $${file%%[-/]*} > '$(DESTDIR)$(datadir)/$$file'"; \
		$(MKDIR_P) "$(DESTDIR)$(datadir)/$${file%/*}" || exit 1; \
		src/cpa completion "$${file%%[-/]*}" > "$(DESTDIR)$(datadir)/$$file" || exit 1; \
	done

uninstall-local: uninstall-completions
uninstall-completions:
	for file in $(completions); do rm -f "$(DESTDIR)$(datadir)/$$file"; done
.PHONY: uninstall-completions

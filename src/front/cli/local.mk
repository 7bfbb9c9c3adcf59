# src/front/cli - the program: from argv to the exit status

bin_PROGRAMS += src/cpa
if WITH_WEB
web_part = src/front/web/libweb.a
endif
if WITH_COLLECT
collect_part = src/front/grafana/libgrafana.a src/scrape/libscrape.a
endif
if WITH_HTTPD
httpd_part = src/httpd/libhttpd.a
endif
src_cpa_LDADD = $(web_part) $(collect_part) src/sinks/libsinks.a $(httpd_part) src/front/shell/libshell.a viewers/ci/libci.a src/session/libsession.a src/snapshot/libsnapshot.a src/watch/libwatch.a src/doctor/libdoctor.a $(answer_libs)
src_cpa_SOURCES = \
	src/front/cli/args.c \
	src/front/cli/args.h \
	src/front/cli/cmd.h \
	src/front/cli/complete.c \
	src/front/cli/complete.h \
	src/front/cli/completion.c \
	src/front/cli/help.c \
	src/front/cli/help_text.c \
	src/front/cli/help_text.h \
	src/front/cli/hints.c \
	src/front/cli/hints.h \
	src/front/cli/http_options.c \
	src/front/cli/http_options.h \
	src/front/cli/interrupt.c \
	src/front/cli/interrupt.h \
	src/front/cli/main.c \
	src/front/cli/messages.c \
	src/front/cli/messages.h \
	src/front/cli/pager.c \
	src/front/cli/pager.h \
	src/front/cli/version.c

include src/front/cli/collect/local.mk
include src/front/cli/doctor/local.mk
include src/front/cli/gate/local.mk
include src/front/cli/push/local.mk
include src/front/cli/report/local.mk
include src/front/cli/run/local.mk
include src/front/cli/shell/local.mk
include src/front/cli/store/local.mk
include src/front/cli/snapshot/local.mk
include src/front/cli/threads/local.mk
include src/front/cli/watch/local.mk
include src/front/cli/web/local.mk

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

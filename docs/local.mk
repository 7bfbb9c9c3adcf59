# docs - pages for users and for those who change cpa

dist_man_MANS += \
	docs/man/cpa-anonymize.1 \
	docs/man/cpa-collect.1 \
	docs/man/cpa-diff.1 \
	docs/man/cpa-doctor.1 \
	docs/man/cpa-flame.1 \
	docs/man/cpa-gate.1 \
	docs/man/cpa-gate.5 \
	docs/man/cpa-labels.1 \
	docs/man/cpa-profiler.3 \
	docs/man/cpa-push.1 \
	docs/man/cpa-record.1 \
	docs/man/cpa-report.5 \
	docs/man/cpa-run.1 \
	docs/man/cpa-shell.7 \
	docs/man/cpa-snapshot.1 \
	docs/man/cpa-sources.7 \
	docs/man/cpa-store.1 \
	docs/man/cpa-threads.1 \
	docs/man/cpa-watch.1 \
	docs/man/cpa-web.1 \
	docs/man/cpa.1 \
	docs/man/collect.cpa.5
schemadir = $(pkgdatadir)
dist_schema_DATA = docs/schema/collect-status.schema.json docs/schema/doctor.schema.json docs/schema/gate.schema.json docs/schema/report.schema.json docs/schema/snapshot.schema.json docs/schema/watch.schema.json
EXTRA_DIST += COPYING NEWS.md README.md docs examples

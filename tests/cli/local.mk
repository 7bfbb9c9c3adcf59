# tests/cli - shell scripts that run cpa and compare its output with golden files
#
# List a new test here. lib.sh and the golden files are distributed with the folder.

cli_tests = \
	tests/cli/t100-top.t \
	tests/cli/t105-binaries.t \
	tests/cli/t110-arguments.t \
	tests/cli/t115-help.t \
	tests/cli/t120-bad-input.t \
	tests/cli/t130-sources.t \
	tests/cli/t132-completion.t \
	tests/cli/t140-filters.t \
	tests/cli/t145-calls.t \
	tests/cli/t150-compare.t \
	tests/cli/t155-merge.t \
	tests/cli/t160-exports.t \
	tests/cli/t170-diff.t \
	tests/cli/t175-trend.t \
	tests/cli/t180-labels.t \
	tests/cli/t185-formats.t \
	tests/cli/t190-pictures.t \
	tests/cli/t195-hostile.t \
	tests/cli/t200-fetch.t \
	tests/cli/t202-list.t \
	tests/cli/t205-tls.t \
	tests/cli/t210-interrupt.t \
	tests/cli/t215-binaries.t \
	tests/cli/t217-symbolz.t \
	tests/cli/t220-disasm.t \
	tests/cli/t225-weblist.t \
	tests/cli/t230-names.t \
	tests/cli/t235-flame.t \
	tests/cli/t240-flame-svg.t \
	tests/cli/t245-flame-pdf.t \
	tests/cli/t250-flame-html.t \
	tests/cli/t260-shell.t \
	tests/cli/t265-prompt.t \
	tests/cli/t280-gate.t \
	tests/cli/t285-gate-ci.t \
	tests/cli/t286-gate-error.t \
	tests/cli/t287-gate-json.t \
	tests/cli/t288-gate-counts.t \
	tests/cli/t290-snapshot.t \
	tests/cli/t295-stacks.t \
	tests/cli/t297-pid.t \
	tests/cli/t641-habits.t \
	tests/cli/t645-mistakes.t \
	tests/cli/t661-pager.t \
	tests/cli/t621-one-build-id.t \
	tests/cli/t622-served-names.t \
	tests/cli/t623-leaked.t \
	tests/cli/t305-web-graph.t \
	tests/cli/t298-web-files.t \
	tests/cli/t395-web-stop.t \
	tests/cli/t330-web-profiles.t \
	tests/cli/t335-web-configs.t \
	tests/cli/t360-collect-plan.t \
	tests/cli/t362-collect-names.t \
	tests/cli/t364-collect-hostile.t \
	tests/cli/t340-stored.t \
	tests/cli/t345-stored-runs.t \
	tests/cli/t350-series.t \
	tests/cli/t352-stored-server.t \
	tests/cli/t388-store-damage.t \
	tests/cli/t389-store-kill.t \
	tests/cli/t354-over-time.t \
	tests/cli/t356-one-number.t \
	tests/cli/t390-store.t \
	tests/cli/t391-store-collector.t \
	tests/cli/t392-young-store.t \
	tests/cli/t393-collect-state.t \
	tests/cli/t394-quota.t \
	tests/cli/t396-flame-join.t \
	tests/cli/t306-web-source.t \
	tests/cli/t310-web-files.t \
	tests/cli/t312-web-clients.t \
	tests/cli/t314-web-routes.t \
	tests/cli/t316-web-memory.t \
	tests/cli/t320-web-requests.t \
	tests/cli/t321-web-sides.t \
	tests/cli/t370-collect.t \
	tests/cli/t374-push.t \
	tests/cli/t375-push-labels.t \
	tests/cli/t376-push-kinds.t \
	tests/cli/t377-push-access.t \
	tests/cli/t378-store-modes.t \
	tests/cli/t710-web-access.t \
	tests/cli/t720-version.t \
	tests/cli/t725-action.t \
	tests/cli/t900-readme.t

TESTS += $(cli_tests)
EXTRA_DIST += $(cli_tests) tests/cli/asm.sh tests/cli/collect.sh tests/cli/collect_client.py tests/cli/flame_page.py tests/cli/flame_join.py \
	tests/cli/flame_sides.py tests/cli/gate.sh tests/cli/gate_ci.py tests/cli/gate_profile.py tests/cli/junit.xsd tests/cli/lib.sh tests/cli/mistakes.txt tests/cli/store_kills.py tests/cli/stored_profiles.py tests/cli/page.sh tests/cli/picture.py tests/cli/one_number.py tests/cli/snapshots.py tests/cli/make_profile.py tests/cli/fail_alloc.c tests/cli/large_output.py \
	tests/cli/server.sh tests/cli/server.py tests/cli/dns_server.py tests/cli/hostile_targets.py tests/cli/profile_server.py tests/cli/retime.py tests/cli/snapshot_server.py tests/cli/terminal.py tests/cli/page.py tests/cli/web_requests.py tests/cli/web_access.py tests/cli/keystrokes.py tests/cli/golden tests/cli/sarif.schema.json tests/cli/web_routes.py \
EXTRA_DIST += $(cli_tests) tests/cli/asm.sh tests/cli/workflow.py tests/cli/collect.sh tests/cli/collect_client.py tests/cli/flame_page.py tests/cli/flame_join.py \
	tests/cli/flame_sides.py tests/cli/gate.sh tests/cli/gate_ci.py tests/cli/gate_profile.py tests/cli/junit.xsd tests/cli/lib.sh tests/cli/store_kills.py tests/cli/stored_profiles.py tests/cli/page.sh tests/cli/picture.py tests/cli/one_number.py tests/cli/snapshots.py tests/cli/make_profile.py tests/cli/fail_alloc.c tests/cli/large_output.py \
	tests/cli/server.sh tests/cli/server.py tests/cli/dns_server.py tests/cli/hostile_targets.py tests/cli/profile_server.py tests/cli/retime.py tests/cli/snapshot_server.py tests/cli/terminal.py tests/cli/web_requests.py tests/cli/web_access.py tests/cli/keystrokes.py tests/cli/golden tests/cli/sarif.schema.json tests/cli/web_routes.py \
	tests/cli/speedscope.schema.json

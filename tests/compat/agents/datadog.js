// datadog.js - a program that pushes every kind of profile of dd-trace
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: node datadog.js URL SERVICE SECONDS     in the folder with node_modules
const [url, service, seconds] = process.argv.slice(2);
Object.assign(process.env, {
	DD_PROFILING_ENABLED: 'true', DD_PROFILING_UPLOAD_PERIOD: '5', DD_TRACE_ENABLED: 'true', DD_ENV: 'test',
	DD_VERSION: '1.2.3', DD_TAGS: 'region:eu', DD_TRACE_AGENT_URL: url, DD_SERVICE: service,
	DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false', DD_REMOTE_CONFIGURATION_ENABLED: 'false',
});
require(require.resolve('dd-trace', { paths: [process.cwd()] })).init();
const until = Date.now() + 1000 * Number(seconds);
let kept = [];

function work() {
	let sum = 0;

	for (let i = 0; i < 3e6; i++)
		sum += i % 7;
	kept.push(new Array(10000).fill(sum));
	if (kept.length > 50)
		kept = kept.slice(25);
}

function step() {
	if (Date.now() > until)
		return setTimeout(() => process.exit(0), 3000);
	work();
	return setTimeout(step, 5);
}
step();

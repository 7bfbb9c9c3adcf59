// agent.js - a program that pushes every kind of profile of @pyroscope/nodejs
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: node agent.js URL SERVICE SECONDS     in the folder with node_modules
const Pyroscope = require(require.resolve('@pyroscope/nodejs', { paths: [process.cwd()] }));
const [url, appName, seconds] = process.argv.slice(2);
const until = Date.now() + 1000 * Number(seconds);
let kept = [];

Pyroscope.init({
	appName,
	serverAddress: url,
	flushIntervalMs: 5000,
	tags: { hostname: 'js-host', region: 'eu' },
	wall: { collectCpuTime: true, samplingDurationMs: 5000 },
	heap: { samplingIntervalBytes: 16384 },
});
Pyroscope.start();

function work() {
	let sum = 0;

	for (let i = 0; i < 3e6; i++)
		sum += i % 7;
	kept.push(new Array(10000).fill(sum));
	if (kept.length > 50)
		kept = kept.slice(25);
}

function step(n) {
	if (Date.now() > until)
		return Pyroscope.stop().then(() => setTimeout(() => process.exit(0), 1000));
	Pyroscope.wrapWithLabels({ controller: 'c' + (n % 3) }, work);
	return setTimeout(step, 5, n + 1);
}
step(0);

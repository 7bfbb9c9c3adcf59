// SPDX-License-Identifier: Apache-2.0
// ledger.js - keeps books under @datadog/pprof: wall clock with contexts as labels, then heap.
// usage: node ledger.js FOLDER     writes node-wall.pb.gz and node-heap.pb.gz
'use strict';
const { createHash } = require('crypto');
const fs = require('fs');
const path = require('path');
const pprof = require('@datadog/pprof');

class Account {
  constructor(name) {
    this.name = name;
    this.lines = [];
  }
  post(line) {
    this.lines.push({ ...line, stamp: createHash('sha1').update(JSON.stringify(line)).digest('hex') });
  }
  get balance() {
    return this.lines.reduce((sum, l) => sum + l.cents, 0);
  }
}

class Ledger {
  constructor() {
    this.accounts = new Map();
  }
  account(name) {
    if (!this.accounts.has(name)) this.accounts.set(name, new Account(name));
    return this.accounts.get(name);
  }
  // one line of text into two postings
  enter(text) {
    const m = /^(\d{4})-(\d\d)-(\d\d) +(\S+) +(\S+) +(-?\d+)$/.exec(text);
    if (!m) throw new Error(`not a line: ${text}`);
    const [, year, month, day, from, to, cents] = m;
    this.account(from).post({ year, month, day, cents: -cents, other: to });
    this.account(to).post({ year, month, day, cents: +cents, other: from });
  }
}

// Find lines that add up to a sum: plain recursion over take it or leave it.
function match(cents, left, at = 0) {
  if (left === 0) return [];
  if (at === cents.length) return null;
  const taken = match(cents, left - cents[at], at + 1);
  return taken ? [cents[at], ...taken] : match(cents, left, at + 1);
}

function* days(n) {
  for (let i = 0; i < n; i++) {
    const month = String(1 + (i % 12)).padStart(2, '0');
    yield `2024-${month}-${String(1 + (i % 28)).padStart(2, '0')} shop${i % 40} till${i % 7} ${(i * 7919) % 50000}`;
  }
}

function importBooks() {
  const ledger = new Ledger();
  for (const line of days(4000)) ledger.enter(line);
  return ledger;
}

function reconcile() {
  const cents = Array.from({ length: 19 }, (_, i) => 100 + ((i * 331) % 900));
  return match(cents, -1);
}

const report = (ledger) => {
  const byName = (a, b) => a.name.localeCompare(b.name);
  return [...ledger.accounts.values()].sort(byName).map((a) => `${a.name} ${a.balance}`).join('\n');
};

const turn = () => new Promise(setImmediate);
const rest = (ms) => new Promise((done) => setTimeout(done, ms));

async function wall(file) {
  let ledger = importBooks();
  pprof.time.start({ intervalMicros: 5000, durationMillis: 10000,
    columnNumbers: 'emit', withContexts: true, collectCpuTime: true });
  const jobs = [
    ['import', 'acme', () => (ledger = importBooks())],
    ['reconcile', 'acme', reconcile],
    ['report', 'zebra', () => { for (let i = 0; i < 20; i++) report(ledger); }],
  ];
  for (const end = Date.now() + 3000; Date.now() < end;) {
    for (const [job, tenant, run] of jobs) {
      pprof.time.setContext({ job, tenant });
      run();
      await turn();
    }
    pprof.time.setContext({ job: 'rest' });
    await rest(20);
  }
  const labels = ({ context }) => ({ ...(context && context.context) });
  const profile = pprof.time.stop(false, labels);
  fs.writeFileSync(file, await pprof.encode(profile));
}

async function heap(file) {
  const kept = [];
  pprof.heap.start(64 * 1024, 64);
  for (let i = 0; i < 4; i++) {
    kept.push(importBooks());
    kept.push(Buffer.from(report(kept[kept.length - 1])));
    await turn();
  }
  fs.writeFileSync(file, await pprof.encode(pprof.heap.profile()));
  pprof.heap.stop();
  return kept.length;
}

(async () => {
  const dir = process.argv[2];
  await wall(path.join(dir, 'node-wall.pb.gz'));
  await heap(path.join(dir, 'node-heap.pb.gz'));
})();

// mill.js - a program for profiles of V8; README.md has the commands
// SPDX-License-Identifier: Apache-2.0
'use strict'

function sift(n) {
  let sum = 0
  for (let i = 1; i < n; i++)
    sum += (i * 2654435761) % 97
  return sum
}

const mill = {
  grind(depth) {
    return depth === 0 ? sift(200000) : mill.grind(depth - 1)
  },
  sort() {
    return Array.from({ length: 20000 }, (_, i) => (i * 7919) % 20011).sort((a, b) => a - b).length
  }
}

const kept = []
function store(n) {
  for (let i = 0; i < n; i++)
    kept.push(new Array(200).fill(i))
  return kept.length
}

const end = Date.now() + 150
while (Date.now() < end) {
  mill.grind(6)
  mill.sort()
  store(20)
}
process.on('exit', () => kept.length)

# rt_attach.py - cost of sampling a running process from outside, for the process and for cpa
# SPDX-License-Identifier: Apache-2.0

import os
import re
import subprocess

from rt_tools import in_turn, median, ratios, spread

MILLIONS = '3000'  # about 2 s of CPU time


def cpu_of(process):
    """CPU seconds of a child that ends."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def fixed_work(b, options):
    """CPU seconds of a fixed amount of work, while it is sampled; options None: not sampled."""
    argv = [os.path.join(b.bin, 'rt_load'), 'count', MILLIONS]
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as p:
        if options is None:
            return {'cpu': cpu_of(p), 'own': 0, 'complete': None}
        command = [b.cpa, 'record', '-p', str(p.pid), '--top=0', '-o', b.path('attach.pb.gz'), *options]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as cpa:
            cpu = cpu_of(p)
            message = cpa.stderr.read()
            own = cpu_of(cpa)
    complete = re.search(r'([\d.]+) % complete', message)
    return {'cpu': cpu, 'own': own, 'complete': float(complete.group(1)) if complete else None}


def attach(b, rounds):
    """A fixed amount of work, alone and sampled."""
    turns = {'alone': lambda: fixed_work(b, None)}
    for name, options in (('100 Hz', ['--hz=100']), ('1000 Hz', ['--hz=1000']), ('wall-clock time', ['--wall'])):
        turns[name] = lambda options=options: fixed_work(b, options)
    found = in_turn(rounds, turns)
    cpu = {k: [v['cpu'] for v in values] for k, values in found.items()}
    ratio = ratios(cpu, 'alone')
    rows = []
    for name, values in found.items():
        complete = [v['complete'] for v in values if v['complete'] is not None]
        rows.append((name, f'{median(cpu[name]):.3f}', f'{ratio[name]:.4f}', f'{1000 * median([v["own"] for v in values]):.0f}',
                     f'{median(complete):.1f} %' if complete else '-'))
    b.table('A running process sampled by `cpa record -p`', ['', 'its CPU time, s', 'ratio', 'CPU time of cpa, ms', 'complete stacks'], rows)
    b.judge('sampling a running process at 100 Hz takes at most 2 % of its CPU time', ratio['100 Hz'] - 1, 0.02,
            spread(cpu['alone']), f'{100 * (ratio["100 Hz"] - 1):+.2f} %')

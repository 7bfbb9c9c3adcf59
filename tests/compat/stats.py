"""stats.py - compare the distributions of engine/stats with SciPy, on random arguments

SPDX-License-Identifier: Apache-2.0

usage: stats.py STATS_DUMP WHAT     prints what differs; exits 1 when something does, 77 without SciPy
"""
import math
import random
import subprocess
import sys

try:
    from scipy import optimize, special, stats
except ImportError:
    sys.exit(77)

CASES = 1000


def log_uniform(r, lo, hi):
    return math.exp(r.uniform(math.log(lo), math.log(hi)))


def odds_near(r, kb, kn):
    """Random odds at which usually neither tail underflows."""
    spread = math.sqrt(1 / (kb + 1) + 1 / (kn + 1))
    return (kn + 0.5) / (kb + 0.5) * math.exp(r.uniform(-8, 8) * spread)


def mid_p(kb, kn, odds):
    """For integer counts by binomials (Boost), else by SciPy's own incomplete beta function."""
    x, n = odds / (1 + odds), kb + kn
    if kb == int(kb) and kn == int(kn):
        return stats.binom.sf(kn, n, x) + 0.5 * stats.binom.pmf(kn, n, x)
    return 0.5 * (special.betainc(kn, kb + 1, x) + special.betainc(kn + 1, kb, x))


def exact(r):
    """The test with equality counted in full, by binomials."""
    kb, kn = float(round(log_uniform(r, 1, 4e5))), float(round(log_uniform(r, 1, 4e5)))
    rho, odds = r.uniform(0.2, 5), odds_near(r, kb, kn)
    return [kb, kn, rho, odds / rho], stats.binom.sf(kn - 1, kb + kn, odds / (1 + odds))


def ratio(r, most, whole):
    kb, kn = log_uniform(r, 0.5, most), log_uniform(r, 0.5, most)
    if whole:
        kb, kn = float(round(kb)), float(round(kn))
    rho, odds = r.uniform(0.2, 5), odds_near(r, kb, kn)
    return [kb, kn, rho, odds / rho], mid_p(kb, kn, odds)


def interval(r, want):
    kb, kn = float(r.randint(1, 2000)), float(r.randint(1, 2000))
    rho, tail = r.uniform(0.2, 5), log_uniform(r, 1e-3, 0.3)
    p = tail if want == "lo" else 1 - tail
    at = optimize.brentq(lambda u: mid_p(kb, kn, math.exp(u)) - p, -60, 60, xtol=1e-13, rtol=1e-13)
    return [kb, kn, rho, tail], math.exp(at) / rho


def beta(r, most):
    # For a count below 0.1 and one of thousands, SciPy 1.10 is off by up to 1e-4; mpmath agrees with us.
    a, b = log_uniform(r, 0.1, most), log_uniform(r, 0.1, most)
    odds = odds_near(r, b, a)
    x = odds / (1 + odds)
    return [x, a, b], special.betainc(a, b, x)


def t_quantile(p, nu):
    """By SciPy's tail, since its quantile is sometimes off by 1e-8."""
    near_it = stats.t.isf(p, nu)
    ends = sorted((near_it * 0.999, near_it * 1.001))
    return optimize.brentq(lambda t: stats.t.sf(t, nu) / p - 1, *ends, xtol=1e-15, rtol=1e-14)


def one(draw, f):
    def case(r):
        x = draw(r)
        return [x], f(x)

    return case


def two(draw, nu, f):
    def case(r):
        x, df = draw(r), log_uniform(r, *nu)
        return [x, df], f(x, df)

    return case


# The function in stats_dump, a random call with SciPy's result, and the tolerance.
ASKED = {
    "whole counts below a million": ("ratio_p", lambda r: ratio(r, 4e5, True), 1e-9),
    "counts that are no integers": ("ratio_p", lambda r: ratio(r, 1e4, False), 1e-9),
    "counts with equality in full": ("ratio_p_exact", exact, 1e-9),
    "lower ends of intervals": ("interval_lo", lambda r: interval(r, "lo"), 1e-9),
    "upper ends of intervals": ("interval_hi", lambda r: interval(r, "hi"), 1e-9),
    "the incomplete beta function": ("beta", lambda r: beta(r, 1e4), 1e-9),
    "normal tails": ("normal_tail", one(lambda r: r.uniform(-8, 37), stats.norm.sf), 1e-12),
    "normal quantiles": ("normal_quantile", one(lambda r: log_uniform(r, 1e-300, 1), stats.norm.isf), 1e-12),
    "Student's tails": ("t_tail", two(lambda r: r.uniform(-10, 40), (1, 1e6), stats.t.sf), 1e-9),
    "Student's quantiles": ("t_quantile", two(lambda r: log_uniform(r, 1e-20, 1), (1, 1e4), t_quantile), 1e-9),
    "p-values of Student for normal ones": (
        "p_to_t",
        two(lambda r: log_uniform(r, 1e-30, 1), (2, 300), lambda p, nu: stats.t.sf(stats.norm.isf(p), nu)),
        1e-9,
    ),
}


def near(got, want, relative):
    return abs(got - want) <= relative * abs(want) + 1e-290


def main(dump, what):
    name, make, relative = ASKED[what]
    r = random.Random(f"stats {what}")
    cases = [make(r) for _ in range(CASES)]
    lines = "".join(f"{name} {' '.join(repr(float(v)) for v in args)}\n" for args, _ in cases)
    said = subprocess.run([dump], input=lines, capture_output=True, text=True, check=True).stdout.split()
    wrong = [(a, w, s) for (a, w), s in zip(cases, said, strict=True) if not near(float(s), w, relative)]
    for args, want, got in wrong[:10]:
        print(f"{name} {args}: {got}, SciPy says {want!r}")
    print(f"{len(wrong)} of {len(cases)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print("\n".join(ASKED))
    else:
        sys.exit(main(*sys.argv[1:]))

// SPDX-License-Identifier: Apache-2.0
//! Tally counts ballots by three rules on two threads while pprof-rs samples it at 250 Hz.
//! usage: tally FILE

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::fs::File;
use std::hash::Hash;
use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use pprof::protos::Message;

/// One voter's order of preference.
#[derive(Clone, Debug)]
struct Ballot<C> {
    ranks: Vec<C>,
}

/// A way to find the winner.
trait Rule<C> {
    fn winner(&self, ballots: &[Ballot<C>]) -> Option<C>;
}

struct Plurality;
struct Runoff {
    depth: usize,
}
struct Borda<W: Fn(usize) -> u64> {
    weight: W,
}

impl<C: Copy + Eq + Hash + Ord> Rule<C> for Plurality {
    fn winner(&self, ballots: &[Ballot<C>]) -> Option<C> {
        let mut count: HashMap<C, u64> = HashMap::new();
        for b in ballots {
            if let Some(&c) = b.ranks.first() {
                *count.entry(c).or_default() += 1;
            }
        }
        count
            .into_iter()
            .max_by_key(|&(c, n)| (n, c))
            .map(|(c, _)| c)
    }
}

impl<C: Copy + Eq + Hash + Ord + Debug> Rule<C> for Runoff {
    /// Takes out the last one and calls itself: one frame per round.
    fn winner(&self, ballots: &[Ballot<C>]) -> Option<C> {
        let mut count: BTreeMap<C, usize> = BTreeMap::new();
        for b in ballots {
            for (i, &c) in b.ranks.iter().enumerate() {
                *count.entry(c).or_default() += usize::from(i == 0);
            }
        }
        let (&best, &most) = count.iter().max_by_key(|(_, &n)| n)?;
        if most * 2 > ballots.len() || self.depth == 0 {
            return Some(best);
        }
        let (&last, _) = count.iter().min_by_key(|(_, &n)| n)?;
        let fewer: Vec<Ballot<C>> = ballots.iter().map(|b| without(b, last)).collect();
        Runoff {
            depth: self.depth - 1,
        }
        .winner(&fewer)
    }
}

impl<C: Copy + Eq + Hash + Ord, W: Fn(usize) -> u64> Rule<C> for Borda<W> {
    fn winner(&self, ballots: &[Ballot<C>]) -> Option<C> {
        let mut count: HashMap<C, u64> = HashMap::new();
        for b in ballots {
            for (i, &c) in b.ranks.iter().enumerate() {
                *count.entry(c).or_default() += (self.weight)(i);
            }
        }
        let mut order: Vec<(u64, C)> = count.into_iter().map(|(c, n)| (n, c)).collect();
        order.sort_unstable();
        order.pop().map(|(_, c)| c)
    }
}

fn without<C: Copy + Eq>(b: &Ballot<C>, gone: C) -> Ballot<C> {
    Ballot {
        ranks: b.ranks.iter().copied().filter(|&c| c != gone).collect(),
    }
}

/// Ballots from a small generator; `make` turns a number into a candidate.
fn draw<C, F: Fn(u32) -> C>(n: usize, candidates: u32, make: F) -> Vec<Ballot<C>> {
    let mut seed = 2463534242u32;
    let mut next = move || {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        seed
    };
    (0..n)
        .map(|_| {
            let mut left: Vec<u32> = (0..candidates).collect();
            let mut ranks = Vec::new();
            while !left.is_empty() {
                let at = next() as usize % left.len();
                ranks.push(make(left.swap_remove(at)));
            }
            Ballot { ranks }
        })
        .collect()
}

fn elect<C: Copy + Debug>(
    rules: &[Box<dyn Rule<C>>],
    ballots: &[Ballot<C>],
    until: Instant,
) -> usize {
    let mut rounds = 0;
    while Instant::now() < until {
        for r in rules {
            std::hint::black_box(r.winner(ballots));
        }
        rounds += 1;
    }
    rounds
}

fn rules<C: Copy + Eq + Hash + Ord + Debug + 'static>(top: u64) -> Vec<Box<dyn Rule<C>>> {
    vec![
        Box::new(Plurality),
        Box::new(Runoff { depth: 6 }),
        Box::new(Borda {
            weight: move |i| top.saturating_sub(i as u64),
        }),
    ]
}

fn main() {
    let path = std::env::args().nth(1).expect("usage: tally FILE");
    let guard = pprof::ProfilerGuardBuilder::default()
        .frequency(250)
        .build()
        .expect("profiler");
    let until = Instant::now() + Duration::from_secs(3);
    let a = thread::Builder::new().name("numbers".into());
    let b = thread::Builder::new().name("names".into());
    let a = a
        .spawn(move || elect(&rules::<u32>(9), &draw(900, 9, |n| n), until))
        .unwrap();
    let b = b
        .spawn(move || {
            elect(
                &rules::<(char, u8)>(7),
                &draw(700, 7, |n| ((b'a' + n as u8) as char, n as u8)),
                until,
            )
        })
        .unwrap();
    println!("{} + {} rounds", a.join().unwrap(), b.join().unwrap());

    let report = guard.report().build().expect("report");
    let mut bytes = Vec::new();
    report
        .pprof()
        .expect("pprof")
        .encode(&mut bytes)
        .expect("encode");
    File::create(&path)
        .and_then(|mut f| f.write_all(&bytes))
        .expect("write");
}

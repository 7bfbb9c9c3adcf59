// frames.rs - program with traits, closures, generics and nested functions, for frames.t
// SPDX-License-Identifier: Apache-2.0
use std::collections::{BTreeMap, HashMap};
trait Shape { fn area(&self) -> f64; }
struct Sq(f64); impl Shape for Sq { fn area(&self) -> f64 { fn nested(x: f64) -> f64 { x * x } nested(self.0) } }
fn work<T: Clone + std::fmt::Debug>(v: &[T]) -> String { v.iter().map(|x| format!("{:?}", x.clone())).collect::<Vec<_>>().join(",") }
fn main() {
    let mut m = HashMap::new(); let mut b = BTreeMap::new();
    for i in 0..1000u64 { m.insert(i, format!("{}", i)); b.insert(format!("k{}", i), i); }
    let mut v: Vec<u64> = m.keys().cloned().collect(); v.sort_by(|a, b| b.cmp(a));
    let s: Vec<Box<dyn Shape>> = vec![Box::new(Sq(2.0))];
    println!("{} {} {}", work(&v[..3]), s.iter().map(|x| x.area()).sum::<f64>(), b.len());
}

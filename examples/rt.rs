use flitwise::algorithm::traffic::*;
use flitwise::engine::router::{self, RouterCosts, Timing};
use flitwise::routing::relation::find;
use flitwise::routing::{Lattice, Relation};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let arg = |k: &str, d: &str| a.iter().find_map(|s| s.strip_prefix(&format!("{k}="))).unwrap_or(d).to_owned();
    let num = |k: &str, d: &str| arg(k, d).parse::<f64>().unwrap();
    let k = num("k", "8") as usize;
    let wrap = arg("topo", "mesh") == "torus";
    let n = num("n", "2") as usize;
    let order: Vec<usize> = (0..n).collect();
    let lat = Lattice::new(&vec![k; n], wrap, &order);
    let shape: Vec<u32> = lat.shape().to_vec();
    let nodes = lat.nodes() as u32;
    let rel = Relation::new(lat, find(&arg("rf", "dimension-order")).unwrap().algorithm, num("v", "1") as u8);
    let timing = if arg("model", "pipelined") == "ideal" {
        Timing::ideal(num("rd", "0") as u64)
    } else {
        Timing::pipelined(1, num("rd", "0") as u64)
    };
    let costs = RouterCosts {
        timing,
        buffer: num("b", "8") as u32,
        atomic: arg("atomic", "0") == "1",
        speculative: arg("spec", "1") == "1",
    };
    let pat = arg("pat", "uniform");
    let pattern = match pat.as_str() {
        "uniform" => Pattern::Uniform { include_self: true },
        "others" => Pattern::Uniform { include_self: false },
        "permutation" => Pattern::permutation(nodes, 1, 0),
        p => Pattern::fixed(PATTERNS.iter().find(|e| e.name == p).unwrap().name, &shape).unwrap(),
    };
    let lengths = Lengths { flits: num("l", "8") as u32, long: None };
    let rate = num("rate", "0.1");
    let src = Sources::new(pattern, Injection::Bernoulli, lengths, (nodes, rate), (num("seed", "1") as u64, 0));
    if arg("mode", "steady") == "burst" {
        let mut t = Burst::new(src);
        let e = router::run(&rel, costs, &mut t);
        let (c, m) = t.finish();
        println!(
            "makespan {m} latency {:.2} moved {} jam {:?}",
            c.latencies.iter().sum::<u64>() as f64 / c.latencies.len() as f64,
            e.moved,
            e.jam.map(|j| j.to_string())
        );
        return;
    }
    let w = num("w", "4000") as u64;
    let m = num("m", "12000") as u64;
    let mut t = Steady::new(src, Phases { warmup: w, measure: m, drain: num("d", "20000") as u64 });
    let e = router::run(&rel, costs, &mut t);
    let c = t.finish();
    let per = |x: u64| x as f64 / nodes as f64 / m as f64;
    println!(
        "rate {rate} offered {:.4} accepted {:.4} latency {:.2} net {:.2} hops {:.3} packets {} undelivered {} cycles {} moved {}",
        per(c.offered),
        per(c.accepted),
        c.latencies.iter().sum::<u64>() as f64 / c.latencies.len() as f64,
        c.network_latency as f64 / c.latencies.len() as f64,
        c.hops as f64 / c.latencies.len() as f64,
        c.packets,
        c.undelivered(),
        e.cycles,
        e.moved
    );
    if let Some(j) = e.jam {
        println!("{j}");
    }
}

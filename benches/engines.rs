//! Quick timing.
use flitwise::algorithm::multicast::*;
use flitwise::engine::node::*;
use flitwise::engine::*;
use flitwise::model::Parameterised;
use flitwise::routing::*;
use flitwise::topology::*;
use flitwise::units::*;
use std::time::Instant;
fn main() {
    for m in [65536, 1024, 65536, 1024] {
        let net = DimensionOrder::first_coordinate_first(Mesh::new(&[1024, 1024], 1).unwrap());
        let group: Vec<NodeId> = (0..1u32 << 20).map(NodeId).collect();
        let node = NodeCosts::new((2000, 2), (3500, 3), 1);
        let ch = ChannelCosts { flit_time: 2, buffer: 1, routing_delay: 0 };
        let t0 = Instant::now();
        let model = Parameterised::derived(&node, &ch, Flits(m));
        let s = Algorithm::named("opt-mesh")
            .unwrap()
            .plan(&Request {
                group: &group,
                nodes: 1 << 20,
                network: Some(&net),
                flits: Flits(m),
                model,
                ports: 1,
                block: 4,
                inside: Inside::Flat,
            })
            .unwrap();
        let t1 = Instant::now();
        let o = Engine::Worm.run(&net, ch, ScheduleProgram::new(&s, &node), &mut ()).unwrap();
        let t2 = Instant::now();
        println!(
            "m={m} plan {:?} run {:?} events {} completion {} blocked {} hops {}",
            t1 - t0,
            t2 - t1,
            o.events,
            o.completion,
            o.blocked_headers,
            o.messages.iter().map(|m| m.hops as u64 + 2).sum::<u64>()
        );
    }
    let t = Instant::now();
    let table = OptTable::new(10_000_000, 20, 55, 1);
    println!("table {:?} {}", t.elapsed(), table.time(10_000_000));
}

//! Synonyms for networks, routings, patterns, algorithms and keys, as the field and other simulators name them.
//!
//! Independent of the meaning of the names: a synonym counts only where one of its names is accepted.

/// A name in the literature and in other simulators, and the names here, the likeliest first.
///
/// Synonyms are in lower case and without separators, as [`folded`] writes them.
const SYNONYMS: &[(&[&str], &[&str])] = &[
    // routings
    (&["xy", "yx", "xyz", "zyx", "dor", "dimorder", "dimensionordered", "deterministic"], &["dimension-order"]),
    (&["ecube", "dimension", "static"], &["dimension-order"]),
    (&["oddeven", "fullyadaptive", "minadapt", "minimaladaptive", "planaradapt", "duato", "dyad"], &["adaptive"]),
    (&["wf"], &["west-first"]),
    (&["nl"], &["north-last"]),
    (&["nf"], &["negative-first"]),
    (&["val", "vlb", "romm", "randomized", "twophase"], &["valiant", "o1turn"]),
    (&["xyyx", "o1", "oneturn"], &["o1turn"]),
    (&["ugall", "ugalg", "ugalp", "ugalpni", "par", "globaladaptive", "nonminimaladaptive"], &["ugal"]),
    (&["min", "minimal", "mrt"], &["minimal", "shortest", "dimension-order"]),
    (&["nca", "ecmp", "random", "anca"], &["nca-random"]),
    (&["destmod", "destinationmodk", "dmod"], &["d-mod-k"]),
    (&["sourcemodk", "smod"], &["s-mod-k"]),
    (&["adaptive", "ncaadapt"], &["nca-adaptive", "ugal"]),
    (&["updn", "updownrouting", "turnprohibition", "dfsssp", "autonet"], &["up-down"]),
    (&["sp", "spf", "ospf", "dijkstra", "shortestpath", "bfs", "minhop"], &["shortest"]),
    (&["lut", "tables", "tablebased", "forwarding", "lft"], &["table"]),
    // networks
    (&["mesh2d", "2dmesh", "mesh3d", "3dmesh", "cmesh", "grid2d", "2dgrid", "array", "lattice"], &["mesh"]),
    (&["torus2d", "2dtorus", "torus3d", "3dtorus", "ring", "karyncube", "kncube"], &["torus"]),
    (&["cube", "ncube", "binarycube", "hcube"], &["hypercube"]),
    (&["flatfly", "flattenedbutterfly", "fbfly", "flatbutterfly"], &["hyperx"]),
    (&["fullyconnected", "complete", "crossbar", "fc", "alltoall", "switch", "clique"], &["full-mesh"]),
    (&["fattree", "ftree", "clos", "foldedclos", "xgft", "tree4", "leafspine", "spineleaf"], &["fat-tree"]),
    (&["butterfly", "fly", "karynfly", "min", "bidirectionalmin", "omega", "banyan"], &["bmin"]),
    (&["dragonflynew", "dfly", "dragonflyplus", "megafly"], &["dragonfly"]),
    (&["chiplet", "mcm", "interposer", "tiles", "dies", "multidie"], &["chiplets"]),
    (&["anynet", "custom", "file", "irregular", "topology"], &["graph"]),
    // patterns
    (&["uniformrandom", "random", "urand", "ur", "uni", "alltoall"], &["uniform"]),
    (&["bitcomp", "bitcomplement", "complement", "bitcmp", "bc"], &["bit-complement"]),
    (&["bitrev", "bitreversal", "reverse", "br"], &["bit-reverse"]),
    (&["trans", "tr", "matrixtranspose", "transpose1", "transpose2"], &["transpose"]),
    (&["perfectshuffle", "bitshuffle", "shuf"], &["shuffle"]),
    (&["tor"], &["tornado"]),
    (&["neighbour", "nearestneighbor", "nearestneighbour", "nn", "local"], &["neighbor"]),
    (&["hotspots", "hs"], &["hotspot"]),
    (&["baddragon"], &["bad-dragonfly"]),
    (&["badpermyarc", "yarc"], &["bad-yarc"]),
    (&["perm", "randperm", "randompermutation"], &["permutation"]),
    (&["trafficmatrix", "csv", "table", "custom"], &["matrix"]),
    // operations and algorithms
    (&["bcast"], &["broadcast"]),
    (&["a2a", "alltoallv", "totalexchange"], &["alltoall", "all-to-all"]),
    (&["rsag", "halvingdoubling", "rhd", "hd", "recursivehalvingdoubling"], &["rabenseifner"]),
    (&["rd", "butterfly"], &["recursive-doubling"]),
    (&["tree", "doublebinarytree", "dbt", "2tree"], &["double-tree", "binary-tree", "binomial"]),
    (&["bruckjr", "modifiedbruck"], &["bruck"]),
    (&["swing"], &["swing-bandwidth"]),
    (&["biring", "bidirectionalring", "ring2d"], &["ring-bidirectional"]),
    (&["umesh"], &["u-mesh"]),
    (&["linear", "direct", "sequential"], &["sequential", "flat", "direct", "naive"]),
    (&["pipeline", "pipelined"], &["chain"]),
    (&["sa", "annealing", "simulatedannealing"], &["anneal"]),
    (&["bruteforce", "optimal", "exact"], &["exhaustive", "optimal"]),
    // engines and routers
    (&["wormhole"], &["worm"]),
    (&["cycle", "cycleaccurate", "vc"], &["router", "flit"]),
    (&["iq", "inputqueued", "booksim", "vcrouter", "garnet", "realistic"], &["pipelined"]),
    // models
    (&["loggp", "loggpo", "loggpos"], &["loggops"]),
    (&["plogp", "hockney", "alphabeta", "postal"], &["parameterised"]),
    // keys
    (&["bytes", "size", "messagesize", "msgsize", "payload", "count", "nbytes"], &["bytes", "block_bytes", "flits"]),
    (&["length", "messagelength"], &["flits", "block_flits"]),
    (&["packetsize", "packetbytes", "bytes", "size"], &["packet_bytes"]),
    (&["packetlength", "length"], &["packet_flits"]),
    (&["linkbandwidth", "bw", "linkbw", "speed", "linkspeed", "linkrate"], &["bandwidth"]),
    (&["flitsize", "flitwidth", "flit"], &["flit_bytes"]),
    (&["dims", "dim", "dimension", "dimensions", "size", "sizes", "k", "n", "width", "xy"], &["shape", "dimension"]),
    (&["numvcs", "vcs", "vc", "vcspervnet", "lanes"], &["virtual_channels"]),
    (&["vcbufsize", "buffersize", "bufferdepth", "bufsize", "depth", "buffers", "credits"], &["buffer"]),
    (&["injectionrate", "load", "offered", "offeredload", "packetinjectionrate", "lambda"], &["rate"]),
    (&["traffic", "trafficpattern", "distribution"], &["pattern"]),
    (&["routingfunction", "routingalgorithm", "routing"], &["routing"]),
    (&["algorithm", "algo", "algos"], &["algorithms"]),
    (&["runs", "reps", "repeat", "repeats", "iterations", "trials", "samples", "count"], &["repetitions"]),
    (&["topology", "topo", "net"], &["network"]),
    (&["packetsizerate", "packetrates", "packetratio"], &["packet_weights"]),
    (&["batchsize"], &["batch_packets"]),
    (&["batchcount", "numbatches"], &["batches"]),
    (&["maxoutstandingrequests", "maxoutstanding", "window"], &["outstanding"]),
    (&["warmupcycles", "warmuptime"], &["warmup"]),
    (&["sampleperiod", "measurement", "simcycles", "cycles"], &["measure"]),
    (&["latency", "linklatency", "linkdelay", "wiredelay"], &["delay"]),
    (&["bandwidth", "linkbandwidth", "bw"], &["flit_time"]),
    (&["randomseed", "rngseed"], &["seed"]),
    (&["op", "collective", "kind", "type"], &["operation"]),
    (&["groupsize", "members", "destinations", "dests"], &["group"]),
    (&["alpha", "startup", "latency", "overhead"], &["send_setup"]),
];

/// `name` in lower case, without blanks and signs.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The one of `names` that `written` is another name for, or another spelling of.
pub(crate) fn meant<'a>(written: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let written = folded(written);
    let names: Vec<&str> = names.collect();
    if let Some(same) = names.iter().copied().find(|name| !written.is_empty() && folded(name) == written) {
        return Some(same);
    }
    let known = SYNONYMS.iter().filter(|(synonyms, _)| synonyms.contains(&written.as_str()));
    let mut meant = known.flat_map(|(_, meant)| *meant);
    meant.find_map(|meant| names.iter().copied().find(|name| name == meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_count_where_their_names_are_accepted() {
        let lattice = ["dimension-order", "west-first", "adaptive"];
        for (written, expected) in [
            ("xy", Some("dimension-order")),
            ("XY", Some("dimension-order")),
            ("e-cube", Some("dimension-order")),
            ("dim_order", Some("dimension-order")),
            ("minimal", Some("dimension-order")),
            ("West_First", Some("west-first")),
            ("fully adaptive", Some("adaptive")),
            ("nca", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(meant(written, lattice.into_iter()), expected, "{written}");
        }
        assert_eq!(meant("minimal", ["ugal", "minimal"].into_iter()), Some("minimal"));
        assert_eq!(meant("bytes", ["flits", "group"].into_iter()), Some("flits"));
    }

    #[test]
    fn synonyms_are_folded() {
        for synonym in SYNONYMS.iter().flat_map(|(synonyms, _)| *synonyms) {
            assert_eq!(folded(synonym), **synonym);
        }
    }
}

//! Adapters of `adapters/` in their host simulators, for machines that have these.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The figures of ASTRA-sim at commit 518bd51 with its congestion-aware analytical backend, in ns: 1 MiB on rings of 4, 8 and 16.
const RINGS: [(&str, [u64; 3]); 4] = [
    ("all_reduce", [43_000, 64_440, 99_640]),
    ("all_gather", [64_744, 151_016, 323_560]),
    ("reduce_scatter", [22_240, 33_080, 50_740]),
    ("all_to_all", [41_560, 125_480, 391_240]),
];

/// A collective on a network of the analytical backend.
struct Case {
    operation: &'static str,
    nodes: u64,
    /// Bytes of a message.
    chunk: u64,
    /// Bandwidth in GB/s and latency in ns.
    link: (f64, u64),
    is_ring: bool,
    system: &'static str,
    /// The end, in ns.
    end: u64,
}

impl Case {
    /// Writes the scenario that equals the analytical backend to `folder`, and returns its path.
    fn write(&self, folder: &Path) -> PathBuf {
        let (bandwidth, latency) = self.link;
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let serial = (self.chunk as f64 / (bandwidth * f64::from(1 << 30) / 1e9)) as u64 * 1000;
        let delay = latency * if self.is_ring { 500 } else { 1000 };
        let mut links = "kind,a,b,flit_time,delay\n".to_owned();
        for node in 0..self.nodes {
            writeln!(links, "node,{node},{node},1,{delay}").unwrap();
        }
        for node in 0..self.nodes {
            let next = if self.is_ring { (node + 1) % self.nodes } else { self.nodes };
            writeln!(links, "link,{node},{next},{serial},").unwrap();
        }
        let scenario = format!(
            "tick = \"1ps\"\nnetwork.graph.file = \"links.csv\"\nnode = {{ ports = 64, ejection_ports = \"unlimited\" }}\n\
             workload.embed.flit_bytes = {}\n",
            self.chunk
        );
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("links.csv"), links).unwrap();
        fs::write(folder.join("net.toml"), scenario).unwrap();
        folder.join("net.toml")
    }
}

/// Runs `command`, which has to succeed, and returns its output.
fn output(command: &mut Command) -> String {
    let done = command.output().unwrap();
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{command:?}: {text}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// `ASTRA_SIM` names the source directory of ASTRA-sim 518bd51, built as its documentation describes.
#[test]
#[ignore = "needs a build of ASTRA-sim, which the environment variable ASTRA_SIM names"]
fn astra_sim_ends_when_it_ends_on_its_own_backend() {
    let Some(astra) = std::env::var_os("ASTRA_SIM").map(PathBuf::from) else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = tempfile::tempdir().unwrap();
    let prefix = directory.path().join("prefix");
    let built = directory.path().join("build");
    let install = format!("PREFIX={}", prefix.display());
    output(Command::new("make").args(["-C", "ffi", "install", &install]).current_dir(root));
    let configured = Command::new("cmake")
        .arg("-S")
        .arg(root.join("adapters/astra-sim"))
        .arg("-B")
        .arg(&built)
        .args([format!("-DASTRA_SIM={}", astra.display()), format!("-Dflitwise_DIR={}", prefix.display())])
        .output()
        .unwrap();
    assert!(configured.status.success(), "{}", String::from_utf8_lossy(&configured.stderr));
    output(Command::new("cmake").arg("--build").arg(&built));
    let ring = |(operation, ends): (&'static str, [u64; 3])| {
        [4, 8, 16].into_iter().zip(ends).map(move |(nodes, end)| {
            let parts = if operation == "all_gather" { 4 } else { 4 * nodes };
            let chunk = (1 << 20) / parts;
            Case { operation, nodes, chunk, link: (50.0, 500), is_ring: true, system: "Ring_4chunks", end }
        })
    };
    let switch = Case {
        operation: "all_reduce",
        nodes: 8,
        chunk: 1 << 15,
        link: (400.0, 936),
        is_ring: false,
        system: "HGX-H100-validated",
        end: 57_426,
    };
    for case in RINGS.into_iter().flat_map(ring).chain([switch]) {
        let Case { operation, nodes, system, end, .. } = case;
        let network = case.write(&directory.path().join(format!("{operation}-{nodes}-{system}")));
        let examples = astra.join("examples");
        let text = output(Command::new(built.join("AstraSim_Flitwise")).current_dir(directory.path()).args([
            format!(
                "--workload-configuration={}/workload/microbenchmarks/{operation}/{nodes}npus_1MB/{operation}",
                examples.display()
            ),
            format!("--system-configuration={}/system/native_collectives/{system}.json", examples.display()),
            format!(
                "--remote-memory-configuration={}/remote_memory/analytical/no_memory_expansion.json",
                examples.display()
            ),
            format!("--network-configuration={}", network.display()),
        ]));
        let cycles = text.split("finished, ").skip(1).filter_map(|rest| rest.split(' ').next()?.parse().ok());
        let last: Option<u64> = cycles.collect::<BTreeSet<u64>>().last().copied();
        assert_eq!(last, Some(end), "{operation} on {nodes}");
    }
}

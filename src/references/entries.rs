//! The references, by their keys.

use super::Publication::{Article, Book, Conference, Report};
use super::Reference;

/// HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks.
pub const HYPERX: Reference = Reference {
    key: "ahn2009hyperx",
    authors: &["Ahn, Jung Ho", "Binkert, Nathan", "Davis, Al", "McLaren, Moray", "Schreiber, Robert S."],
    title: "HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks",
    known_as: "",
    publication: Conference,
    venue: "Conference on High Performance Computing Networking, Storage and Analysis (SC)",
    pages: "",
    year: 2009,
    doi: None,
    arxiv: None,
};

/// LogGP: Incorporating Long Messages into the LogP Model.
pub const LOGGP: Reference = Reference {
    key: "alexandrov1995loggp",
    authors: &["Alexandrov, Albert", "Ionescu, Mihai F.", "Schauser, Klaus E.", "Scheiman, Chris"],
    title: "LogGP: Incorporating Long Messages into the LogP Model",
    known_as: "",
    publication: Conference,
    venue: "7th ACM Symposium on Parallel Algorithms and Architectures (SPAA)",
    pages: "95-105",
    year: 1995,
    doi: None,
    arxiv: None,
};

/// Edge-disjoint Hamiltonian Cycles in Two-dimensional Torus.
pub const HAMILTONIAN_CYCLES: Reference = Reference {
    key: "bae2004edge",
    authors: &["Bae, Myung M.", "AlBdaiwi, Bader F.", "Bose, Bella"],
    title: "Edge-disjoint Hamiltonian Cycles in Two-dimensional Torus",
    known_as: "",
    publication: Article,
    venue: "International Journal of Mathematics and Mathematical Sciences",
    pages: "2004(25), 1299-1308",
    year: 2004,
    doi: None,
    arxiv: None,
};

/// Efficient Collective Communication on Heterogeneous Networks of Workstations.
pub const FASTEST_NODE: Reference = Reference {
    key: "banikazemi1998efficient",
    authors: &["Banikazemi, Mohammad", "Moorthy, Vijay", "Panda, Dhabaleswar K."],
    title: "Efficient Collective Communication on Heterogeneous Networks of Workstations",
    known_as: "FNF, SPOC",
    publication: Conference,
    venue: "27th International Conference on Parallel Processing (ICPP)",
    pages: "460-467",
    year: 1998,
    doi: None,
    arxiv: None,
};

/// Interprocessor Collective Communication Library (InterCom).
pub const INTERCOM: Reference = Reference {
    key: "barnett1994interprocessor",
    authors: &[
        "Barnett, Mike",
        "Shuler, Lance",
        "van de Geijn, Robert",
        "Gupta, Satya",
        "Payne, David G.",
        "Watts, Jerrell",
    ],
    title: "Interprocessor Collective Communication Library (InterCom)",
    known_as: "",
    publication: Conference,
    venue: "Scalable High Performance Computing Conference (SHPCC)",
    pages: "357-364",
    year: 1994,
    doi: None,
    arxiv: None,
};

/// Fast Algorithms for Geometric Traveling Salesman Problems.
pub const DONT_LOOK_BITS: Reference = Reference {
    key: "bentley1992fast",
    authors: &["Bentley, Jon Louis"],
    title: "Fast Algorithms for Geometric Traveling Salesman Problems",
    known_as: "",
    publication: Article,
    venue: "ORSA Journal on Computing",
    pages: "4(4), 387-411",
    year: 1992,
    doi: None,
    arxiv: None,
};

/// Efficient Collective Communication in Distributed Heterogeneous Systems.
pub const ECEF: Reference = Reference {
    key: "bhat1999efficient",
    authors: &["Bhat, Prashanth B.", "Raghavendra, C. S.", "Prasanna, Viktor K."],
    title: "Efficient Collective Communication in Distributed Heterogeneous Systems",
    known_as: "FEF, ECEF",
    publication: Conference,
    venue: "19th International Conference on Distributed Computing Systems (ICDCS)",
    pages: "15-24",
    year: 1999,
    doi: None,
    arxiv: None,
};

/// Complete Exchange on a Circuit Switched Mesh.
pub const CUBE_EXCHANGE: Reference = Reference {
    key: "bokhari1992complete",
    authors: &["Bokhari, Shahid H.", "Berryman, Harry"],
    title: "Complete Exchange on a Circuit Switched Mesh",
    known_as: "",
    publication: Conference,
    venue: "Scalable High Performance Computing Conference (SHPCC)",
    pages: "300-306",
    year: 1992,
    doi: None,
    arxiv: None,
};

/// Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems.
pub const BRUCK: Reference = Reference {
    key: "bruck1997efficient",
    authors: &["Bruck, Jehoshua", "Ho, Ching-Tien", "Kipnis, Shlomo", "Upfal, Eli", "Weathersby, Derrick"],
    title: "Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems",
    known_as: "Bruck",
    publication: Article,
    venue: "IEEE Transactions on Parallel and Distributed Systems",
    pages: "8(11), 1143-1156",
    year: 1997,
    doi: None,
    arxiv: None,
};

/// Twisted Torus Topologies for Enhanced Interconnection Networks.
pub const TWISTED_TORI: Reference = Reference {
    key: "camara2010twisted",
    authors: &[
        "Cámara, José M.",
        "Moretó, Miquel",
        "Vallejo, Enrique",
        "Beivide, Ramón",
        "Miguel-Alonso, José",
        "Martínez, Carmen",
        "Navaridas, Javier",
    ],
    title: "Twisted Torus Topologies for Enhanced Interconnection Networks",
    known_as: "",
    publication: Article,
    venue: "IEEE Transactions on Parallel and Distributed Systems",
    pages: "21(12), 1765-1778",
    year: 2010,
    doi: None,
    arxiv: None,
};

/// Two-Tree Collective Communication in Grid Computing Systems.
pub const TTCC: Reference = Reference {
    key: "cha2004two",
    authors: &["Cha, Kwangho", "Lee, Junghee", "Han, Dongsoo", "Yu, Chansu"],
    title: "Two-Tree Collective Communication in Grid Computing Systems",
    known_as: "TTCC",
    publication: Article,
    venue: "Journal of KIISE",
    pages: "",
    year: 2004,
    doi: None,
    arxiv: None,
};

/// Collective Communication: Theory, Practice, and Experience.
pub const COLLECTIVES: Reference = Reference {
    key: "chan2007collective",
    authors: &["Chan, Ernie", "Heimlich, Marcel", "Purkayastha, Avi", "van de Geijn, Robert"],
    title: "Collective Communication: Theory, Practice, and Experience",
    known_as: "",
    publication: Article,
    venue: "Concurrency and Computation: Practice and Experience",
    pages: "19(13), 1749-1783",
    year: 2007,
    doi: None,
    arxiv: None,
};

/// Performance Evaluation of Allgather Algorithms on Terascale Linux Cluster with Fast Ethernet.
pub const NEIGHBOUR_EXCHANGE: Reference = Reference {
    key: "chen2005performance",
    authors: &["Chen, Jing", "Zhang, Linbo", "Zhang, Yunquan", "Yuan, Wei"],
    title: "Performance Evaluation of Allgather Algorithms on Terascale Linux Cluster with Fast Ethernet",
    known_as: "",
    publication: Conference,
    venue: "8th International Conference on High-Performance Computing in Asia-Pacific Region (HPC Asia)",
    pages: "437-442",
    year: 2005,
    doi: None,
    arxiv: None,
};

/// MSCCLang: Microsoft Collective Communication Language.
pub const MSCCL: Reference = Reference {
    key: "cowan2023mscclang",
    authors: &["Cowan, Meghan", "Maleki, Saeed", "Musuvathi, Madanlal", "Saarikivi, Olli", "Xiong, Yifan"],
    title: "MSCCLang: Microsoft Collective Communication Language",
    known_as: "",
    publication: Conference,
    venue: "28th ACM International Conference on Architectural Support for Programming Languages and Operating Systems (ASPLOS)",
    pages: "502-514",
    year: 2023,
    doi: None,
    arxiv: Some("2201.11840"),
};

/// LogP: Towards a Realistic Model of Parallel Computation.
pub const LOGP: Reference = Reference {
    key: "culler1993logp",
    authors: &[
        "Culler, David",
        "Karp, Richard",
        "Patterson, David",
        "Sahay, Abhijit",
        "Schauser, Klaus Erik",
        "Santos, Eunice",
        "Subramonian, Ramesh",
        "von Eicken, Thorsten",
    ],
    title: "LogP: Towards a Realistic Model of Parallel Computation",
    known_as: "",
    publication: Conference,
    venue: "4th ACM Symposium on Principles and Practice of Parallel Programming (PPoPP)",
    pages: "1-12",
    year: 1993,
    doi: None,
    arxiv: None,
};

/// Deadlock-Free Message Routing in Multiprocessor Interconnection Networks.
pub const WORMHOLE: Reference = Reference {
    key: "dally1987deadlock",
    authors: &["Dally, William J.", "Seitz, Charles L."],
    title: "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks",
    known_as: "",
    publication: Article,
    venue: "IEEE Transactions on Computers",
    pages: "C-36(5), 547-553",
    year: 1987,
    doi: None,
    arxiv: None,
};

/// Virtual-Channel Flow Control.
pub const VIRTUAL_CHANNELS: Reference = Reference {
    key: "dally1992virtual",
    authors: &["Dally, William J."],
    title: "Virtual-Channel Flow Control",
    known_as: "",
    publication: Article,
    venue: "IEEE Transactions on Parallel and Distributed Systems",
    pages: "3(2), 194-205",
    year: 1992,
    doi: None,
    arxiv: None,
};

/// Principles and Practices of Interconnection Networks.
pub const INTERCONNECTION: Reference = Reference {
    key: "dally2004principles",
    authors: &["Dally, William J.", "Towles, Brian"],
    title: "Principles and Practices of Interconnection Networks",
    known_as: "",
    publication: Book,
    venue: "Morgan Kaufmann",
    pages: "",
    year: 2004,
    doi: None,
    arxiv: None,
};

/// Swing: Short-cutting Rings for Higher Bandwidth Allreduce.
pub const SWING: Reference = Reference {
    key: "desensi2024swing",
    authors: &["De Sensi, Daniele", "Bonato, Tommaso", "Saam, David", "Hoefler, Torsten"],
    title: "Swing: Short-cutting Rings for Higher Bandwidth Allreduce",
    known_as: "",
    publication: Conference,
    venue: "21st USENIX Symposium on Networked Systems Design and Implementation (NSDI)",
    pages: "1445-1462",
    year: 2024,
    doi: None,
    arxiv: Some("2401.09356"),
};

/// Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality.
pub const BINE: Reference = Reference {
    key: "desensi2025bine",
    authors: &[
        "De Sensi, Daniele",
        "Pasqualoni, Saverio",
        "Piarulli, Lorenzo",
        "Bonato, Tommaso",
        "Ba, Seydou",
        "Turisini, Matteo",
        "Domke, Jens",
        "Hoefler, Torsten",
    ],
    title: "Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality",
    known_as: "",
    publication: Conference,
    venue: "International Conference for High Performance Computing, Networking, Storage and Analysis (SC)",
    pages: "",
    year: 2025,
    doi: None,
    arxiv: Some("2508.17311"),
};

/// A Note on Two Problems in Connexion with Graphs.
pub const SHORTEST_PATHS: Reference = Reference {
    key: "dijkstra1959note",
    authors: &["Dijkstra, Edsger W."],
    title: "A Note on Two Problems in Connexion with Graphs",
    known_as: "",
    publication: Article,
    venue: "Numerische Mathematik",
    pages: "1, 269-271",
    year: 1959,
    doi: None,
    arxiv: None,
};

/// Lower Bounds for the Partitioning of Graphs.
pub const PARTITION_BOUND: Reference = Reference {
    key: "donath1973lower",
    authors: &["Donath, W. E.", "Hoffman, A. J."],
    title: "Lower Bounds for the Partitioning of Graphs",
    known_as: "",
    publication: Article,
    venue: "IBM Journal of Research and Development",
    pages: "17(5), 420-425",
    year: 1973,
    doi: None,
    arxiv: None,
};

/// A New Theory of Deadlock-Free Adaptive Routing in Wormhole Networks.
pub const ADAPTIVE: Reference = Reference {
    key: "duato1993new",
    authors: &["Duato, José"],
    title: "A New Theory of Deadlock-Free Adaptive Routing in Wormhole Networks",
    known_as: "",
    publication: Article,
    venue: "IEEE Transactions on Parallel and Distributed Systems",
    pages: "4(12), 1320-1331",
    year: 1993,
    doi: None,
    arxiv: None,
};

/// The Turn Model for Adaptive Routing.
pub const TURN_MODEL: Reference = Reference {
    key: "glass1992turn",
    authors: &["Glass, Christopher J.", "Ni, Lionel M."],
    title: "The Turn Model for Adaptive Routing",
    known_as: "",
    publication: Conference,
    venue: "19th International Symposium on Computer Architecture (ISCA)",
    pages: "278-287",
    year: 1992,
    doi: None,
    arxiv: None,
};

/// Scalable Hierarchical Aggregation Protocol (SHArP): A Hardware Architecture for Efficient Data Reduction.
pub const SHARP: Reference = Reference {
    key: "graham2016sharp",
    authors: &[
        "Graham, Richard L.",
        "Bureddy, Devendar",
        "Lui, Pak",
        "Rosenstock, Hal",
        "Shainer, Gilad",
        "Bloch, Gil",
        "Goldenberg, Dror",
        "Dubman, Mike",
        "Kotchubievsky, Sasha",
        "Koushnir, Vladimir",
        "Levi, Lion",
        "Margolin, Alex",
        "Ronen, Tamir",
        "Shpiner, Alexander",
        "Wertheim, Oded",
        "Zahavi, Eitan",
    ],
    title: "Scalable Hierarchical Aggregation Protocol (SHArP): A Hardware Architecture for Efficient Data Reduction",
    known_as: "",
    publication: Conference,
    venue: "Communication Optimizations in High Performance Computing (COM-HPC)",
    pages: "1-10",
    year: 2016,
    doi: None,
    arxiv: None,
};

/// Fibonacci Series-Based Multicast Algorithm.
pub const FIBONACCI: Reference = Reference {
    key: "gu2002fibonacci",
    authors: &["Gu, Nai-Jie", "Li, Wei", "Liu, Jing"],
    title: "Fibonacci Series-Based Multicast Algorithm",
    known_as: "",
    publication: Article,
    venue: "Chinese Journal of Computers",
    pages: "25(4)",
    year: 2002,
    doi: Some("10.3321/j.issn:0254-4164.2002.04.005"),
    arxiv: None,
};

/// Prevention of Deadlocks in Packet-Switched Data Transport Systems.
pub const HOP_CLASSES: Reference = Reference {
    key: "gunther1981prevention",
    authors: &["Günther, Klaus D."],
    title: "Prevention of Deadlocks in Packet-Switched Data Transport Systems",
    known_as: "",
    publication: Article,
    venue: "IEEE Transactions on Communications",
    pages: "29(4), 512-524",
    year: 1981,
    doi: None,
    arxiv: None,
};

/// Two Algorithms for Barrier Synchronization.
pub const DISSEMINATION: Reference = Reference {
    key: "hensgen1988two",
    authors: &["Hensgen, Debra", "Finkel, Raphael", "Manber, Udi"],
    title: "Two Algorithms for Barrier Synchronization",
    known_as: "",
    publication: Article,
    venue: "International Journal of Parallel Programming",
    pages: "17(1), 1-17",
    year: 1988,
    doi: None,
    arxiv: None,
};

/// Group Operation Assembly Language: A Flexible Way to Express Collective Communication.
pub const GOAL: Reference = Reference {
    key: "hoefler2009group",
    authors: &["Hoefler, Torsten", "Siebert, Christian", "Lumsdaine, Andrew"],
    title: "Group Operation Assembly Language: A Flexible Way to Express Collective Communication",
    known_as: "",
    publication: Conference,
    venue: "38th International Conference on Parallel Processing (ICPP)",
    pages: "574-581",
    year: 2009,
    doi: None,
    arxiv: None,
};

/// LogGOPSim: Simulating Large-Scale Applications in the LogGOPS Model.
pub const LOGGOPSIM: Reference = Reference {
    key: "hoefler2010loggopsim",
    authors: &["Hoefler, Torsten", "Schneider, Timo", "Lumsdaine, Andrew"],
    title: "LogGOPSim: Simulating Large-Scale Applications in the LogGOPS Model",
    known_as: "",
    publication: Conference,
    venue: "19th ACM International Symposium on High Performance Distributed Computing (HPDC)",
    pages: "597-604",
    year: 2010,
    doi: None,
    arxiv: None,
};

/// HammingMesh: A Network Topology for Large-Scale Deep Learning.
pub const HXMESH: Reference = Reference {
    key: "hoefler2022hammingmesh",
    authors: &[
        "Hoefler, Torsten",
        "Bonato, Tommaso",
        "De Sensi, Daniele",
        "Di Girolamo, Salvatore",
        "Li, Shigang",
        "Heddes, Marco",
        "Belk, Jon",
        "Goel, Deepak",
        "Castro, Miguel",
        "Scott, Steve",
    ],
    title: "HammingMesh: A Network Topology for Large-Scale Deep Learning",
    known_as: "",
    publication: Conference,
    venue: "International Conference for High Performance Computing, Networking, Storage and Analysis (SC)",
    pages: "",
    year: 2022,
    doi: None,
    arxiv: Some("2209.01346"),
};

/// Communication Algorithm-Architecture Co-Design for Distributed Deep Learning.
pub const MULTITREE: Reference = Reference {
    key: "huang2021communication",
    authors: &["Huang, Jiayi", "Majhi, Pritam", "Kim, Jinho", "Muzahid, Abdullah", "Yum, Ki Hwan", "Kim, Eun Jung"],
    title: "Communication Algorithm-Architecture Co-Design for Distributed Deep Learning",
    known_as: "MultiTree",
    publication: Conference,
    venue: "48th International Symposium on Computer Architecture (ISCA)",
    pages: "181-194",
    year: 2021,
    doi: None,
    arxiv: None,
};

/// Optimal Bucket Algorithms for Large MPI Collectives on Torus Interconnects.
pub const BUCKET: Reference = Reference {
    key: "jain2010optimal",
    authors: &["Jain, Nikhil", "Sabharwal, Yogish"],
    title: "Optimal Bucket Algorithms for Large MPI Collectives on Torus Interconnects",
    known_as: "",
    publication: Conference,
    venue: "24th ACM International Conference on Supercomputing (ICS)",
    pages: "27-36",
    year: 2010,
    doi: None,
    arxiv: None,
};

/// A Detailed and Flexible Cycle-Accurate Network-on-Chip Simulator.
pub const BOOKSIM: Reference = Reference {
    key: "jiang2013detailed",
    authors: &[
        "Jiang, Nan",
        "Becker, Daniel U.",
        "Michelogiannakis, George",
        "Balfour, James",
        "Towles, Brian",
        "Shaw, D. E.",
        "Kim, John",
        "Dally, William J.",
    ],
    title: "A Detailed and Flexible Cycle-Accurate Network-on-Chip Simulator",
    known_as: "",
    publication: Conference,
    venue: "IEEE International Symposium on Performance Analysis of Systems and Software (ISPASS)",
    pages: "86-96",
    year: 2013,
    doi: None,
    arxiv: None,
};

/// Trivance: Latency-Optimal AllReduce by Shortcutting Multiport Networks.
pub const TRIVANCE: Reference = Reference {
    key: "jurss2026trivance",
    authors: &["Jürß, Anton", "Addanki, Vamsi", "Schmid, Stefan"],
    title: "Trivance: Latency-Optimal AllReduce by Shortcutting Multiport Networks",
    known_as: "",
    publication: Report,
    venue: "arXiv",
    pages: "",
    year: 2026,
    doi: None,
    arxiv: Some("2602.17254"),
};

/// Optimal Broadcast and Summation in the LogP Model.
pub const LOGP_BROADCAST: Reference = Reference {
    key: "karp1993optimal",
    authors: &["Karp, Richard M.", "Sahay, Abhijit", "Santos, Eunice E.", "Schauser, Klaus Erik"],
    title: "Optimal Broadcast and Summation in the LogP Model",
    known_as: "",
    publication: Conference,
    venue: "5th ACM Symposium on Parallel Algorithms and Architectures (SPAA)",
    pages: "142-153",
    year: 1993,
    doi: None,
    arxiv: None,
};

/// Minimization of Communication Cost Using Repeated Task Partition for Hypercube Multiprocessors.
pub const MAPPING: Reference = Reference {
    key: "kim1998minimization",
    authors: &["Kim, Joo-Man", "Yun, Suk-Han", "Lee, Cheol-Hoon"],
    title: "Minimization of Communication Cost Using Repeated Task Partition for Hypercube Multiprocessors",
    known_as: "MRB",
    publication: Article,
    venue: "The Transactions of the Korea Information Processing Society",
    pages: "5(11), 2823-2834",
    year: 1998,
    doi: Some("10.3745/KIPSTE.1998.5.11.2823"),
    arxiv: None,
};

/// Efficient All-to-All Personalized Communication Algorithms in Wormhole-Routed Networks.
pub const TORUS_EXCHANGE: Reference = Reference {
    key: "kim2003efficient",
    authors: &["Kim, Si-Gwan", "Kang, Oh-Han", "Chung, Jong-In"],
    title: "Efficient All-to-All Personalized Communication Algorithms in Wormhole-Routed Networks",
    known_as: "double-hop, split-and-merge",
    publication: Article,
    venue: "Journal of KIISE",
    pages: "",
    year: 2003,
    doi: None,
    arxiv: None,
};

/// Flattened Butterfly: A Cost-Efficient Topology for High-Radix Networks.
pub const FLATTENED_BUTTERFLY: Reference = Reference {
    key: "kim2007flattened",
    authors: &["Kim, John", "Dally, William J.", "Abts, Dennis"],
    title: "Flattened Butterfly: A Cost-Efficient Topology for High-Radix Networks",
    known_as: "",
    publication: Conference,
    venue: "34th International Symposium on Computer Architecture (ISCA)",
    pages: "126-137",
    year: 2007,
    doi: None,
    arxiv: None,
};

/// Technology-Driven, Highly-Scalable Dragonfly Topology.
pub const DRAGONFLY: Reference = Reference {
    key: "kim2008technology",
    authors: &["Kim, John", "Dally, William J.", "Scott, Steve", "Abts, Dennis"],
    title: "Technology-Driven, Highly-Scalable Dragonfly Topology",
    known_as: "",
    publication: Conference,
    venue: "35th International Symposium on Computer Architecture (ISCA)",
    pages: "77-88",
    year: 2008,
    doi: None,
    arxiv: None,
};

/// Optimization by Simulated Annealing.
pub const ANNEALING: Reference = Reference {
    key: "kirkpatrick1983optimization",
    authors: &["Kirkpatrick, Scott", "Gelatt, C. D.", "Vecchi, M. P."],
    title: "Optimization by Simulated Annealing",
    known_as: "",
    publication: Article,
    venue: "Science",
    pages: "220(4598), 671-680",
    year: 1983,
    doi: None,
    arxiv: None,
};

/// Highly Available Data Parallel ML Training on Mesh Networks.
pub const MESH_RING: Reference = Reference {
    key: "kumar2020highly",
    authors: &["Kumar, Sameer", "Jouppi, Norm"],
    title: "Highly Available Data Parallel ML Training on Mesh Networks",
    known_as: "",
    publication: Report,
    venue: "arXiv",
    pages: "",
    year: 2020,
    doi: None,
    arxiv: Some("2011.03605"),
};

/// Enhancing Collective Communication in MCM Accelerators for Deep Learning Training.
pub const TTO: Reference = Reference {
    key: "laskar2024enhancing",
    authors: &[
        "Laskar, Sabuj",
        "Majhi, Pritam",
        "Kim, Sungkeun",
        "Mahmud, Farabi",
        "Muzahid, Abdullah",
        "Kim, Eun Jung",
    ],
    title: "Enhancing Collective Communication in MCM Accelerators for Deep Learning Training",
    known_as: "TTO",
    publication: Conference,
    venue: "30th IEEE International Symposium on High-Performance Computer Architecture (HPCA)",
    pages: "",
    year: 2024,
    doi: None,
    arxiv: None,
};

/// Optimal Multicast Algorithm and Architecture-Dependent Tuning on the Parameterized Communication Model.
pub const OPT_MESH: Reference = Reference {
    key: "lee1999optimal",
    authors: &["Lee, Ju-Young"],
    title: "Optimal Multicast Algorithm and Architecture-Dependent Tuning on the Parameterized Communication Model",
    known_as: "OPT-tree, OPT-mesh",
    publication: Article,
    venue: "The Transactions of the Korea Information Processing Society",
    pages: "6(9), 2332-2342",
    year: 1999,
    doi: Some("10.3745/KIPSTE.1999.6.9.2332"),
    arxiv: None,
};

/// Deadlock-Free Multicast Wormhole Routing in Multicomputer Networks.
pub const TREE_WORMS: Reference = Reference {
    key: "lin1991deadlock",
    authors: &["Lin, Xiaola", "Ni, Lionel M."],
    title: "Deadlock-Free Multicast Wormhole Routing in Multicomputer Networks",
    known_as: "",
    publication: Conference,
    venue: "18th International Symposium on Computer Architecture (ISCA)",
    pages: "116-125",
    year: 1991,
    doi: None,
    arxiv: None,
};

/// Resource Deadlocks and Performance of Wormhole Multicast Routing Algorithms.
pub const RESOURCE_DEADLOCKS: Reference = Reference {
    key: "boppana1998resource",
    authors: &["Boppana, Rajendra V.", "Chalasani, Suresh", "Raghavendra, C. S."],
    title: "Resource Deadlocks and Performance of Wormhole Multicast Routing Algorithms",
    known_as: "",
    publication: Article,
    venue: "IEEE Transactions on Parallel and Distributed Systems",
    pages: "9(6), 535-549",
    year: 1998,
    doi: None,
    arxiv: None,
};

/// Unicast-Based Multicast Communication in Wormhole-Routed Networks.
pub const U_MESH: Reference = Reference {
    key: "mckinley1994unicast",
    authors: &["McKinley, Philip K.", "Xu, Hong", "Esfahanian, Abdol-Hossein", "Ni, Lionel M."],
    title: "Unicast-Based Multicast Communication in Wormhole-Routed Networks",
    known_as: "U-mesh",
    publication: Article,
    venue: "IEEE Transactions on Parallel and Distributed Systems",
    pages: "5(12), 1252-1265",
    year: 1994,
    doi: None,
    arxiv: None,
};

/// Architecture-Dependent Tuning of the Parameterized Communication Model for Optimal Multicasting.
pub const OPT_MIN: Reference = Reference {
    key: "nupairoj1997architecture",
    authors: &["Nupairoj, Natawut", "Ni, Lionel M.", "Park, Ju-Young L.", "Choi, Hyeong-Ah"],
    title: "Architecture-Dependent Tuning of the Parameterized Communication Model for Optimal Multicasting",
    known_as: "OPT-mesh, OPT-min",
    publication: Conference,
    venue: "11th International Parallel Processing Symposium (IPPS)",
    pages: "578-582",
    year: 1997,
    doi: None,
    arxiv: None,
};

/// On Generalized Fat Trees.
pub const GENERALIZED_FAT_TREES: Reference = Reference {
    key: "ohring1995generalized",
    authors: &["Öhring, Sabine R.", "Ibel, Maximilian", "Das, Sajal K.", "Kumar, Mohan J."],
    title: "On Generalized Fat Trees",
    known_as: "",
    publication: Conference,
    venue: "9th International Parallel Processing Symposium (IPPS)",
    pages: "37-44",
    year: 1995,
    doi: None,
    arxiv: None,
};

/// Construction of Optimal Multicast Trees Based on the Parameterized Communication Model.
pub const OPT_TREE: Reference = Reference {
    key: "park1996construction",
    authors: &["Park, Ju-Young L.", "Choi, Hyeong-Ah", "Nupairoj, Natawut", "Ni, Lionel M."],
    title: "Construction of Optimal Multicast Trees Based on the Parameterized Communication Model",
    known_as: "OPT-tree",
    publication: Conference,
    venue: "25th International Conference on Parallel Processing (ICPP)",
    pages: "180-187",
    year: 1996,
    doi: None,
    arxiv: None,
};

/// Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations.
pub const RING: Reference = Reference {
    key: "patarasuk2009bandwidth",
    authors: &["Patarasuk, Pitch", "Yuan, Xin"],
    title: "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations",
    known_as: "",
    publication: Article,
    venue: "Journal of Parallel and Distributed Computing",
    pages: "69(2), 117-124",
    year: 2009,
    doi: None,
    arxiv: None,
};

/// k-ary n-trees: High Performance Networks for Massively Parallel Architectures.
pub const FAT_TREES: Reference = Reference {
    key: "petrini1997kary",
    authors: &["Petrini, Fabrizio", "Vanneschi, Marco"],
    title: "k-ary n-trees: High Performance Networks for Massively Parallel Architectures",
    known_as: "",
    publication: Conference,
    venue: "11th International Parallel Processing Symposium (IPPS)",
    pages: "87-93",
    year: 1997,
    doi: None,
    arxiv: None,
};

/// Optimization of Collective Reduction Operations.
pub const RABENSEIFNER: Reference = Reference {
    key: "rabenseifner2004optimization",
    authors: &["Rabenseifner, Rolf"],
    title: "Optimization of Collective Reduction Operations",
    known_as: "",
    publication: Conference,
    venue: "4th International Conference on Computational Science (ICCS)",
    pages: "1-9",
    year: 2004,
    doi: None,
    arxiv: None,
};

/// Two-tree Algorithms for Full Bandwidth Broadcast, Reduction and Scan.
pub const DOUBLE_TREE: Reference = Reference {
    key: "sanders2009two",
    authors: &["Sanders, Peter", "Speck, Jochen", "Träff, Jesper Larsson"],
    title: "Two-tree Algorithms for Full Bandwidth Broadcast, Reduction and Scan",
    known_as: "",
    publication: Article,
    venue: "Parallel Computing",
    pages: "35(12), 581-594",
    year: 2009,
    doi: None,
    arxiv: None,
};

/// Autonet: A High-Speed, Self-Configuring Local Area Network Using Point-to-Point Links.
pub const UP_DOWN: Reference = Reference {
    key: "schroeder1991autonet",
    authors: &[
        "Schroeder, Michael D.",
        "Birrell, Andrew D.",
        "Burrows, Michael",
        "Murray, Hal",
        "Needham, Roger M.",
        "Rodeheffer, Thomas L.",
        "Satterthwaite, Edwin H.",
        "Thacker, Charles P.",
    ],
    title: "Autonet: A High-Speed, Self-Configuring Local Area Network Using Point-to-Point Links",
    known_as: "",
    publication: Article,
    venue: "IEEE Journal on Selected Areas in Communications",
    pages: "9(8), 1318-1335",
    year: 1991,
    doi: None,
    arxiv: None,
};

/// Near-Optimal Worst-Case Throughput Routing for Two-Dimensional Mesh Networks.
pub const O1TURN: Reference = Reference {
    key: "seo2005near",
    authors: &["Seo, Daeho", "Ali, Akif", "Lim, Won-Taek", "Rafique, Nauman", "Thottethodi, Mithuna"],
    title: "Near-Optimal Worst-Case Throughput Routing for Two-Dimensional Mesh Networks",
    known_as: "",
    publication: Conference,
    venue: "32nd International Symposium on Computer Architecture (ISCA)",
    pages: "432-443",
    year: 2005,
    doi: None,
    arxiv: None,
};

/// All-to-All Personalized Communication in Multidimensional Torus and Mesh Networks.
pub const SUH_SHIN: Reference = Reference {
    key: "suh2001all",
    authors: &["Suh, Young-Joo", "Shin, Kang G."],
    title: "All-to-All Personalized Communication in Multidimensional Torus and Mesh Networks",
    known_as: "",
    publication: Article,
    venue: "IEEE Transactions on Parallel and Distributed Systems",
    pages: "12(1), 38-59",
    year: 2001,
    doi: None,
    arxiv: None,
};

/// SuperMesh: Energy-Efficient Collective Communications for Accelerators.
pub const SUPERMESH: Reference = Reference {
    key: "supermesh2025",
    authors: &[],
    title: "SuperMesh: Energy-Efficient Collective Communications for Accelerators",
    known_as: "",
    publication: Conference,
    venue: "58th IEEE/ACM International Symposium on Microarchitecture (MICRO)",
    pages: "",
    year: 2025,
    doi: None,
    arxiv: None,
};

/// All-to-All Communication on Meshes with Wormhole Routing.
pub const DIRECT_EXCHANGE: Reference = Reference {
    key: "thakur1994all",
    authors: &["Thakur, Rajeev", "Choudhary, Alok"],
    title: "All-to-All Communication on Meshes with Wormhole Routing",
    known_as: "",
    publication: Conference,
    venue: "8th International Parallel Processing Symposium (IPPS)",
    pages: "561-565",
    year: 1994,
    doi: None,
    arxiv: None,
};

/// Optimization of Collective Communication Operations in MPICH.
pub const MPICH: Reference = Reference {
    key: "thakur2005optimization",
    authors: &["Thakur, Rajeev", "Rabenseifner, Rolf", "Gropp, William"],
    title: "Optimization of Collective Communication Operations in MPICH",
    known_as: "recursive doubling, recursive halving",
    publication: Article,
    venue: "International Journal of High Performance Computing Applications",
    pages: "19(1), 49-66",
    year: 2005,
    doi: None,
    arxiv: None,
};

/// Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms.
pub const CIRCULANT: Reference = Reference {
    key: "traff2024optimal",
    authors: &["Träff, Jesper Larsson"],
    title: "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms",
    known_as: "",
    publication: Report,
    venue: "arXiv",
    pages: "",
    year: 2024,
    doi: None,
    arxiv: Some("2410.14234"),
};

/// Universal Schemes for Parallel Communication.
pub const VALIANT: Reference = Reference {
    key: "valiant1981universal",
    authors: &["Valiant, Leslie G.", "Brebner, Gordon J."],
    title: "Universal Schemes for Parallel Communication",
    known_as: "Valiant",
    publication: Conference,
    venue: "13th ACM Symposium on Theory of Computing (STOC)",
    pages: "263-277",
    year: 1981,
    doi: None,
    arxiv: None,
};

/// On Necessary and Sufficient Conditions for Deadlock-Free Routing in Wormhole Networks.
pub const CERTIFICATES: Reference = Reference {
    key: "verbeek2011finding",
    authors: &["Verbeek, Freek", "Schmaltz, Julien"],
    title: "On Necessary and Sufficient Conditions for Deadlock-Free Routing in Wormhole Networks",
    known_as: "",
    publication: Article,
    venue: "IEEE Transactions on Parallel and Distributed Systems",
    pages: "22(12), 2022-2032",
    year: 2011,
    doi: None,
    arxiv: None,
};

/// Dynamically Forecasting Network Performance Using the Network Weather Service.
pub const FORECASTING: Reference = Reference {
    key: "wolski1998dynamically",
    authors: &["Wolski, Rich"],
    title: "Dynamically Forecasting Network Performance Using the Network Weather Service",
    known_as: "",
    publication: Article,
    venue: "Cluster Computing",
    pages: "1(1), 119-132",
    year: 1998,
    doi: None,
    arxiv: None,
};

/// The Network Weather Service: A Distributed Resource Performance Forecasting Service for Metacomputing.
pub const NWS: Reference = Reference {
    key: "wolski1999network",
    authors: &["Wolski, Rich", "Spring, Neil T.", "Hayes, Jim"],
    title: "The Network Weather Service: A Distributed Resource Performance Forecasting Service for Metacomputing",
    known_as: "",
    publication: Article,
    venue: "Future Generation Computer Systems",
    pages: "15(5-6), 757-768",
    year: 1999,
    doi: None,
    arxiv: None,
};

/// Optimal Software Multicast in Wormhole-Routed Multistage Networks.
pub const U_MIN: Reference = Reference {
    key: "xu1994optimal",
    authors: &["Xu, Hong", "Gui, Ya-Dong", "Ni, Lionel M."],
    title: "Optimal Software Multicast in Wormhole-Routed Multistage Networks",
    known_as: "U-min",
    publication: Conference,
    venue: "Supercomputing (SC)",
    pages: "",
    year: 1994,
    doi: None,
    arxiv: None,
};

/// Modular Routing Design for Chiplet-Based Systems.
pub const MODULAR_ROUTING: Reference = Reference {
    key: "yin2018modular",
    authors: &[
        "Yin, Jieming",
        "Lin, Zhifeng",
        "Kayiran, Onur",
        "Poremba, Matthew",
        "Altaf, Muhammad Shoaib Bin",
        "Enright Jerger, Natalie",
        "Loh, Gabriel H.",
    ],
    title: "Modular Routing Design for Chiplet-Based Systems",
    known_as: "",
    publication: Conference,
    venue: "45th International Symposium on Computer Architecture (ISCA)",
    pages: "726-738",
    year: 2018,
    doi: None,
    arxiv: None,
};

/// D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees.
pub const D_MOD_K: Reference = Reference {
    key: "zahavi2010dmodk",
    authors: &["Zahavi, Eitan"],
    title: "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees",
    known_as: "",
    publication: Report,
    venue: "CCIT Report 776, Technion",
    pages: "",
    year: 2010,
    doi: None,
    arxiv: None,
};

/// All references, by their keys.
pub const ALL: &[Reference] = &[
    HYPERX,
    LOGGP,
    HAMILTONIAN_CYCLES,
    FASTEST_NODE,
    INTERCOM,
    DONT_LOOK_BITS,
    ECEF,
    CUBE_EXCHANGE,
    RESOURCE_DEADLOCKS,
    BRUCK,
    TWISTED_TORI,
    TTCC,
    COLLECTIVES,
    NEIGHBOUR_EXCHANGE,
    MSCCL,
    LOGP,
    WORMHOLE,
    VIRTUAL_CHANNELS,
    INTERCONNECTION,
    SWING,
    BINE,
    SHORTEST_PATHS,
    PARTITION_BOUND,
    ADAPTIVE,
    TURN_MODEL,
    SHARP,
    FIBONACCI,
    HOP_CLASSES,
    DISSEMINATION,
    GOAL,
    LOGGOPSIM,
    HXMESH,
    MULTITREE,
    BUCKET,
    BOOKSIM,
    TRIVANCE,
    LOGP_BROADCAST,
    MAPPING,
    TORUS_EXCHANGE,
    FLATTENED_BUTTERFLY,
    DRAGONFLY,
    ANNEALING,
    MESH_RING,
    TTO,
    OPT_MESH,
    TREE_WORMS,
    U_MESH,
    OPT_MIN,
    GENERALIZED_FAT_TREES,
    OPT_TREE,
    RING,
    FAT_TREES,
    RABENSEIFNER,
    DOUBLE_TREE,
    UP_DOWN,
    O1TURN,
    SUH_SHIN,
    SUPERMESH,
    DIRECT_EXCHANGE,
    MPICH,
    CIRCULANT,
    VALIANT,
    CERTIFICATES,
    FORECASTING,
    NWS,
    U_MIN,
    MODULAR_ROUTING,
    D_MOD_K,
];

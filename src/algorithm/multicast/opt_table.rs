//! How the optimal multicast tree splits a block of every size.
//!
//! *Problem.* With `t[i]` the least time to reach `i` nodes from one of them,
//!
//! ```text
//! t[1] = 0,   t[i] = min over 1 <= j < i of max( j > 1 ? t[j] + t_hold : 0 ,  t[ceil((i-j)/p)] + t_end )
//! ```
//!
//! and `j_i` is a `j` at which the minimum is reached: the holder keeps `j_i` nodes and gives the others to `p`
//! receivers.
//!
//! *Idea.* With one port and `t_hold <= t_end` the paper's Algorithm 1: `j_i` is `j_{i-1}` or one more, and a tie
//! takes one more. Otherwise the first term grows with `j` and the second falls, so the minimum lies where they
//! cross, and the crossing only moves up with `i`; the largest `j` that reaches the minimum is taken.
//!
//! *Cost.* O(k) time, 12 bytes an entry.
//!
//! *Source.* OPT-tree paper, section 2.2 and Algorithm 1; its modified recurrence has `t[i-1-j_{i-1}]` where
//! `t[i-j_{i-1}]` is meant (Algorithm 1 is right). For `t_hold > t_end` the printed recurrence and Algorithm 1 charge
//! the root's last send a hold that no later send waits for; the recurrence above does not. The p-port form is ours.

use crate::model::Parameterised;

/// `t[i]` and `j_i` for every group size up to some `k`.
///
/// ```
/// use flitwise::algorithm::multicast::OptTable;
/// use flitwise::model::Parameterised;
/// use flitwise::units::Ticks;
/// let table = OptTable::new(9, Parameterised { t_hold: Ticks(20), t_end: Ticks(55) }, 1);
/// assert_eq!((table.time(9), table.kept(9)), (135, 6));
/// ```
#[derive(Clone, Debug)]
pub struct OptTable {
    /// Index 0 is not used.
    time: Vec<u64>,
    kept: Vec<u32>,
    ports: usize,
}

impl OptTable {
    /// The table for groups of up to `size` nodes with `ports` ports (at least 1) under `model`.
    ///
    /// # Panics
    /// If `size` does not fit 32 bits.
    pub fn new(size: usize, model: Parameterised, ports: usize) -> Self {
        let t_hold = model.t_hold.0;
        let t_end = model.t_end.0;
        assert!(u32::try_from(size).is_ok(), "a group is numbered with 32 bits");
        if ports <= 1 && t_hold <= t_end {
            Self::algorithm_1(size, t_hold, t_end)
        } else {
            Self::by_crossing(size, t_hold, t_end, ports.max(1))
        }
    }

    /// The least time to reach a group of `size` nodes, in ticks.
    ///
    /// # Panics
    /// If `size` is 0 or larger than the table.
    pub fn time(&self, size: usize) -> u64 {
        assert!(size > 0, "a group has a source");
        self.time[size]
    }

    /// How many of `size >= 2` nodes the holder keeps, itself included, when it sends.
    ///
    /// # Panics
    /// If `size` is below 2 or larger than the table.
    pub fn kept(&self, size: usize) -> usize {
        assert!(size > 1, "a holder alone has nothing to send");
        self.kept[size] as usize
    }

    /// The largest group that the table knows.
    pub fn size(&self) -> usize {
        self.time.len() - 1
    }

    /// The ports that the table is for.
    pub fn ports(&self) -> usize {
        self.ports
    }

    fn start(size: usize, t_end: u64, ports: usize) -> Self {
        let mut table = Self { time: Vec::with_capacity(size + 2), kept: Vec::with_capacity(size + 2), ports };
        table.time.extend([0, 0, t_end]);
        table.kept.extend([0, 0, 1]);
        table.time.truncate(size + 1);
        table.kept.truncate(size + 1);
        table
    }

    fn push(&mut self, time: u64, kept: usize) {
        self.time.push(time);
        #[expect(clippy::cast_possible_truncation, reason = "the size fits 32 bits")]
        self.kept.push(kept as u32);
    }

    fn algorithm_1(size: usize, t_hold: u64, t_end: u64) -> Self {
        let mut table = Self::start(size, t_end, 1);
        let mut j = 1;
        for i in 3..=size {
            let t = &table.time;
            let same = (t[j] + t_hold).max(t[i - j] + t_end);
            let more = (t[j + 1] + t_hold).max(t[i - 1 - j] + t_end);
            if same >= more {
                j += 1;
            }
            table.push(same.min(more), j);
        }
        table
    }

    fn by_crossing(size: usize, t_hold: u64, t_end: u64, ports: usize) -> Self {
        let mut table = Self::start(size, t_end, ports);
        let keep = |t: &[u64], j: usize| if j > 1 { t[j] + t_hold } else { 0 };
        let give = |t: &[u64], rest: usize| t[rest.div_ceil(ports)] + t_end;
        // the smallest j at which keeping takes no less than giving, and the largest with the same t as that one
        let mut crossing = 1;
        let mut plateau = 1;
        for i in 3..=size {
            let t = &table.time;
            while crossing < i - 1 && keep(t, crossing) < give(t, i - crossing) {
                crossing += 1;
            }
            plateau = plateau.max(crossing);
            while plateau < i - 1 && keep(t, plateau + 1) == keep(t, crossing) {
                plateau += 1;
            }
            let at_crossing = keep(t, crossing).max(give(t, i - crossing));
            let before = if crossing > 1 { give(t, i - crossing + 1) } else { u64::MAX };
            if before < at_crossing {
                table.push(before, crossing - 1);
            } else if keep(t, crossing) < at_crossing {
                table.push(at_crossing, crossing);
            } else {
                table.push(at_crossing, plateau);
            }
        }
        table
    }
}

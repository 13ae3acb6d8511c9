//! What engines, proofs and planners are held against, plain and slow, written to be read: what their descriptions say, and
//! nothing that makes it fast.
//!
//! ```text
//!   router       virtual-channel routers, cycle by cycle
//!   copying      packets that ideal routers copy and combine, tick by tick
//!   loggops      operations under LogGOPS, from one queue
//!   delivery     what ranks hold, message by message
//!   lists        schedules as lists of messages, and what they promise
//!   trees        multicast trees: all splits, stretches as lists
//!   broadcasts   broadcasts over grids: every send looked at for every choice
//!   mappings     mappings: costs as sums, the best of all, maximum cuts as matrices
//!   chip         a chip on whose networks processors read from other tiles, cycle by cycle
//! ```

pub mod broadcasts;
pub mod chip;
pub mod copying;
pub mod delivery;
pub mod lists;
pub mod loggops;
pub mod mappings;
pub mod router;
pub mod trees;

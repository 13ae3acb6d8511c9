//! Plain and slow simulations that engines are held against, written to be read: what the description of an engine says, and
//! nothing that makes it fast.

pub mod loggops;
pub mod router;

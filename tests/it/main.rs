//! The behaviour of flitwise, one module each.

mod differential;
mod support;
mod worm_oracle;

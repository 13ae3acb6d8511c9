//! Wormhole routing: a message owns a channel with its buffer until its tail has left it.
//!
//! Three engines implement one set of rules and must agree on every head flit's start, release and delivery: [`flit`] moves
//! every flit; [`worm`] needs O(hops) events per message whatever its length, where no two worms share a physical channel;
//! [`sleep`] moves flits only where something changes, which on two virtual channels a physical channel are a few for each
//! channel of a message's path, whatever its length.
//!
//! # The rules
//!
//! A message of `m` flits on the wire ([`crate::units::Flits::on_wire`]) travels the fixed path of channels `h = 1..H`; channel 1 is an
//! injection channel of its source, channel `H` an ejection channel of its destination. Every channel moves one flit per
//! `flit_time` ticks into the buffer of `buffer` flits at its downstream end. One worm at a time owns a channel together
//! with that buffer. A channel may have a flit time of its own, and a *delay*: a flit arrives so much later, and so much later
//! is it known upstream that it has left the buffer ([`crate::topology::LinkCost`]).
//!
//! - A head flit *requests* channel `h` when it has arrived at the head of channel `h-1`'s buffer and `routing_delay`
//!   ticks have passed. It requests channel 1 when its program says so.
//! - A free channel is *granted* to the waiting head flit with the smallest (request time, message number).
//! - Flit `i` starts on channel `h` no earlier than: flit `i-1` started on `h`, plus the flit time of `h`; flit `i` started
//!   on `h-1`, plus the flit time and the delay of `h-1`; flit `i-buffer` started on `h+1`, plus the delay of `h`.
//! - A channel is *released* when it is known that the tail has left its downstream buffer: the delay of `h` after it
//!   starts on channel `h+1` (the ejection channel: when the tail has crossed it, which is delivered its delay later). The
//!   next worm may start in that very tick.
//!
//! Virtual channels are channels in all of this, each with its owner and its buffer, but those of one physical channel
//! move one flit at a time between them. A physical channel that falls idle looks at its virtual channels in turn, the
//! one after the last served first, and starts a flit of the first that has one able to move; when idle, it also starts
//! a flit as soon as one becomes able to. The worm engine does not know this.
//!
//! A head flit takes any free one of the injection channels of its source and of the ejection channels of its destination
//! ([`crate::topology::Ports`]), the lowest first. Waiters are granted channels when everything that arrives in that tick
//! has arrived.
//!
//! # Events at the same tick
//!
//! Events happen in the order of (time, kind, number); the kinds in the order of [`crate::events::Kind`]: deliveries before
//! what nodes set themselves a time for, those before channels that wake their waiters, and those before requests;
//! deliveries and requests by message number.

pub mod flit;
mod messages;
pub(crate) mod shared;
pub mod sleep;
pub(super) mod stages;
pub mod worm;

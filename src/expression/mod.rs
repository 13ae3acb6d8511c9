//! Expressions: `workload.multicast.group <= product(network.mesh.shape)`.
//!
//! ```text
//!   comparison  <  <=  >  >=  ==  !=   of numbers, strings, booleans and arrays, joined with `and`, `or`, `not`
//!   number      + - * / %, of double precision: integers are exact up to 2^53
//!   name        dotted; what it stands for is the caller's to say
//!   of an array product(..) sum(..) min(..) max(..) len(..), of a number abs(..) log2(..)
//! ```
//!
//! Operators bind as in most languages: `* / %` before `+ -`, then comparisons, `not`, `and`, `or`; equals from left to
//! right. This floor knows text, bytes of text and values; it refuses to know TOML, scenarios, and what names mean.

mod evaluate;
mod operand;
mod parse;
mod tokens;

pub use operand::Operand;

use crate::fault::Fault;
use evaluate::{Function, Operator};
use std::ops::Range;

/// An expression, and the bytes of the text that spell it.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    span: Range<usize>,
    term: Term,
}

#[derive(Clone, Debug)]
enum Term {
    Literal(Operand),
    Name(String),
    Call(Function, Box<Expression>),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Both(Operator, Box<[Expression; 2]>),
}

impl Expression {
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The names that it reads, in the order in which they stand.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.collect_names(&mut names);
        names
    }

    /// The name that it is, if it is nothing else.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.term {
            Term::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Puts what `other` says in place of names.
    pub(crate) fn rename(&mut self, other: &dyn Fn(&str) -> Option<String>) {
        match &mut self.term {
            Term::Literal(_) => {}
            Term::Name(name) => *name = other(name).unwrap_or_else(|| std::mem::take(name)),
            Term::Not(inner) | Term::Negative(inner) | Term::Call(_, inner) => inner.rename(other),
            Term::Both(_, sides) => sides.iter_mut().for_each(|side| side.rename(other)),
        }
    }

    fn collect_names<'a>(&'a self, names: &mut Vec<&'a str>) {
        match &self.term {
            Term::Literal(_) => {}
            Term::Name(name) => names.push(name),
            Term::Not(inner) | Term::Negative(inner) | Term::Call(_, inner) => inner.collect_names(names),
            Term::Both(_, sides) => sides.iter().for_each(|side| side.collect_names(names)),
        }
    }
}

//! The source of an application: a file or a generator, and the program that it makes.
//!
//! Kinds of applications register the reader of their source ([`Read::Source`](super::Read)), so that several applications can run side
//! by side.

use super::{AsJson, Job, Kind, Row, RowFile, Setting};
use crate::config::{Files, Reader};
use crate::schedule::goal::{DataCheck, Goal, Names};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Operations of ranks, ready to be placed on nodes.
#[derive(Clone, Debug)]
pub struct Program {
    /// The operations.
    pub goal: Arc<Goal>,
    /// The verification of the data, for files whose steps move data.
    pub data: Option<Arc<DataCheck>>,
    /// True if an operation begins after the ends of all operations that it requires, whatever their processors.
    pub in_time: bool,
}

impl Program {
    /// Creates a program of `goal` in which dependencies are in time.
    pub fn new(goal: Goal) -> Self {
        Self { goal: Arc::new(goal), data: None, in_time: true }
    }
}

/// The surroundings of a source that is read.
pub struct Scene<'a> {
    /// The point.
    pub setting: &'a Setting<'a>,
    /// The bytes of a flit.
    pub flit_bytes: u64,
}

/// Reads the keys of a kind of application that are its own. Errors have been reported if there is no source.
pub type ReadSource = fn(&Reader<'_>, &Scene<'_>, &mut Files<'_>) -> Option<Arc<dyn Source>>;

/// Adds the values of a kind's own columns to a row, and lines to its own files.
pub type Report = Box<dyn Fn(&mut Row) + Send + Sync>;

/// The keys of a kind of application, and its program.
pub trait Source: AsJson + Any + fmt::Debug + Send + Sync {
    /// The kind.
    fn kind(&self) -> &'static Kind;

    /// Returns the program, or an example for kinds that draw a program in each repetition. Programs of files are kept, others are
    /// made again each time.
    fn program(&self) -> Arc<Program>;

    /// Returns the program of `job`, and the values of the kind's own columns and files.
    fn draw(&self, _job: Job<'_>) -> (Arc<Program>, Report) {
        (self.program(), Box::new(|_| ()))
    }

    /// The name of the program in titles and messages, such as the name of its file.
    fn called(&self) -> String {
        self.kind().in_words.to_owned()
    }

    /// The names of the operations, such as the labels of a GOAL file.
    fn names(&self) -> Names {
        Names::default()
    }

    /// The file of GOAL or MSCCL text whose lines the operations name, if there is one.
    fn text_file(&self) -> Option<&str> {
        None
    }

    /// The key that makes the program long.
    fn longest_key(&self) -> &'static str;

    /// Returns true if the size of a flit decides how vectors are cut, so that it counts without a network too.
    fn cuts_vectors(&self) -> bool {
        false
    }

    /// The files that rows add lines to, links.csv as the last.
    fn files(&self) -> &'static [RowFile] {
        self.kind().files
    }
}

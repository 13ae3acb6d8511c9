//! Why measurements cannot be used.

use super::Format;

/// Why a file, or several, cannot be turned into parameters. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A line stands where a row is expected and is none.
    #[error("{file}:{line}: `{text}`: {problem}\n  accepted: {accepted}\n  hint: {hint}")]
    Row {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// What it says.
        text: String,
        /// What is wrong with it.
        problem: String,
        /// What is accepted.
        accepted: &'static str,
        /// How to mend it.
        hint: &'static str,
    },
    /// A benchmark that does not time single messages between two processes.
    #[error(
        "{file}:{line}: `{text}` is not a benchmark of messages in one direction between two processes, so no t_hold or \
         t_end follows from it\n  accepted: osu_latency, osu_bw, osu_mbw_mr (a fixed window)\n  hint: measure one of \
         these between two nodes of the same machine"
    )]
    NotPointToPoint {
        /// The file.
        file: String,
        /// The line of its title.
        line: usize,
        /// The title.
        text: String,
    },
    /// A header that several benchmarks print, without the title that tells them apart.
    #[error(
        "{file}:{line}: `{text}`: without a title this can be osu_latency or a collective benchmark\n  accepted: a title \
         such as `# OSU MPI Latency Test v7.3` above it\n  hint: put the title back if this is osu_latency"
    )]
    NoTitle {
        /// The file.
        file: String,
        /// The line of the header.
        line: usize,
        /// The header.
        text: String,
    },
    /// A second benchmark, or a second format, starts in the same file.
    #[error(
        "{file}:{line}: `{text}`: a second table starts here; line {first} starts the first\n  accepted: one table per \
         file\n  hint: split the file here, and give both parts if they complement each other"
    )]
    SecondTable {
        /// The file.
        file: String,
        /// The line where the second starts.
        line: usize,
        /// What it says.
        text: String,
        /// The line where the first starts.
        first: usize,
    },
    /// Nothing in the file tells its format.
    #[error(
        "{file}: not recognised; {}\n  accepted: OSU text of osu_latency, osu_bw or osu_mbw_mr; the table of logp_mpi (`# LogP \
         network performance data`); the loggp table of Netgauge (`# size n PRTT(1,0,s)`)\n  hint: if it is one of them \
         without its header, say which with --format",
        .first.as_ref().map_or("it is empty".to_owned(), |text| format!("it starts with `{text}`"))
    )]
    Unrecognised {
        /// The file.
        file: String,
        /// Its first line that is not blank, if there is one.
        first: Option<String>,
    },
    /// The file has its header but nothing that can be used under it.
    #[error(
        "{file}: no row of {format} can be used{}\n  accepted: {}\n  hint: was the run cut short, or do --from and --to \
         leave nothing?",
        .skipped.as_ref().map_or(String::new(), |why| format!("; the first that was skipped: {why}")),
        .format.rows()
    )]
    NoRows {
        /// The file.
        file: String,
        /// The format that it was read as.
        format: Format,
        /// The first row that was skipped, and why.
        skipped: Option<String>,
    },
    /// Rows without a line that a format cannot do without.
    #[error("{file}: {missing}\n  accepted: {accepted}\n  hint: {hint}")]
    Missing {
        /// The file.
        file: String,
        /// What is missing.
        missing: &'static str,
        /// What is accepted.
        accepted: &'static str,
        /// How to mend it.
        hint: &'static str,
    },
    /// A line cannot be laid through measurements of one size.
    #[error(
        "{files}: {what} is measured at one size only, {bytes} bytes; a line needs two\n  accepted: rows of at least two \
         sizes\n  hint: run the benchmark over its default range of sizes"
    )]
    OneSize {
        /// The files.
        files: String,
        /// Which time.
        what: &'static str,
        /// The size.
        bytes: u64,
    },
    /// Two files that measure the same.
    #[error(
        "{first} and {second} both measure {what}\n  accepted: several files that complement each other, such as \
         osu_latency and osu_bw\n  hint: fit them one by one"
    )]
    SameMeasured {
        /// A file.
        first: String,
        /// Another.
        second: String,
        /// Which time.
        what: &'static str,
    },
}

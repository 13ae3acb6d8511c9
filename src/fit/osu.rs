//! What the OSU micro-benchmarks print: `osu_latency`, `osu_bw` and `osu_mbw_mr`.
//!
//! A title (`# OSU MPI-CUDA Latency Test v7.3`), lines about options, a header (`# Size  Avg Latency(us)`), and rows of a
//! size in bytes and a value, then columns that options add: minimum, maximum, iterations, percentiles, validation. Job
//! logs lose the `#` and mix in lines of other programs: what does not start with a digit is skipped, and so is what
//! comes before title and header. A row that failed its validation is skipped, and so is a value that was rounded to
//! zero, which says nothing relative to itself.
//!
//! Latencies are one-way times in microseconds. Bandwidths are in units of 10^6 bytes per second over a window of sends
//! that are under way at once, so `m` divided by the bandwidth is the gap between sends in the steady state. Where a
//! message rate is printed it is used, because it has more digits. Of `osu_mbw_mr` with several pairs each pair is
//! taken to have its share.

use super::{
    FitError, FitPlace, Format, Measurements, Numbered, Sample, bad_row, byte_count, clipped, number, numbered,
    uncommented,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Benchmark {
    Latency,
    Bandwidth,
    MessageRate,
}

impl Benchmark {
    /// The benchmark of a title, if it is one that can be used.
    fn of_title(title: &str) -> Option<Self> {
        let (runtime, rest) = title.strip_prefix("OSU ")?.split_once(' ')?;
        let (name, _version) = rest.split_once("Test")?;
        if !matches!(runtime.split('-').next()?, "MPI" | "NCCL" | "RCCL" | "XCCL") {
            return None;
        }
        match name.trim() {
            "Latency" => Some(Self::Latency),
            "Bandwidth" => Some(Self::Bandwidth),
            "Multiple Bandwidth / Message Rate" => Some(Self::MessageRate),
            _ => None,
        }
    }

    /// The benchmark of a header without a title, if only one that can be used has it.
    fn of_header(header: &str) -> Option<Self> {
        let telling =
            [("Messages/s", Self::MessageRate), ("Bandwidth (MB/s)", Self::Bandwidth), ("Latency (us)", Self::Latency)];
        telling.into_iter().find(|(words, _)| header.contains(words)).map(|(_, benchmark)| benchmark)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Latency => "osu_latency",
            Self::Bandwidth => "osu_bw",
            Self::MessageRate => "osu_mbw_mr",
        }
    }

    fn unit(self) -> &'static str {
        if self == Self::Latency { "(us)" } else { "MB/s" }
    }
}

/// Whether a line without its `#` is a title.
pub(super) fn is_title(line: &str) -> bool {
    line.starts_with("OSU ") && line.split_whitespace().any(|word| word == "Test")
}

/// Whether a line without its `#` is the header of a table.
pub(super) fn is_header(line: &str) -> bool {
    line.starts_with("Size") && (line.contains("(us)") || line.contains("/s"))
}

pub(super) fn read(file: &str, text: &str) -> Result<Measurements, FitError> {
    let mut reader = Reader::new(file);
    for line in numbered(text) {
        reader.line(line)?;
    }
    let benchmark = reader.benchmark.ok_or_else(|| FitError {
        place: None,
        problem: format!("{file}: no title or header identifies the benchmark"),
        accepted: "a title such as `# OSU MPI Latency Test v7.3`, or a header such as `# Size  Bandwidth (MB/s)`",
        hint: "restore the title of the benchmark as the first line",
    })?;
    let mut measurements = reader.measurements;
    let title = reader.title.map_or_else(String::new, |title| format!(" (`{title}`)"));
    for origin in &mut measurements.origins {
        origin.recognised = format!("{}{title}", benchmark.name());
    }
    if title.is_empty() {
        let name = benchmark.name();
        measurements.assumed.push(format!("{file}: without a title, the header is assumed to be that of {name}"));
    }
    if benchmark == Benchmark::MessageRate && reader.pairs > 1.0 {
        let pairs = reader.pairs;
        let share =
            format!("{file}: the measured values are divided evenly among {pairs} pairs; t_hold is that of one pair");
        measurements.assumed.push(share);
    }
    Ok(measurements)
}

struct Reader<'a> {
    file: &'a str,
    benchmark: Option<Benchmark>,
    title: Option<String>,
    /// The line of the title, or of the header without one.
    starts: usize,
    header: bool,
    pairs: f64,
    measurements: Measurements,
}

impl<'a> Reader<'a> {
    fn new(file: &'a str) -> Self {
        let measurements = Measurements::new(file, String::new());
        Self { file, benchmark: None, title: None, starts: 0, header: false, pairs: 1.0, measurements }
    }

    fn line(&mut self, numbered: Numbered<'_>) -> Result<(), FitError> {
        let Numbered { line, text } = numbered;
        let content = uncommented(text);
        let bare = Numbered { line, text: content };
        if is_title(content) {
            self.read_title(bare)
        } else if is_header(content) {
            self.read_header(bare)
        } else if content.starts_with("[ pairs:") {
            self.read_pairs(bare)
        } else if text.starts_with('#') || text.is_empty() || content.starts_with("Datatype") {
            Ok(())
        } else if !text.starts_with(|first: char| first.is_ascii_digit()) {
            self.measurements.skip(line, format!("not a row: `{}`", clipped(text)));
            Ok(())
        } else if let Some(benchmark) = self.benchmark {
            self.row(benchmark, numbered)
        } else {
            self.measurements.skip(line, format!("before any title or header: `{}`", clipped(text)));
            Ok(())
        }
    }

    fn read_title(&mut self, title: Numbered<'_>) -> Result<(), FitError> {
        self.only_one(self.benchmark.is_some(), title)?;
        let benchmark = Benchmark::of_title(title.text).ok_or_else(|| FitError {
            place: Some(FitPlace::new(self.file, title)),
            problem:
                "this is not a benchmark of messages in one direction between two processes, so it determines neither \
                 t_hold nor t_end"
                    .to_owned(),
            accepted: "osu_latency, osu_bw, osu_mbw_mr (a fixed window)",
            hint: "measure one of these between two nodes of the same machine",
        })?;
        (self.benchmark, self.title, self.starts) = (Some(benchmark), Some(clipped(title.text)), title.line);
        Ok(())
    }

    fn read_header(&mut self, header: Numbered<'_>) -> Result<(), FitError> {
        self.only_one(self.header, header)?;
        self.header = true;
        let place = FitPlace::new(self.file, header);
        match self.benchmark {
            None => {
                let benchmark = Benchmark::of_header(header.text).ok_or_else(|| FitError {
                    place: Some(place.clone()),
                    problem: "without a title, this can be osu_latency or a collective benchmark".to_owned(),
                    accepted: "a title such as `# OSU MPI Latency Test v7.3` above it",
                    hint: "restore the title if this is osu_latency",
                })?;
                (self.benchmark, self.starts) = (Some(benchmark), header.line);
                Ok(())
            }
            Some(benchmark) if header.text.contains(benchmark.unit()) => Ok(()),
            Some(benchmark) => Err(FitError {
                place: Some(place),
                problem: format!(
                    "this is not the header of {}, whose values are in {}",
                    benchmark.name(),
                    benchmark.unit()
                ),
                accepted: "`Size  Latency (us)`, `Size  Bandwidth (MB/s)`, `Size  MB/s  Messages/s`",
                hint: "other units and tables of varied windows are not supported",
            }),
        }
    }

    /// A benchmark's table starts at `row`; `again` if there is one already.
    fn only_one(&self, again: bool, row: Numbered<'_>) -> Result<(), FitError> {
        if again { Err(FitError::second_table(self.file, row, self.starts)) } else { Ok(()) }
    }

    fn read_pairs(&mut self, row: Numbered<'_>) -> Result<(), FitError> {
        let varied = row.text.contains("varied");
        let pairs = row.text.split_whitespace().nth(2).and_then(number).filter(|&pairs| pairs >= 1.0 && !varied);
        self.pairs = pairs.ok_or_else(|| FitError {
            place: Some(FitPlace::new(self.file, row)),
            problem: "this is not a number of pairs and a single window size".to_owned(),
            accepted: "`[ pairs: 1 ] [ window size: 64 ]`",
            hint: "measure without -V, which varies the window",
        })?;
        Ok(())
    }

    fn row(&mut self, benchmark: Benchmark, row: Numbered<'_>) -> Result<(), FitError> {
        let Numbered { line, text } = row;
        let wrong = |problem: String| bad_row(self.file, row, Format::Osu, problem);
        let mut tokens = text.split_whitespace();
        let size = tokens.next().unwrap_or_default(); // what is empty is refused as a size
        let value = tokens.next();
        let bytes: u64 = size.parse().map_err(|_| wrong(format!("`{size}` is not a size in bytes")))?;
        let value = value.ok_or_else(|| wrong("a value is missing after the size".to_owned()))?;
        let time = |token| number(token).filter(|&value| value >= 0.0);
        let value = time(value).ok_or_else(|| wrong(format!("`{value}` is not a measured value")))?;
        let further: Vec<&str> = tokens.collect();
        let is_verdict = |token: &str| token.eq_ignore_ascii_case("pass") || token.eq_ignore_ascii_case("fail");
        if let Some(odd) = further.iter().find(|token| !is_verdict(token) && token.parse::<f64>().is_err()) {
            return Err(wrong(format!("`{odd}` is neither a number nor Pass or Fail")));
        }
        if further.iter().any(|token| token.eq_ignore_ascii_case("fail")) {
            self.measurements.skip(line, "it failed its validation");
            return Ok(());
        }
        let rate = further.first().and_then(|token| number(token)).filter(|&rate| rate > 0.0);
        let rate = if benchmark == Benchmark::MessageRate { rate } else { None };
        self.sample(benchmark, Sample { bytes, seconds: 0.0, line }, value, rate);
        Ok(())
    }

    /// `value` is in the benchmark's unit, `rate` in messages per second.
    fn sample(&mut self, benchmark: Benchmark, mut sample: Sample, value: f64, rate: Option<f64>) {
        if value <= 0.0 && rate.is_none() {
            return self.measurements.skip(sample.line, format!("its value at {} is zero", byte_count(sample.bytes)));
        }
        if benchmark == Benchmark::Latency {
            sample.seconds = value * 1e-6;
            return self.measurements.t_end.push(sample);
        }
        if sample.bytes == 0 {
            return self.measurements.skip(sample.line, "a message of 0 bytes has no bandwidth");
        }
        let per_pair = super::Affine { constant: 0.0, per_byte: self.pairs }.at(sample.bytes) / (value * 1e6);
        sample.seconds = rate.map_or(per_pair, |rate| self.pairs / rate);
        self.measurements.t_hold.push(sample);
    }
}

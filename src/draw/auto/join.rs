//! Tables of several runs as one, whose key `run` distinguishes them.

use super::data::{Data, TextColumn};
use crate::scenario::TickLength;
use thiserror::Error;

/// The key that distinguishes runs.
const RUN: &str = "run";

/// An error that prevents tables from being joined.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum JoinError {
    /// Times of the runs have different units.
    #[error("the length of a tick is {} in {}, but {} in {}, so their times cannot share an axis", shown(&.ticks[0]), .runs[0], shown(&.ticks[1]), .runs[1])]
    Ticks {
        /// Two runs.
        runs: [String; 2],
        /// The lengths of their ticks.
        ticks: [TickLength; 2],
    },
}

fn shown(ticks: &TickLength) -> &str {
    ticks.text().unwrap_or("not specified")
}

/// The table of several runs, each called by a name of its own: their rows below each other. A key or column that a run does
/// not have is empty there.
///
/// # Errors
/// Returns an error if ticks of two runs have different lengths.
pub fn join(mut runs: Vec<(String, Data)>) -> Result<Data, JoinError> {
    if runs.len() < 2 {
        return Ok(runs.pop().map(|(name, data)| Data { name: Some(name), ..data }).unwrap_or_default());
    }
    for pair in runs.windows(2) {
        let [(one, first), (other, second)] = pair else { continue };
        if first.ticks != second.ticks {
            let ticks = [first.ticks.clone(), second.ticks.clone()];
            return Err(JoinError::Ticks { runs: [one.clone(), other.clone()], ticks });
        }
    }
    let swept = distinct(runs.iter().flat_map(|(_, data)| &data.swept));
    let measures = runs.iter().flat_map(|(_, data)| data.columns.iter().map(|column| &column.name));
    let measures = distinct(measures.filter(|name| !swept.contains(name) && *name != "algorithm"));
    let rows = |(name, data): &(String, Data)| vec![name.clone(); data.rows()];
    let mut columns = vec![TextColumn { name: RUN.to_owned(), values: runs.iter().flat_map(rows).collect() }];
    for name in swept.iter().chain([&"algorithm".to_owned()]).chain(&measures) {
        let values = runs.iter().flat_map(|(_, data)| fields(data, name)).collect();
        columns.push(TextColumn { name: name.clone(), values });
    }
    let keys = std::iter::once(RUN.to_owned()).chain(swept).collect();
    Ok(Data { columns, swept: keys, ticks: runs[0].1.ticks.clone(), name: None })
}

/// The distinct ones of `names`, in their order.
fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    all
}

/// The fields of the column called `name`, empty where there is none.
fn fields(data: &Data, name: &str) -> Vec<String> {
    data.column(name).map_or_else(|| vec![String::new(); data.rows()], <[String]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_told_apart_by_a_key() {
        let data = |csv: &str| Data::from_csv(csv.as_bytes()).unwrap_or_default();
        let one = data("scenario,k,algorithm,repetitions,a_mean\ns,1,x,1,5\n");
        let other = data("scenario,algorithm,repetitions,b_mean\nt,x,1,6\n");
        let joined = join(vec![("one".to_owned(), one.clone()), ("other".to_owned(), other.clone())]);
        let joined = joined.unwrap_or_default();
        assert_eq!(joined.swept, ["run", "k"]);
        let values = |name: &str| joined.column(name).map(<[String]>::to_vec).unwrap_or_default();
        assert_eq!([values("run"), values("k"), values("b_mean")], [["one", "other"], ["1", ""], ["", "6"]]);
        let slower = Data { ticks: TickLength::Cycle, ..other };
        let error = join(vec![("one".to_owned(), one), ("other".to_owned(), slower)]).map(|_| ());
        assert_eq!(
            error.map_err(|error| error.to_string()),
            Err(
                "the length of a tick is not specified in one, but cycle in other, so their times cannot share an axis"
                    .to_owned()
            )
        );
    }
}

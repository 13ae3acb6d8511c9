//! Names as they are written: which one is meant, and lists of them for messages.
//!
//! Knows nothing of what the names stand for.

use crate::synonyms;

/// The name among `names` that is meant by `written`: one that is called so elsewhere, or that is spelt most like it.
pub fn closest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let names: Vec<&str> = names.into_iter().collect();
    synonyms::meant(written, names.iter().copied()).or_else(|| nearest(written, &names))
}

/// The name with the fewest slips of the keyboard, a third of its letters at most, or else one that begins alike.
fn nearest<'a>(written: &str, names: &[&'a str]) -> Option<&'a str> {
    let likeness = |name: &str| strsim::jaro_winkler(written, name);
    let most = written.chars().count() / 3;
    let slips = names.iter().rev().map(|&name| (strsim::osa_distance(written, name), name));
    let near = slips.filter(|&(slips, _)| slips <= most);
    let fewest = near.min_by(|a, b| a.0.cmp(&b.0).then(likeness(b.1).total_cmp(&likeness(a.1))));
    if let Some((_, name)) = fewest {
        return Some(name);
    }
    let scored = names.iter().map(|&name| (likeness(name), name));
    scored.filter(|&(likeness, _)| likeness > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// `names`, each in backticks, separated by commas.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_slips_are_meant() {
        let columns = ["latency_sd", "latency", "latency_mean", "network_latency", "accepted"];
        assert_eq!(closest("latncy", columns), Some("latency"));
        assert_eq!(closest("acepted", columns), Some("accepted"));
        assert_eq!(closest("lat", columns), Some("latency"), "the beginning of a name");
        assert_eq!(closest("mehs", ["torus", "mesh"]), Some("mesh"));
        assert_eq!(closest("hops", columns), None);
    }
}

//! References as entries of BibTeX.

use super::{Publication, Reference};

/// Letters with accents, and characters that BibTeX takes for commands.
const ESCAPES: [(char, &str); 14] = [
    ('ä', "{\\\"a}"),
    ('ö', "{\\\"o}"),
    ('ü', "{\\\"u}"),
    ('Ö', "{\\\"O}"),
    ('á', "{\\'a}"),
    ('é', "{\\'e}"),
    ('ó', "{\\'o}"),
    ('ø', "{\\o}"),
    ('ß', "{\\ss}"),
    ('í', "{\\'i}"),
    ('&', "\\&"),
    ('%', "\\%"),
    ('_', "\\_"),
    ('#', "\\#"),
];

/// The entry of `reference`, ending with a line feed.
pub(super) fn entry(reference: &Reference) -> String {
    let (kind, venue) = match reference.publication {
        Publication::Article => ("article", "journal"),
        Publication::Conference => ("inproceedings", "booktitle"),
        Publication::Book => ("book", "publisher"),
        Publication::Report => ("misc", "howpublished"),
    };
    let (volume, number, pages) = parts(reference.pages);
    let year = reference.year.to_string();
    let authors = reference.authors.join(" and ");
    // braces keep the capitals of the title
    let title = format!("{{{}}}", escaped(reference.title));
    let fields = [
        ("author", escaped(&authors)),
        ("title", title),
        (venue, escaped(reference.venue)),
        ("volume", volume.to_owned()),
        ("number", number.to_owned()),
        ("pages", pages.replace('-', "--")),
        ("year", year),
        ("doi", reference.doi.unwrap_or_default().to_owned()),
        ("eprint", reference.arxiv.unwrap_or_default().to_owned()),
        ("archiveprefix", reference.arxiv.map_or("", |_| "arXiv").to_owned()),
    ];
    let fields = fields.iter().filter(|(_, value)| !value.is_empty());
    let lines: Vec<String> = fields.map(|(name, value)| format!("  {name} = {{{value}}}")).collect();
    format!("@{kind}{{{},\n{}\n}}\n", reference.key, lines.join(",\n"))
}

/// Splits `5(12), 1252-1265` into volume, number and pages, any of which may be missing.
fn parts(text: &str) -> (&str, &str, &str) {
    let (issue, pages) = match text.split_once(", ") {
        Some(parts) => parts,
        None if text.contains('(') => (text, ""),
        None if text.contains('-') => ("", text),
        None => (text, ""),
    };
    match issue.split_once('(') {
        Some((volume, number)) => (volume, number.trim_end_matches(')'), pages),
        None => (issue, "", pages),
    }
}

fn escaped(text: &str) -> String {
    let escape = |letter: char| {
        let found = ESCAPES.iter().find(|(known, _)| *known == letter);
        found.map_or_else(|| letter.to_string(), |(_, escape)| (*escape).to_owned())
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{ALL, SWING, U_MESH};
    use super::*;

    #[test]
    fn entries_are_bibtex() {
        assert_eq!(
            U_MESH.bibtex(),
            "@article{mckinley1994unicast,\n  author = {McKinley, Philip K. and Xu, Hong and Esfahanian, Abdol-Hossein and Ni, \
             Lionel M.},\n  title = {{Unicast-Based Multicast Communication in Wormhole-Routed Networks}},\n  journal = {IEEE \
             Transactions on Parallel and Distributed Systems},\n  volume = {5},\n  number = {12},\n  pages = \
             {1252--1265},\n  year = {1994}\n}\n"
        );
        assert!(SWING.bibtex().starts_with("@inproceedings{desensi2024swing,\n"));
    }

    #[test]
    fn entries_are_ascii_with_balanced_braces() {
        for reference in ALL {
            let entry = reference.bibtex();
            assert!(entry.is_ascii(), "{entry}");
            assert_eq!(entry.matches('{').count(), entry.matches('}').count(), "{entry}");
        }
    }
}

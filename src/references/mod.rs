//! Publications that algorithms, routings, networks, models and scenarios come from, and how they are printed: as a line
//! of text and as BibTeX.
//!
//! A reference is data. The registry entry of an algorithm lists its references, so that `flitwise cite` and the guides
//! need no table of their own. Independent of what cites them.

mod bibtex;
mod entries;
mod subjects;

pub use entries::*;
pub use subjects::{SUBJECTS, Subject};

use std::fmt;

/// The kind of a publication, which decides how BibTeX names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publication {
    /// An article in a journal.
    Article,
    /// A paper in the proceedings of a conference.
    Conference,
    /// A book.
    Book,
    /// A preprint, a report or a program.
    Report,
}

/// A publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The key of its BibTeX entry, such as `desensi2024swing`.
    pub key: &'static str,
    /// The authors as `Family, Given`, in the order of the publication. Empty if they are not known.
    pub authors: &'static [&'static str],
    /// The title.
    pub title: &'static str,
    /// The names under which its algorithms are known, such as `OPT-tree, OPT-mesh`, else empty.
    pub known_as: &'static str,
    /// The kind of the publication.
    pub publication: Publication,
    /// The journal, the conference or the publisher.
    pub venue: &'static str,
    /// Volume, number and pages as far as known, such as `5(12), 1252-1265`, else empty.
    pub pages: &'static str,
    /// The year of publication.
    pub year: u16,
    /// The digital object identifier, if one is known.
    pub doi: Option<&'static str>,
    /// The number of the preprint on arXiv, if there is one.
    pub arxiv: Option<&'static str>,
}

impl Reference {
    /// The author and year that a heading or a sentence shows, such as `De Sensi et al. 2024`.
    pub fn short(&self) -> String {
        let family = |author: &str| author.split(',').next().unwrap_or(author).trim().to_owned();
        let names = match self.authors {
            [] => self.title.split(':').next().unwrap_or_default().to_owned(),
            [one] => family(one),
            [one, other] => format!("{} and {}", family(one), family(other)),
            [first, ..] => format!("{} et al.", family(first)),
        };
        format!("{names} {}", self.year)
    }

    /// The entry of a bibliography in BibTeX.
    pub fn bibtex(&self) -> String {
        bibtex::entry(self)
    }
}

impl fmt::Display for Reference {
    /// Writes authors, title, venue, pages, year and identifier on a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.authors.iter().map(|author| given_first(author)).collect();
        let authors = match names.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => names.concat(),
        };
        if !authors.is_empty() {
            write!(f, "{authors}. ")?;
        }
        f.write_str(self.title)?;
        if !self.known_as.is_empty() {
            write!(f, " ({})", self.known_as)?;
        }
        write!(f, ". {}", self.venue)?;
        if !self.pages.is_empty() {
            write!(f, " {}", self.pages)?;
        }
        write!(f, ", {}.", self.year)?;
        if let Some(doi) = self.doi {
            write!(f, " doi:{doi}")?;
        }
        if let Some(arxiv) = self.arxiv {
            write!(f, " arXiv:{arxiv}")?;
        }
        Ok(())
    }
}

/// Turns `Family, Given` into `Given Family`.
fn given_first(author: &str) -> String {
    match author.split_once(", ") {
        Some((family, given)) => format!("{given} {family}"),
        None => author.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_and_entries_complete() {
        let mut keys: Vec<&str> = ALL.iter().map(|reference| reference.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), ALL.len());
        for reference in ALL {
            assert!((1930..=2026).contains(&reference.year), "{}", reference.key);
            assert!(!reference.title.is_empty() && !reference.venue.is_empty(), "{}", reference.key);
            assert!(reference.key.contains(&reference.year.to_string()), "{}", reference.key);
            assert!(reference.doi.is_none_or(|doi| doi.starts_with("10.") && doi.contains('/')), "{}", reference.key);
            assert!(reference.authors.iter().all(|author| !author.contains(" and ")), "{}", reference.key);
        }
        assert!(ALL.is_sorted_by_key(|reference| reference.key));
    }

    #[test]
    fn a_reference_is_a_line_of_text() {
        assert_eq!(
            SWING.to_string(),
            "Daniele De Sensi, Tommaso Bonato, David Saam and Torsten Hoefler. Swing: Short-cutting Rings for Higher \
             Bandwidth Allreduce. 21st USENIX Symposium on Networked Systems Design and Implementation (NSDI) 1445-1462, \
             2024. arXiv:2401.09356"
        );
        assert_eq!(SWING.short(), "De Sensi et al. 2024");
    }
}

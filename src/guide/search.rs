//! Search for words in the pages.

use super::terminal::{Block, blocks};
use super::{Topic, topics};

/// A section of a page that contains the words.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The page.
    pub topic: &'static Topic,
    /// The heading of the section. Empty above the first one.
    pub heading: String,
    /// The first paragraph, row of a table or line of an example that contains the words, without marks of Markdown.
    pub text: String,
}

/// Returns the sections that contain `words`, in any case. Rows of tables that begin with them, which define them, come first.
/// Other sections are in reading order.
pub fn search(words: &str) -> Vec<Passage> {
    let words = words.trim().to_lowercase();
    if words.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(bool, Passage)> = topics().flat_map(|topic| in_page(topic, &words)).collect();
    found.sort_by_key(|(defines, _)| !defines);
    found.into_iter().map(|(_, passage)| passage).collect()
}

/// The passages of a page, each with true if it is a row that begins with `words`.
fn in_page(topic: &'static Topic, words: &str) -> Vec<(bool, Passage)> {
    let mut found: Vec<(bool, Passage)> = Vec::new();
    let mut heading = String::new();
    for block in blocks(topic.text) {
        if let Block::Heading(_, title) = block {
            heading = title;
            continue;
        }
        let is_table = matches!(block, Block::Table(_));
        for text in block.lines() {
            let lower = text.to_lowercase();
            let defines = is_table && defines(&lower, words);
            let is_first = found.last().is_none_or(|(_, last)| last.heading != heading);
            if lower.contains(words) && (defines || is_first) {
                found.push((defines, Passage { topic, heading: heading.clone(), text }));
            }
        }
    }
    found
}

/// True if the row `text` begins with `words`.
fn defines(text: &str, words: &str) -> bool {
    text.trim_start_matches('`').strip_prefix(words).is_some_and(|rest| rest.starts_with([':', '`']))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn definitions_come_first() {
        let found = search("Head Flit");
        assert_eq!(found[0].topic.name, "words");
        assert!(found[0].text.starts_with("head flit: "), "{:?}", found[0]);
        assert!(found.len() > 2);
    }

    #[test]
    fn each_section_is_found_once() {
        let found = search("repetitions");
        assert!(found.iter().all(|passage| passage.text.to_lowercase().contains("repetitions")));
        let others = found.iter().filter(|passage| !passage.text.starts_with("repetitions"));
        let mut sections: Vec<_> = others.map(|passage| (passage.topic.name, &passage.heading)).collect();
        let count = sections.len();
        sections.dedup();
        assert_eq!(sections.len(), count);
        assert!(search("no such words anywhere").is_empty() && search(" ").is_empty());
    }
}

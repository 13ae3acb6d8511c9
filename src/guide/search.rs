//! Search for words in the pages.

use super::terminal::{Block, blocks};
use super::{Topic, topics};
use crate::output::wrapped;

/// A section of a page that contains the words.
#[derive(Clone, Debug)]
struct Passage {
    topic: &'static Topic,
    /// The heading of the section. Empty above the first one.
    heading: String,
    /// The first paragraph, row of a table or line of an example that contains the words, without marks of Markdown.
    text: String,
}

/// The most sections that are shown.
const MOST: usize = 25;

/// Returns the sections that contain `words` in any case, in lines of at most `width` columns, or `None` if there are none. Rows of
/// tables that define the words come first.
pub fn search_in_terminal(words: &str, width: usize) -> Option<String> {
    let passages = search(words);
    let section = |passage: &Passage| {
        let heading = if passage.heading.is_empty() { String::new() } else { format!(": {}", passage.heading) };
        format!("{}{heading}\n{}\n", passage.topic.name, wrapped(&passage.text, "    ", "    ", width))
    };
    let mut text: String = passages.iter().take(MOST).map(section).collect();
    match passages.len().saturating_sub(MOST) {
        0 => {}
        1 => text += "and 1 more section\n\n",
        more => text += &format!("and {more} more sections\n\n"),
    }
    (!passages.is_empty()).then_some(text)
}

/// The sections that contain `words`, in reading order after those that define them.
fn search(words: &str) -> Vec<Passage> {
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

//! XML elements with numbers as attributes, and errors at their places: GPU, threadblock, step and line.

use crate::schedule::goal::GoalError;
use roxmltree::{Document, Node};
use std::str::FromStr;

/// More attributes than any element of a schedule has. The XML reader compares each with all others of its element.
const MOST_ATTRIBUTES: usize = 1000;

/// The end of the root element.
const END: &str = "</algo>";

/// A text of XML.
pub(super) struct Xml<'a> {
    text: &'a str,
    /// The ends of lines.
    lines: Vec<usize>,
}

/// Returns `bytes` as text that an XML reader can take.
pub(super) fn text(bytes: &[u8]) -> Result<&str, GoalError> {
    let text = std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let text = text.map_err(|_| error_at("", 0, "the file is not UTF-8 text, so it is not XML".to_owned()))?;
    refuse_crowded(text)?;
    Ok(text)
}

/// Parses `text`.
pub(super) fn parse(text: &str) -> Result<Document<'_>, GoalError> {
    Document::parse(text).map_err(|error| not_xml(text, &error))
}

/// An error at byte `start` of `text`.
fn error_at(text: &str, start: usize, message: String) -> GoalError {
    let before = &text[..start];
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.bytes().rev().take_while(|&byte| byte != b'\n').count();
    GoalError { line, column, span: start..start, message, first: None }
}

/// Refuses an element with far more attributes than schedules have.
fn refuse_crowded(text: &str) -> Result<(), GoalError> {
    let mut start = 0;
    for tag in text.split_inclusive('<') {
        if tag.matches('=').count() > MOST_ATTRIBUTES {
            return Err(error_at(text, start, format!("an element has more than {MOST_ATTRIBUTES} attributes")));
        }
        start += tag.len();
    }
    Ok(())
}

/// The reason why `text` is no XML: what tools print before and after their XML, if that is it.
fn not_xml(text: &str, error: &roxmltree::Error) -> GoalError {
    let (line, column) = (error.pos().row as usize, error.pos().col as usize);
    let before = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    let start = (before..=text.len()).find(|&at| text.is_char_boundary(at) && at + 1 >= before + column);
    let start = start.unwrap_or(text.len());
    let word = |text: &str| text.split_whitespace().next().unwrap_or_default().chars().take(20).collect::<String>();
    let tail = text.find(END).map(|at| at + END.len()).filter(|&end| start >= end && !text[end..].trim().is_empty());
    if let Some(end) = tail {
        let start = end + text[end..].len() - text[end..].trim_start().len();
        let message = format!("text after {END}: `{}`; the document ends there", word(&text[start..]));
        return error_at(text, start, message);
    }
    let head = text.find("<algo").filter(|&at| !text[..at].trim_start().starts_with('<') && start <= at);
    if let Some(at) = head.filter(|&at| !text[..at].trim().is_empty()) {
        let start = at - text[..at].trim_start().len();
        return error_at(text, start, format!("text before <algo>: `{}`; the document begins there", word(text)));
    }
    GoalError { line, column, span: start..start, message: format!("the file is not XML: {error}"), first: None }
}

impl<'a> Xml<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, lines: text.match_indices('\n').map(|(end, _)| end).collect() }
    }

    /// An attribute that is 0 or 1.
    pub(super) fn flag(&self, node: Node<'a, 'a>, name: &str) -> Result<Option<bool>, GoalError> {
        match node.attribute(name) {
            None => Ok(None),
            Some("0") => Ok(Some(false)),
            Some("1") => Ok(Some(true)),
            Some(other) => Err(self.error(node, format!("`{name}` cannot be \"{other}\"; accepted: 0, 1"))),
        }
    }

    pub(super) fn optional<T: FromStr>(&self, node: Node<'a, 'a>, name: &str) -> Result<Option<T>, GoalError> {
        if node.has_attribute(name) { self.number(node, name).map(Some) } else { Ok(None) }
    }

    pub(super) fn number<T: FromStr>(&self, node: Node<'a, 'a>, name: &str) -> Result<T, GoalError> {
        let written = self.attribute(node, name)?;
        written.parse().map_err(|_| self.error(node, format!("`{name}` cannot be \"{written}\"; accepted: a number")))
    }

    pub(super) fn attribute(&self, node: Node<'a, 'a>, name: &str) -> Result<&'a str, GoalError> {
        let element = node.tag_name().name();
        node.attribute(name).ok_or_else(|| self.error(node, format!("<{element}> has no `{name}`")))
    }

    /// The line that an element begins in.
    pub(super) fn line(&self, node: Node<'a, 'a>) -> u32 {
        u32::try_from(self.line_at(node.range().start)).unwrap_or(u32::MAX)
    }

    /// The line of a byte, from 1.
    fn line_at(&self, start: usize) -> usize {
        1 + self.lines.partition_point(|&end| end < start)
    }

    /// An error about an element: its GPU, threadblock and step, and the message.
    pub(super) fn error(&self, node: Node<'a, 'a>, message: String) -> GoalError {
        let owner = owner(node);
        let message = if owner.is_empty() { message } else { format!("{owner}: {message}") };
        self.error_from(node.range().start, message)
    }

    /// An error about the tag that begins at byte `start`.
    pub(super) fn error_from(&self, start: usize, message: String) -> GoalError {
        let line = self.line_at(start);
        let column = start + 1 - line.checked_sub(2).map_or(0, |before| self.lines[before] + 1);
        let end = self.text[start..].find('>').map_or(self.text.len(), |length| start + length + 1);
        GoalError { line, column, span: start..end, message, first: None }
    }
}

/// The GPU, threadblock and step of an element, as far as it is in one and they have numbers.
fn owner(node: Node<'_, '_>) -> String {
    let mut names: Vec<String> = Vec::new();
    for element in node.ancestors().filter(Node::is_element) {
        let (noun, id) = match element.tag_name().name() {
            "gpu" => ("gpu", element.attribute("id")),
            "tb" => ("tb", element.attribute("id")),
            "algo" => continue,
            _ => ("step", element.attribute("s").or(element.attribute("step"))),
        };
        names.extend(id.map(|id| format!("{noun} {id}")));
    }
    names.reverse();
    names.join(", ")
}

/// The child elements called `name`.
pub(super) fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

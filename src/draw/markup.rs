//! Elements of a picture as a tree, for SVG files and for pages that build the same elements themselves.
//!
//! A tree is written as SVG text ([`Element::svg`]), or, by serde, as nested arrays that a page turns into elements one by
//! one, without reading markup: `["g", {"class": "line"}, ["path", {"d": "M0 0"}], "text"]`. What users wrote is escaped in
//! the one, and text in the other. This file refuses to know what is drawn.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::fmt;

/// The namespace of SVG.
pub const NAMESPACE: &str = "http://www.w3.org/2000/svg";

/// An element with its attributes and what is in it, in order.
///
/// ```
/// use flitwise::draw::markup::Element;
///
/// let text = Element::new("text").with("x", 3).with("class", "ink").text("a < b");
/// assert_eq!(text.svg(), "<text x=\"3\" class=\"ink\">a &lt; b</text>\n");
/// assert_eq!(serde_json::to_string(&text)?, r#"["text",{"x":"3","class":"ink"},"a < b"]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub name: &'static str,
    /// Names and values, each name once.
    pub attributes: Vec<Attribute>,
    /// What is in it.
    pub children: Vec<Child>,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// Its value, not escaped.
    pub value: String,
}

/// What is in an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Child {
    /// Another element.
    Element(Element),
    /// Text, not escaped.
    Text(String),
}

impl Element {
    /// An empty element.
    pub fn new(name: &'static str) -> Self {
        Self { name, attributes: Vec::new(), children: Vec::new() }
    }

    /// The same with an attribute, in place of one of this name.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "values are numbers and borrowed text")]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.attributes.retain(|attribute| attribute.name != name);
        self.attributes.push(Attribute { name, value: value.to_string() });
        self
    }

    /// The same with another element behind what is in it.
    #[must_use]
    pub fn with_child(mut self, element: Self) -> Self {
        self.children.push(Child::Element(element));
        self
    }

    /// The same with `elements` behind what is in it.
    #[must_use]
    pub fn with_children(mut self, elements: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(elements.into_iter().map(Child::Element));
        self
    }

    /// The same with text behind what is in it.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.children.push(Child::Text(text.into()));
        self
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.value.as_str())
    }

    /// The element as SVG text, a line for each element that has others in it.
    pub fn svg(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        text.push('<');
        text.push_str(self.name);
        for Attribute { name, value } in &self.attributes {
            text.push(' ');
            text.push_str(name);
            text.push_str("=\"");
            escape(value, text);
            text.push('"');
        }
        if self.children.is_empty() {
            text.push_str("/>\n");
            return;
        }
        text.push('>');
        if matches!(self.children.first(), Some(Child::Element(_))) {
            text.push('\n');
        }
        for child in &self.children {
            match child {
                Child::Element(element) => element.write(text),
                Child::Text(words) => escape(words, text),
            }
        }
        text.push_str("</");
        text.push_str(self.name);
        text.push_str(">\n");
    }
}

/// Adds `words` to `text` so that XML reads the same words; what no XML may hold, control characters, as `U+FFFD`.
fn escape(words: &str, text: &mut String) {
    for letter in words.chars() {
        match letter {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\t' => text.push_str("&#9;"),
            '\n' => text.push_str("&#10;"),
            '\r' => text.push_str("&#13;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => text.push(char::REPLACEMENT_CHARACTER),
            other => text.push(other),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.svg())
    }
}

impl Serialize for Element {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut parts = serializer.serialize_seq(Some(2 + self.children.len()))?;
        parts.serialize_element(self.name)?;
        parts.serialize_element(&Attributes(&self.attributes))?;
        for child in &self.children {
            match child {
                Child::Element(element) => parts.serialize_element(element)?,
                Child::Text(text) => parts.serialize_element(text)?,
            }
        }
        parts.end()
    }
}

/// Attributes as a map.
struct Attributes<'a>(&'a [Attribute]);

impl Serialize for Attributes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|attribute| (attribute.name, &attribute.value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_wrote_stays_text() {
        let evil = "x</title><script>\"'&amp;\u{1}\n";
        let element = Element::new("g").with("data-panel", evil).with_child(Element::new("title").text(evil));
        let svg = element.svg();
        let document = roxmltree::Document::parse(&svg);
        let read = document.map(|document| {
            let group = document.root_element();
            let title = group.first_element_child().and_then(|title| title.text().map(str::to_owned));
            (group.attribute("data-panel").map(str::to_owned), title)
        });
        let shown = Some(evil.replace('\u{1}', "\u{fffd}"));
        assert_eq!(read, Ok((shown.clone(), shown)), "{svg}");
    }

    #[test]
    fn an_attribute_stands_once() {
        let element = Element::new("svg").with("x", 1).with("y", 2).with("x", 3);
        assert_eq!((element.attribute("x"), element.attributes.len()), (Some("3"), 2));
    }
}

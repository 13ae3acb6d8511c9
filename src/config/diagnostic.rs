//! What is wrong with a scenario, shown where it stands.
//!
//! A diagnostic names the file and the line, shows the offending text, says what is accepted and gives a hint. It knows
//! nothing of what scenarios mean.

use crate::spelling::closest;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::ops::Range;

/// A text that diagnostics can point into: a file or a command-line argument.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the user wrote it, or the name of the argument.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// A stretch of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index into the document's sources.
    pub source: usize,
    /// Bytes of the source's text.
    pub span: Range<usize>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What is wrong, in one line.
    pub message: String,
    /// Where; none if it is not in any text.
    pub place: Option<Place>,
    /// What is accepted instead.
    pub note: Option<String>,
    /// What the user may have meant.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Something wrong at `place`.
    pub fn at(place: Place, message: impl Into<String>) -> Self {
        Self { message: message.into(), place: Some(place), note: None, hint: None }
    }

    /// With what is accepted.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// With what the user may have meant.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With the name among `names` that is spelt like `written`, if there is one.
    pub fn did_you_mean<'a>(self, written: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        match closest(written, names) {
            Some(name) => self.hint(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

/// The diagnostics as text for a terminal, with colours if `styled`; ends with the number of errors.
pub fn render(diagnostics: &[Diagnostic], sources: &[Source], styled: bool) -> String {
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    let mut text: String = diagnostics.iter().map(|d| render_one(d, sources, &renderer) + "\n\n").collect();
    let (count, s) = (diagnostics.len(), if diagnostics.len() == 1 { "" } else { "s" });
    text += &format!("{count} error{s}\n");
    text
}

fn render_one(diagnostic: &Diagnostic, sources: &[Source], renderer: &Renderer) -> String {
    let title = Level::ERROR.primary_title(&diagnostic.message);
    let mut group = match diagnostic.place.as_ref().and_then(|place| Some((place, sources.get(place.source)?))) {
        Some((place, source)) => {
            let annotation = AnnotationKind::Primary.span(place.span.clone());
            title.element(Snippet::source(&source.text).path(&source.name).annotation(annotation))
        }
        None => Group::with_title(title),
    };
    if let Some(note) = &diagnostic.note {
        group = group.element(Level::NOTE.message(note));
    }
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.message(hint));
    }
    renderer.render(&[group])
}

//! What is wrong with a scenario, shown where it stands.
//!
//! A diagnostic names the file and the line, shows the offending text, says what is accepted and gives a hint. It knows
//! nothing of what scenarios mean.

use super::lookalike::{Lookalike, plain};
use super::proportion::in_proportion;
use super::visible::{beside_styles, visible};
use crate::spelling::closest;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use std::ops::Range;

/// A text that diagnostics can point into: a file or a command-line argument.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the user wrote it, or the name of the argument.
    pub name: String,
    /// The whole text, or the lines of it from [`Self::first_line`] on.
    pub text: String,
    /// The number of the line that the text begins with, from 1.
    pub first_line: usize,
}

impl Source {
    /// The whole text called `name`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), first_line: 1 }
    }

    /// The number of the line that has byte `at` of the text.
    pub(super) fn line_of(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        self.first_line + before.iter().filter(|&&byte| byte == b'\n').count()
    }

    /// A text that begins with line `first_line` of what is called `name`.
    pub fn excerpt(name: impl Into<String>, text: impl Into<String>, first_line: usize) -> Self {
        Self { name: name.into(), text: text.into(), first_line }
    }
}

/// A stretch of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index into the document's sources.
    pub source: usize,
    /// Bytes of the source's text.
    pub span: Range<usize>,
}

/// Another stretch of a source that has to do with what is wrong, and what it has to do with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Related {
    /// Where.
    pub place: Place,
    /// What is there, in a few words.
    pub label: String,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What is wrong, in one line.
    pub message: String,
    /// Where; none if it is not in any text.
    pub place: Option<Place>,
    /// Other places in the same source, such as where what stands twice stands first; and what is at its own place,
    /// where the message does not say it.
    pub related: Box<[Related]>,
    /// What is accepted instead.
    pub note: Option<String>,
    /// What the user may have meant.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Something wrong at `place`.
    pub fn at(place: Place, message: impl Into<String>) -> Self {
        Self { place: Some(place), ..Self::unplaced(message) }
    }

    /// Something wrong that is in no text.
    pub fn unplaced(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, related: Box::default(), note: None, hint: None }
    }

    /// With another place, or its own, and what is there.
    #[must_use]
    pub fn related(mut self, place: Place, label: impl Into<String>) -> Self {
        let mut related = self.related.into_vec();
        related.push(Related { place, label: label.into() });
        self.related = related.into_boxed_slice();
        self
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
        let Some(name) = closest(&plain(written), names) else { return self };
        match Lookalike::first_in(written) {
            Some((_, letter)) => {
                self.hint(format!("did you mean `{name}`? the text contains {}", letter.description()))
            }
            None => self.hint(format!("did you mean `{name}`?")),
        }
    }
}

/// The most diagnostics that are shown at once, whatever their kinds.
const SHOWN: usize = 100;

/// The diagnostics as text for a terminal, with colours if `styled`: the first three of each kind, then how many more there
/// are of it. Ends with the number of errors.
pub fn render(diagnostics: &[Diagnostic], sources: &[Source], styled: bool) -> String {
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    let all = in_proportion(diagnostics);
    let mut text = String::new();
    for shown in all.iter().take(SHOWN) {
        text += &render_one(shown.diagnostic, sources, &renderer);
        text += "\n\n";
        let rest = shown.describe_rest(sources);
        if !rest.is_empty() {
            text += &format!("{}\n\n", visible(&rest));
        }
    }
    let (count, s) = (diagnostics.len(), if diagnostics.len() == 1 { "" } else { "s" });
    let which = if all.len() > SHOWN { format!("; the first {SHOWN} are shown") } else { String::new() };
    text += &format!("{count} error{s}{which}\n");
    text
}

fn render_one(diagnostic: &Diagnostic, sources: &[Source], renderer: &Renderer) -> String {
    let title = Level::ERROR.primary_title(&diagnostic.message);
    let mut group = match diagnostic.place.as_ref().and_then(|place| Some((place, sources.get(place.source)?))) {
        Some((place, source)) => title.element(snippet(diagnostic, place, source)),
        None => Group::with_title(title),
    };
    // the renderer shows escapes in titles and in sources, but not in these
    if let Some(note) = &diagnostic.note {
        group = group.element(Level::NOTE.message(visible(note)));
    }
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.message(visible(hint)));
    }
    beside_styles(&renderer.render(&[group]))
}

/// What is wrong, and what has to do with it in the same source, shown in the text.
fn snippet<'a>(diagnostic: &'a Diagnostic, place: &Place, source: &'a Source) -> Snippet<'a, Annotation<'a>> {
    let own = diagnostic.related.iter().find(|related| related.place == *place);
    let own = own.map(|related| visible(&related.label));
    let is_other = |related: &&Related| related.place.source == place.source && related.place != *place;
    let here: Vec<&Related> = diagnostic.related.iter().filter(is_other).collect();
    let lines = lines_around(&source.text, here.iter().map(|related| &related.place.span).chain([&place.span]));
    let first_line = source.first_line + source.text[..lines.start].matches('\n').count();
    let in_lines = |span: &Range<usize>| span.start - lines.start..span.end - lines.start;
    let underlined = own.as_deref().map_or(place.span.clone(), |label| before_label(&source.text, &place.span, label));
    let primary = AnnotationKind::Primary.span(in_lines(&underlined)).label(own);
    let snippet = Snippet::source(&source.text[lines.clone()])
        .line_start(first_line)
        .path(visible(&source.name))
        .annotation(primary);
    snippet.annotations(here.into_iter().map(|Related { place, label }| {
        let span = before_label(&source.text, &place.span, label);
        AnnotationKind::Context.span(in_lines(&span)).label(visible(label))
    }))
}

/// The columns that an underline and the label behind it share.
const COLUMNS: usize = 100;
/// The columns that an underline has at least.
const UNDERLINE: usize = 12;

/// The beginning of `span`, so short that `label` behind its underline stays in view.
fn before_label(text: &str, span: &Range<usize>, label: &str) -> Range<usize> {
    let before = text.as_bytes().get(..span.start).unwrap_or_default();
    let indent = before.iter().rev().take_while(|&&byte| byte != b'\n').count();
    let most = COLUMNS.saturating_sub(indent + label.chars().count()).max(UNDERLINE);
    match text.get(span.clone()) {
        Some(marked) if !marked.contains('\n') => {
            let end = marked.char_indices().nth(most).map_or(marked.len(), |(at, _)| at);
            span.start..span.start + end
        }
        _ => span.clone(),
    }
}

/// The lines of `text` in which `spans` are: the renderer goes through all that it is given.
fn lines_around<'a>(text: &str, spans: impl Iterator<Item = &'a Range<usize>>) -> Range<usize> {
    let around = spans.fold(text.len()..0, |around, span| around.start.min(span.start)..around.end.max(span.end));
    // spans may begin within a character, lines do not
    let bytes = text.as_bytes();
    let before = &bytes[..around.start.min(bytes.len())];
    let behind = &bytes[around.end.min(bytes.len())..];
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let end = behind.iter().position(|&byte| byte == b'\n').map_or(text.len(), |length| around.end + length + 1);
    start..end
}

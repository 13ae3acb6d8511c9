//! Text of others in what people read: characters that terminals obey, or that put letters in another order, are shown.
//!
//! Names of files, keys and values come from outside, and an escape sequence in one could clear the screen, or colour what is
//! wrong as if it were right. Knows characters; refuses to know where text goes.

use std::borrow::Cow;

/// `text` with signs in place of control characters, those for ends of lines and tabs aside, and of characters that turn the
/// direction of writing around: `\u{1b}` becomes `␛`.
///
/// ```
/// assert_eq!(flitwise::config::visible("a\u{1b}[2Jb\n"), "a␛[2Jb\n");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|letter| letter != '\n' && letter != '\t' && is_obeyed(letter)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(shown).collect())
}

/// The same of `text` in which escapes are styles.
pub(super) fn beside_styles(text: &str) -> String {
    text.chars().map(|letter| if letter == '\u{1b}' { letter } else { shown(letter) }).collect()
}

/// The first character of `text` that [`visible`] would show, ends of lines and tabs included, as `U+001B`.
pub(crate) fn first_obeyed(text: &str) -> Option<String> {
    let letter = text.chars().find(|&letter| is_obeyed(letter))?;
    Some(format!("U+{:04X}", u32::from(letter)))
}

/// Whether terminals do something else with `letter` than to show it, or it is none.
fn is_obeyed(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}'..='\u{ffff}')
}

fn shown(letter: char) -> char {
    match letter {
        '\n' | '\t' => letter,
        '\u{7f}' => '␡',
        // Unicode has pictures of the first 32 in their order
        _ if u32::from(letter) < 32 => {
            char::from_u32(0x2400 + u32::from(letter)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ if is_obeyed(letter) => char::REPLACEMENT_CHARACTER,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_obey_is_shown_and_all_else_is_as_it_was() {
        for text in ["", "plain\n\tté ± ─", "\u{200f}שלום"] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
        assert_eq!(visible("\r\u{7f}\u{9b}31m\u{0}\u{202e}x\u{2069}"), "␍␡\u{fffd}31m␀\u{fffd}x\u{fffd}");
        assert_eq!(first_obeyed("a\nb"), Some("U+000A".to_owned()));
        assert_eq!(first_obeyed("a b"), None);
    }
}

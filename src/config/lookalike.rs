//! Characters that look like the plain ones of TOML and CSV, or like nothing: pages and word processors put them in.
//!
//! Independent of the texts that contain them.

use std::borrow::Cow;

/// A character that is not the one it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lookalike {
    letter: char,
    /// Its name, with an article.
    name: &'static str,
    /// The plain text that is meant, which may be empty.
    pub(crate) plain: &'static str,
}

const fn lookalike(letter: char, name: &'static str, plain: &'static str) -> Lookalike {
    Lookalike { letter, name, plain }
}

const LOOKALIKES: &[Lookalike] = &[
    lookalike('\u{a0}', "a no-break space", " "),
    lookalike('\u{202f}', "a narrow no-break space", " "),
    lookalike('\u{2007}', "a figure space", " "),
    lookalike('\u{2009}', "a thin space", " "),
    lookalike('\u{200a}', "a hair space", " "),
    lookalike('\u{2002}', "an en space", " "),
    lookalike('\u{2003}', "an em space", " "),
    lookalike('\u{205f}', "a mathematical space", " "),
    lookalike('\u{3000}', "an ideographic space", " "),
    lookalike('\u{2028}', "a line separator", " "),
    lookalike('\u{2029}', "a paragraph separator", " "),
    lookalike('\u{ad}', "a soft hyphen", ""),
    lookalike('\u{200b}', "a zero-width space", ""),
    lookalike('\u{200c}', "a zero-width non-joiner", ""),
    lookalike('\u{200d}', "a zero-width joiner", ""),
    lookalike('\u{200e}', "a left-to-right mark", ""),
    lookalike('\u{200f}', "a right-to-left mark", ""),
    lookalike('\u{2060}', "a word joiner", ""),
    lookalike('\u{feff}', "a byte order mark", ""),
    lookalike('\u{201c}', "a typographic quote", "\""),
    lookalike('\u{201d}', "a typographic quote", "\""),
    lookalike('\u{201e}', "a typographic quote", "\""),
    lookalike('\u{201f}', "a typographic quote", "\""),
    lookalike('\u{ab}', "a typographic quote", "\""),
    lookalike('\u{bb}', "a typographic quote", "\""),
    lookalike('\u{2018}', "a typographic quote", "'"),
    lookalike('\u{2019}', "a typographic quote", "'"),
    lookalike('\u{201a}', "a typographic quote", "'"),
    lookalike('\u{201b}', "a typographic quote", "'"),
    lookalike('\u{2212}', "a typographic minus sign", "-"),
    lookalike('\u{2010}', "a typographic hyphen", "-"),
    lookalike('\u{2011}', "a non-breaking hyphen", "-"),
    lookalike('\u{2013}', "an en dash", "-"),
    lookalike('\u{2014}', "an em dash", "-"),
    lookalike('\u{ff0c}', "a full-width comma", ","),
    lookalike('\u{ff0e}', "a full-width point", "."),
    lookalike('\u{ff1a}', "a full-width colon", ":"),
    lookalike('\u{ff1b}', "a full-width semicolon", ";"),
    lookalike('\u{ff1d}', "a full-width equals sign", "="),
    lookalike('\u{ff3b}', "a full-width bracket", "["),
    lookalike('\u{ff3d}', "a full-width bracket", "]"),
];

impl Lookalike {
    /// The first one in `text`, with its position in bytes.
    pub(crate) fn first_in(text: &str) -> Option<(usize, Self)> {
        text.char_indices().find_map(|(at, letter)| Some((at, Self::find(letter)?)))
    }

    fn find(letter: char) -> Option<Self> {
        LOOKALIKES.iter().find(|known| known.letter == letter).copied()
    }

    /// Number of bytes in UTF-8.
    pub(crate) fn len(self) -> usize {
        self.letter.len_utf8()
    }

    /// The character with its code: `a no-break space (U+00A0)`.
    pub(crate) fn description(self) -> String {
        format!("{} (U+{:04X})", self.name, u32::from(self.letter))
    }

    /// The replacement, as an instruction.
    pub(crate) fn remedy(self) -> String {
        match self.plain {
            "" => "remove this invisible character, which often comes with copied text".to_owned(),
            " " => "write a plain space; copied text often contains other spaces".to_owned(),
            "\"" | "'" => format!("write a straight quote: {}", self.plain),
            plain => format!("write a plain `{plain}`"),
        }
    }
}

/// `text` with plain characters for all lookalikes.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if Lookalike::first_in(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match Lookalike::find(letter) {
            Some(known) => plain.push_str(known.plain),
            None => plain.push(letter),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookalikes_are_named_and_replaced() {
        let (at, space) = Lookalike::first_in("a\u{a0}= 1").unwrap_or((9, LOOKALIKES[1]));
        assert_eq!((at, space.len(), space.description().as_str()), (1, 2, "a no-break space (U+00A0)"));
        assert_eq!(plain("a\u{a0}= “x”\u{200b}"), "a = \"x\"");
        assert!(matches!(plain("größe × ½"), Cow::Borrowed(_)), "letters of other languages are no lookalikes");
        assert_eq!(Lookalike::first_in("plain"), None);
    }

    #[test]
    fn lookalikes_are_listed_once() {
        for (at, known) in LOOKALIKES.iter().enumerate() {
            assert_eq!(Lookalike::find(known.letter), Some(LOOKALIKES[at]), "{}", known.name);
        }
    }
}

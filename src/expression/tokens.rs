//! Tokens of expressions: numbers, strings, words and signs, each with the bytes that spell it.

use super::Fault;
use std::ops::Range;

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Text(String),
    Word(String),
    Sign(&'static str),
}

/// The longer before those that they start with.
const SIGNS: [&str; 13] = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "%", "(", ")"];

/// What other languages write, and what is written here.
const ELSEWHERE: [(&str, &str); 6] =
    [("&&", "and"), ("||", "or"), ("!", "not"), ("=", "=="), ("&", "and"), ("|", "or")];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let token = next(text, at, first)?;
        at = token.span.end;
        tokens.push(token);
    }
    Ok(tokens)
}

fn next(text: &str, at: usize, first: char) -> Result<Token, Fault> {
    let rest = &text[at..];
    if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
        return Ok(Token { kind: Kind::Sign(sign), span: at..at + sign.len() });
    }
    match first {
        '"' | '\'' => quoted(text, at, first),
        _ if first.is_ascii_digit() => number(text, at),
        _ if first.is_ascii_alphabetic() || first == '_' => {
            let word = word(rest);
            Ok(Token { kind: Kind::Word(word.to_owned()), span: at..at + word.len() })
        }
        _ => Err(alien(rest, at, first)),
    }
}

/// Letters, digits, `_` and `.`, as many as `rest` starts with: dotted names, and numbers.
fn word(rest: &str) -> &str {
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
    &rest[..end.unwrap_or(rest.len())]
}

fn number(text: &str, at: usize) -> Result<Token, Fault> {
    let written = word(&text[at..]);
    let span = at..at + written.len();
    match written.replace('_', "").parse() {
        Ok(value) => Ok(Token { kind: Kind::Number(value), span }),
        Err(_) => {
            let fault = Fault::new(span, format!("`{written}` is not a number"));
            Err(fault.note("accepted: numbers such as 4096, 1_000, 0.5 and 1e9; names start with a letter"))
        }
    }
}

fn quoted(text: &str, at: usize, quote: char) -> Result<Token, Fault> {
    let inside = &text[at + 1..];
    let Some(length) = inside.find(quote) else {
        return Err(Fault::new(at..text.len(), "this string is not closed").hint(format!("close it with {quote}")));
    };
    // both quotes are of one byte
    Ok(Token { kind: Kind::Text(inside[..length].to_owned()), span: at..at + length + 2 })
}

/// What starts at byte `at` and is no token.
fn alien(rest: &str, at: usize, first: char) -> Fault {
    let known = ELSEWHERE.into_iter().find(|(foreign, _)| rest.starts_with(foreign));
    let length = known.map_or(first.len_utf8(), |(foreign, _)| foreign.len());
    let fault = Fault::new(at..at + length, format!("`{}` is not expected", &rest[..length]));
    let fault = fault.note("accepted: names, numbers, strings, ( ) < <= > >= == != + - * / %, `and`, `or`, `not`");
    match known {
        Some((_, here)) => fault.hint(format!("did you mean `{here}`?")),
        None => fault,
    }
}

//! Conditions of a sweep: `where = ["workload.multicast.group <= product(network.mesh.shape)"]`.
//!
//! A condition compares keys of the point with each other and with numbers, strings and booleans:
//!
//! ```text
//!   condition   comparison, `not`, `and`, `or`, parentheses
//!   comparison  <  <=  >  >=  ==  !=
//!   number      + - * / %, of double precision: integers are exact up to 2^53
//!   key         as the scenario gives it, dotted; an element of an array by its number: network.mesh.shape.0
//!   of an array product(..) sum(..) min(..) max(..) len(..), of a number abs(..) log2(..)
//! ```
//!
//! A key that the scenario does not give has no value here, not even its default. This file knows values; it refuses to
//! know what keys mean. Claims of figures are told the same way, with the columns of a table in place of keys.

use super::diagnostic::Diagnostic;
use super::document::{Node, Place, Table, Value};
use std::cmp::Ordering;

/// A condition that a point must meet, or a value that is computed the same way.
#[derive(Clone, Debug)]
pub struct Condition {
    place: Place,
    expression: Expression,
}

#[derive(Clone, Debug)]
enum Expression {
    Literal(Operand),
    Key(String),
    Call(Function, Box<Expression>),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Both(Operator, Box<Expression>, Box<Expression>),
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A number, of double precision.
    Number(f64),
    /// A string.
    Text(String),
    /// True or false.
    Boolean(bool),
    /// An array.
    List(Vec<Operand>),
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    Or,
    And,
    Compare(fn(Ordering) -> bool),
    Calculate(fn(f64, f64) -> f64),
}

/// What is computed of the numbers of an array, or of one number.
#[derive(Clone, Copy, Debug)]
enum Function {
    OfArray(fn(&[f64]) -> f64),
    OfNumber(fn(f64) -> f64),
}

const FUNCTIONS: [(&str, Function); 7] = [
    ("abs", Function::OfNumber(f64::abs)),
    ("log2", Function::OfNumber(libm::log2)),
    ("product", Function::OfArray(|all| all.iter().product())),
    ("sum", Function::OfArray(|all| all.iter().sum())),
    ("min", Function::OfArray(|all| all.iter().copied().fold(f64::INFINITY, f64::min))),
    ("max", Function::OfArray(|all| all.iter().copied().fold(f64::NEG_INFINITY, f64::max))),
    ("len", Function::OfArray(|all| all.len() as f64)),
];

/// Operators by how they are written, and how closely they bind.
const OPERATORS: [(&str, u8, Operator); 13] = [
    ("or", 1, Operator::Or),
    ("and", 2, Operator::And),
    ("<", 4, Operator::Compare(Ordering::is_lt)),
    ("<=", 4, Operator::Compare(Ordering::is_le)),
    (">", 4, Operator::Compare(Ordering::is_gt)),
    (">=", 4, Operator::Compare(Ordering::is_ge)),
    ("==", 4, Operator::Compare(Ordering::is_eq)),
    ("!=", 4, Operator::Compare(Ordering::is_ne)),
    ("+", 5, Operator::Calculate(|a, b| a + b)),
    ("-", 5, Operator::Calculate(|a, b| a - b)),
    ("*", 6, Operator::Calculate(|a, b| a * b)),
    ("/", 6, Operator::Calculate(|a, b| a / b)),
    ("%", 6, Operator::Calculate(f64::rem_euclid)),
];

/// How closely `not` binds: closer than `and`, less than comparisons.
const NOT: u8 = 3;
const NEGATIVE: u8 = 7;

/// Parentheses within each other.
const DEEPEST: usize = 64;

impl Condition {
    /// The condition that `text`, which stands at `place`, spells.
    pub(crate) fn parse(text: &str, place: &Place) -> Result<Self, Diagnostic> {
        let wrong = |message: String| {
            Diagnostic::at(place.clone(), format!("a condition that cannot be read: {message}"))
                .note(
                    "accepted: comparisons of keys, numbers and strings with < <= > >= == !=, and, or, not, + - * / %",
                )
                .hint("such as \"workload.multicast.group <= product(network.mesh.shape)\"")
        };
        let tokens = tokens(text).map_err(wrong)?;
        let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
        let expression = parser.expression(0).map_err(wrong)?;
        match parser.peek() {
            None => Ok(Self { place: place.clone(), expression }),
            Some(token) => Err(wrong(format!("{} is not expected", token.in_words()))),
        }
    }

    /// Where it stands.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The keys that it reads.
    #[must_use]
    pub fn keys(&self) -> Vec<&str> {
        fn collect<'a>(expression: &'a Expression, keys: &mut Vec<&'a str>) {
            match expression {
                Expression::Literal(_) => {}
                Expression::Key(key) => keys.push(key),
                Expression::Not(inner) | Expression::Negative(inner) | Expression::Call(_, inner) => {
                    collect(inner, keys);
                }
                Expression::Both(_, left, right) => {
                    collect(left, keys);
                    collect(right, keys);
                }
            }
        }
        let mut keys = Vec::new();
        collect(&self.expression, &mut keys);
        keys
    }

    /// Whether the point, or the row of a table, that `root` spells meets it.
    ///
    /// # Errors
    /// If it reads a key that `root` has not, or is not true or false.
    pub fn holds(&self, root: &Table) -> Result<bool, Diagnostic> {
        let wrong = |message: String| Diagnostic::at(self.place.clone(), message);
        match self.value(root)? {
            Operand::Boolean(holds) => Ok(holds),
            other => Err(wrong(format!("a condition must be true or false, not {}", other.kind()))),
        }
    }

    /// What it comes to in what `root` spells.
    ///
    /// # Errors
    /// If it reads a key that `root` has not, or calculates with what is no number.
    pub fn value(&self, root: &Table) -> Result<Operand, Diagnostic> {
        evaluate(&self.expression, root).map_err(|message| Diagnostic::at(self.place.clone(), message))
    }

    /// The number that it comes to in what `root` spells.
    ///
    /// # Errors
    /// As [`Self::value`], and if that is no number.
    pub fn number(&self, root: &Table) -> Result<f64, Diagnostic> {
        self.value(root)?.number().map_err(|message| Diagnostic::at(self.place.clone(), message))
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Text(String),
    Word(String),
    Sign(&'static str),
}

impl Token {
    fn in_words(&self) -> String {
        match self {
            Self::Number(value) => format!("`{value}`"),
            Self::Text(text) => format!("\"{text}\""),
            Self::Word(word) => format!("`{word}`"),
            Self::Sign(sign) => format!("`{sign}`"),
        }
    }
}

/// Longest first.
const SIGNS: [&str; 13] = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "%", "(", ")"];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let (token, used) = if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Token::Sign(sign), sign.len())
        } else if first.is_ascii_digit() {
            let used = length(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
            let number = rest[..used].replace('_', "").parse();
            (Token::Number(number.map_err(|_| format!("`{}` is no number", &rest[..used]))?), used)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let used = length(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
            (Token::Word(rest[..used].to_owned()), used)
        } else if first == '"' || first == '\'' {
            let end = rest[1..].find(first).ok_or("a string does not end")?;
            (Token::Text(rest[1..=end].to_owned()), end + 2)
        } else {
            return Err(format!("`{first}` is not expected"));
        };
        tokens.push(token);
        rest = rest[used..].trim_start();
    }
    Ok(tokens)
}

/// Reads expressions by how closely their operators bind.
struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    /// An expression whose operators bind more closely than `least`.
    fn expression(&mut self, least: u8) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} deep"));
        }
        let mut left = self.operand()?;
        while let Some((strength, operator)) = self.operator().filter(|&(strength, _)| strength > least) {
            self.at += 1;
            let right = self.expression(strength)?;
            left = Expression::Both(operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&self) -> Option<(u8, Operator)> {
        let written = match self.peek()? {
            Token::Word(word) => word.as_str(),
            Token::Sign(sign) => sign,
            _ => return None,
        };
        OPERATORS.into_iter().find(|(name, ..)| *name == written).map(|(_, strength, operator)| (strength, operator))
    }

    fn operand(&mut self) -> Result<Expression, String> {
        match self.next().ok_or("it ends too early")? {
            Token::Number(value) => Ok(Expression::Literal(Operand::Number(value))),
            Token::Text(text) => Ok(Expression::Literal(Operand::Text(text))),
            Token::Sign("(") => self.in_parentheses(),
            Token::Sign("-") => Ok(Expression::Negative(Box::new(self.expression(NEGATIVE)?))),
            Token::Word(word) => match word.as_str() {
                "true" | "false" => Ok(Expression::Literal(Operand::Boolean(word == "true"))),
                "not" => Ok(Expression::Not(Box::new(self.expression(NOT)?))),
                "and" | "or" => Err(format!("`{word}` is not expected")),
                _ if self.peek() == Some(&Token::Sign("(")) => self.call(&word),
                _ => Ok(Expression::Key(word)),
            },
            token @ Token::Sign(_) => Err(format!("{} is not expected", token.in_words())),
        }
    }

    fn in_parentheses(&mut self) -> Result<Expression, String> {
        let inner = self.expression(0)?;
        match self.next() {
            Some(Token::Sign(")")) => Ok(inner),
            _ => Err("a `)` is missing".to_owned()),
        }
    }

    fn call(&mut self, name: &str) -> Result<Expression, String> {
        let names = FUNCTIONS.map(|(name, _)| name).join(", ");
        let (_, function) = FUNCTIONS
            .into_iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| format!("no function is called `{name}`; there are {names}"))?;
        self.at += 1;
        Ok(Expression::Call(function, Box::new(self.in_parentheses()?)))
    }
}

impl Operand {
    /// As a table has it.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::Text(text) => text.clone(),
            Self::Boolean(value) => value.to_string(),
            Self::List(values) => {
                format!("[{}]", values.iter().map(Self::in_words).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Boolean(_) => "a boolean",
            Self::List(_) => "an array",
        }
    }

    fn of(node: &Node) -> Option<Self> {
        Some(match &node.value {
            Value::Integer(value) => Self::Number((*value)? as f64),
            Value::Float(text) => Self::Number(text.replace('_', "").parse().ok()?),
            Value::String(text) | Value::Datetime(text) => Self::Text(text.clone()),
            Value::Boolean(value) => Self::Boolean(*value),
            Value::Array(values) => Self::List(values.iter().map(Self::of).collect::<Option<_>>()?),
            Value::Table(_) => return None,
        })
    }

    fn number(self) -> Result<f64, String> {
        match self {
            Self::Number(value) => Ok(value),
            other => Err(format!("a number is needed, not {}", other.kind())),
        }
    }

    fn boolean(self) -> Result<bool, String> {
        match self {
            Self::Boolean(value) => Ok(value),
            other => Err(format!("true or false is needed, not {}", other.kind())),
        }
    }
}

fn evaluate(expression: &Expression, root: &Table) -> Result<Operand, String> {
    Ok(match expression {
        Expression::Literal(value) => value.clone(),
        Expression::Key(path) => look_up(path, root)?,
        Expression::Not(inner) => Operand::Boolean(!evaluate(inner, root)?.boolean()?),
        Expression::Negative(inner) => Operand::Number(-evaluate(inner, root)?.number()?),
        Expression::Call(Function::OfNumber(of), inner) => Operand::Number(of(evaluate(inner, root)?.number()?)),
        Expression::Call(Function::OfArray(of), inner) => match evaluate(inner, root)? {
            Operand::List(values) => {
                let numbers: Vec<f64> = values.into_iter().map(Operand::number).collect::<Result<_, _>>()?;
                Operand::Number(of(&numbers))
            }
            other => return Err(format!("this function takes an array, not {}", other.kind())),
        },
        Expression::Both(operator, left, right) => {
            let left = evaluate(left, root)?;
            match operator {
                Operator::Or => Operand::Boolean(left.boolean()? || evaluate(right, root)?.boolean()?),
                Operator::And => Operand::Boolean(left.boolean()? && evaluate(right, root)?.boolean()?),
                Operator::Compare(holds) => Operand::Boolean(holds(compare(&left, &evaluate(right, root)?)?)),
                Operator::Calculate(of) => Operand::Number(of(left.number()?, evaluate(right, root)?.number()?)),
            }
        }
    })
}

fn compare(left: &Operand, right: &Operand) -> Result<Ordering, String> {
    match (left, right) {
        (Operand::Number(a), Operand::Number(b)) => {
            a.partial_cmp(b).ok_or_else(|| "a division by zero cannot be compared".to_owned())
        }
        (Operand::Text(a), Operand::Text(b)) => Ok(a.cmp(b)),
        (Operand::Boolean(a), Operand::Boolean(b)) => Ok(a.cmp(b)),
        (Operand::List(a), Operand::List(b)) => {
            for (a, b) in a.iter().zip(b) {
                match compare(a, b)? {
                    Ordering::Equal => {}
                    other => return Ok(other),
                }
            }
            Ok(a.len().cmp(&b.len()))
        }
        _ => Err(format!("{} cannot be compared with {}", left.kind(), right.kind())),
    }
}

/// The value at the dotted `path`.
fn look_up(path: &str, root: &Table) -> Result<Operand, String> {
    let none = || format!("nothing gives `{path}` here; a condition sees no defaults");
    let mut parts = path.split('.');
    let mut node = root.get(parts.next().unwrap_or_default()).ok_or_else(none)?.1;
    for part in parts {
        node = match &node.value {
            Value::Table(table) => table.get(part).ok_or_else(none)?.1,
            Value::Array(values) => part.parse().ok().and_then(|at: usize| values.get(at)).ok_or_else(none)?,
            _ => return Err(none()),
        };
    }
    Operand::of(node).ok_or_else(|| format!("`{path}` is a table, which has no value"))
}

#[cfg(test)]
mod tests {
    use super::super::document::Document;
    use super::*;

    fn holds(text: &str) -> Result<bool, String> {
        let document = "a = 3\nb = [4, 5]\nc.d = \"worm\"\nc.e = true\nf = 0.1\ng = [\"x\", \"y\"]\n";
        let document = Document::parse("s", document).map_err(|errors| errors[0].message.clone())?;
        let place = Place { source: 0, span: 0..0 };
        Condition::parse(text, &place).and_then(|c| c.holds(&document.root)).map_err(|diagnostic| diagnostic.message)
    }

    #[test]
    fn conditions_hold_or_not() {
        for (text, expected) in [
            ("a < b.0", true),
            ("a * 2 <= product(b) - 14", true),
            ("a * 2 <= product(b) - 15", false),
            ("a + 2 * 3 == 9 and a - 1 - 1 == 1", true),
            ("-a + 4 == 1 and 7 % 4 == a and 12 / 4 / 3 == 1", true),
            ("c.d == 'worm' and c.e", true),
            ("c.d != \"worm\" or not c.e", false),
            ("not a == 4", true),
            ("not (a == 3) or b == b", true),
            ("false and true or true", true),
            ("sum(b) == 9 and min(b) == 4 and max(b) == 5 and len(b) == 2", true),
            ("f <= 0.1 and g.1 == 'y' and 1_000 > 9.5e2", true),
        ] {
            assert_eq!(holds(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn conditions_that_mean_nothing_are_refused() {
        let nested = "(".repeat(100_000);
        for text in [
            "",
            "a",
            "a <",
            "< a",
            "a < 'x'",
            "a < b",
            "a and c.e",
            "h == 1",
            "b.2 == 1",
            "c == 1",
            "(a == 3",
            "a == 3)",
            "a == 3 4",
            "mean(b) == 1",
            "product(a) == 1",
            "sum(g) == 1",
            "log2(b) == 1",
            "a == \"x",
            "a = 3",
            "1x == 1",
            "a / 0 - a / 0 == 1",
            &nested,
        ] {
            assert!(holds(text).is_err(), "{text}");
        }
    }
}

//! Text to expressions, by how closely operators bind.

use super::evaluate::{FUNCTIONS, Function, NEGATIVE, NOT, OPERATORS, Operator};
use super::operand::Operand;
use super::tokens::{Kind, Token, tokens};
use super::{Expression, Fault, Term};
use crate::spelling::{closest, listed};
use std::ops::Range;

/// Parentheses, functions and signs within each other: parsing and evaluation recurse as deep.
const DEEPEST: usize = 64;

/// Operators between operands: what stands in a row becomes as deep as it is long, and evaluation recurses as deep.
const LONGEST: usize = 1000;

const OPERANDS: &str = "accepted here: a name, a number, a string, `true`, `false`, `not`, `-`, `(` or a function";
const JOINTS: &str = "accepted here: < <= > >= == != + - * / %, `and`, `or`, or the end";

impl Expression {
    /// The expression that `text` spells, or the first token that does not belong where it stands.
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        let tokens = tokens(text)?;
        let mut parser = Parser { text, tokens: &tokens, at: 0, depth: 0, operators: 0 };
        let expression = parser.expression(0)?;
        match parser.peek() {
            None => Ok(expression),
            Some(token) => Err(parser.unexpected(token).note(JOINTS)),
        }
    }

    fn new(span: Range<usize>, term: Term) -> Self {
        Self { span, term }
    }

    fn joined(self, operator: Operator, right: Self) -> Self {
        let span = self.span.start..right.span.end;
        Self::new(span, Term::Both(operator, Box::new([self, right])))
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The next token.
    at: usize,
    depth: usize,
    /// How many operators stood between operands so far.
    operators: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<&'a Token> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// An expression whose operators bind more closely than `least`.
    fn expression(&mut self, least: u8) -> Result<Expression, Fault> {
        self.depth += 1;
        let mut left = self.operand()?;
        while let Some((strength, operator)) = self.operator().filter(|&(strength, _)| strength > least) {
            let token = self.next();
            self.operators += 1;
            if let Some(token) = token.filter(|_| self.operators > LONGEST) {
                return Err(Fault::new(token.span.clone(), format!("it has more than {LONGEST} operators")));
            }
            let right = self.expression(strength)?;
            left = left.joined(operator, right);
        }
        self.depth -= 1;
        Ok(left)
    }

    /// The operator that is next, and how closely it binds.
    fn operator(&self) -> Option<(u8, Operator)> {
        let written = match &self.peek()?.kind {
            Kind::Word(word) => word.as_str(),
            Kind::Sign(sign) => sign,
            Kind::Number(_) | Kind::Text(_) => return None,
        };
        OPERATORS.into_iter().find(|(name, ..)| *name == written).map(|(_, strength, operator)| (strength, operator))
    }

    fn operand(&mut self) -> Result<Expression, Fault> {
        let Some(token) = self.next() else { return Err(self.early()) };
        if self.depth > DEEPEST {
            return Err(Fault::new(token.span.clone(), format!("it is nested more than {DEEPEST} levels deep")));
        }
        let literal = |value| Ok(Expression::new(token.span.clone(), Term::Literal(value)));
        match &token.kind {
            Kind::Number(value) => literal(Operand::Number(*value)),
            Kind::Text(text) => literal(Operand::Text(text.clone())),
            Kind::Sign("(") => self.in_parentheses(token),
            Kind::Sign("-") => self.prefixed(token, NEGATIVE, Term::Negative),
            Kind::Sign(_) => Err(self.unexpected(token).note(OPERANDS)),
            Kind::Word(word) => match word.as_str() {
                "true" | "false" => literal(Operand::Boolean(word == "true")),
                "not" => self.prefixed(token, NOT, Term::Not),
                "and" | "or" => Err(self.unexpected(token).note(OPERANDS)),
                _ if self.peek().is_some_and(|next| next.kind == Kind::Sign("(")) => self.call(word, token),
                _ => Ok(Expression::new(token.span.clone(), Term::Name(word.clone()))),
            },
        }
    }

    /// What stands behind the prefix `token`, as closely as it binds.
    fn prefixed(
        &mut self,
        token: &Token,
        strength: u8,
        term: fn(Box<Expression>) -> Term,
    ) -> Result<Expression, Fault> {
        let inner = self.expression(strength)?;
        Ok(Expression::new(token.span.start..inner.span.end, term(Box::new(inner))))
    }

    /// What stands behind the parenthesis `open`, up to the one that closes it.
    fn in_parentheses(&mut self, open: &Token) -> Result<Expression, Fault> {
        let inner = self.expression(0)?;
        match self.next() {
            Some(Token { kind: Kind::Sign(")"), span }) => Ok(Expression { span: open.span.start..span.end, ..inner }),
            Some(token) => Err(self.unexpected(token).note("accepted here: an operator, or `)`")),
            None => {
                let fault = Fault::new(open.span.clone(), "this `(` is not closed");
                Err(fault.note("accepted: `)` at the end"))
            }
        }
    }

    /// The function that the word `name` calls with what stands in the parentheses that are next.
    fn call(&mut self, name: &str, token: &Token) -> Result<Expression, Fault> {
        let function = function(name).ok_or_else(|| no_function(name, token))?;
        let Some(open) = self.next() else { return Err(self.early()) };
        let inner = self.in_parentheses(open)?;
        let span = token.span.start..inner.span.end;
        Ok(Expression::new(span, Term::Call(function, Box::new(inner))))
    }

    fn unexpected(&self, token: &Token) -> Fault {
        Fault::new(token.span.clone(), format!("`{}` is not expected here", &self.text[token.span.clone()]))
    }

    fn early(&self) -> Fault {
        let end = self.text.len();
        let message = match self.tokens.last() {
            Some(last) => format!("it ends after `{}`", &self.text[last.span.clone()]),
            None => "it is empty".to_owned(),
        };
        Fault::new(end..end, message).note(OPERANDS)
    }
}

fn function(name: &str) -> Option<Function> {
    FUNCTIONS.into_iter().find(|(known, _)| *known == name).map(|(_, function)| function)
}

fn no_function(name: &str, token: &Token) -> Fault {
    let names = || FUNCTIONS.into_iter().map(|(name, _)| name);
    let fault = Fault::new(token.span.clone(), format!("unknown function `{name}`"));
    let fault = fault.note(format!("accepted: {}", listed(names())));
    match closest(name, names()) {
        Some(known) => fault.hint(format!("did you mean `{known}`?")),
        None => fault,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    /// The bytes and the message of what is wrong with `text`.
    fn fault(text: &str) -> (&str, String) {
        let fault = Expression::parse(text).unwrap_err();
        (&text[fault.span], fault.message)
    }

    #[test]
    fn faults_name_the_token_and_point_at_it() {
        for (text, token, message) in [
            ("", "", "it is empty"),
            ("a.b <", "", "it ends after `<`"),
            ("< a", "<", "`<` is not expected here"),
            ("a < and b", "and", "`and` is not expected here"),
            ("a == 3 4", "4", "`4` is not expected here"),
            ("a == 3)", ")", "`)` is not expected here"),
            ("2 * (a + b", "(", "this `(` is not closed"),
            ("min(a b)", "b", "`b` is not expected here"),
            ("len(", "", "it ends after `(`"),
            ("mean(b) == 1", "mean", "unknown function `mean`"),
            ("a = 3", "=", "`=` is not expected"),
            ("a == 3 && b", "&&", "`&&` is not expected"),
            ("a == µ", "µ", "`µ` is not expected"),
            ("1x == 1", "1x", "`1x` is not a number"),
            ("a == \"x", "\"x", "this string is not closed"),
        ] {
            assert_eq!(fault(text), (token, message.to_owned()), "{text}");
        }
    }

    #[test]
    fn faults_say_what_is_accepted_and_what_may_be_meant() {
        for (text, note, hint) in [
            ("a = 3", "`and`", "did you mean `==`?"),
            ("a || b", "`or`", "did you mean `or`?"),
            ("producd(b) == 1", "`product`", "did you mean `product`?"),
            ("a == 'x", "", "close it with '"),
        ] {
            let fault = Expression::parse(text).unwrap_err();
            assert!(fault.note.unwrap_or_default().contains(note), "{text}");
            assert_eq!(fault.hint.as_deref(), Some(hint), "{text}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        for deep in ["(".repeat(100_000), "-".repeat(100_000), "not ".repeat(100_000)] {
            assert_eq!(fault(&deep).1, "it is nested more than 64 levels deep");
        }
    }

    /// What stood in a row of a hundred thousand operators overflowed the stack.
    #[test]
    fn a_long_row_of_operators_is_refused() {
        for long in ["1 + ".repeat(100_000), "a and ".repeat(1001), "1 < 2 or ".repeat(501)] {
            assert_eq!(fault(&(long + "1")).1, "it has more than 1000 operators");
        }
        assert!(Expression::parse(&("a and ".repeat(1000) + "a")).is_ok());
    }

    #[test]
    fn names_are_told_in_order() {
        let expression = Expression::parse("not (b.c == -a.0) or max(d) < 'e' and true").unwrap();
        assert_eq!(expression.names(), ["b.c", "a.0", "d"]);
    }
}

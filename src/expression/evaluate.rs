//! Expressions to values: operators, functions, and what they make of operands.

use super::operand::Operand;
use super::{Expression, Fault, Term};
use std::cmp::Ordering;

/// What names stand for: a value, or why there is none.
pub(crate) type Names<'a> = dyn Fn(&str) -> Result<Operand, String> + 'a;

#[derive(Clone, Copy, Debug)]
pub(super) enum Operator {
    Or,
    And,
    Compare(fn(Ordering) -> bool),
    Calculate(fn(f64, f64) -> f64),
    /// The same, where the second must not be 0.
    Divide(fn(f64, f64) -> f64),
}

/// What is computed of the numbers of an array, or of one number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    OfArray(fn(&[f64]) -> f64),
    OfNumber(fn(f64) -> f64),
}

pub(super) const FUNCTIONS: [(&str, Function); 7] = [
    ("abs", Function::OfNumber(f64::abs)),
    ("log2", Function::OfNumber(libm::log2)),
    ("product", Function::OfArray(|all| all.iter().product())),
    ("sum", Function::OfArray(|all| all.iter().sum())),
    ("min", Function::OfArray(|all| all.iter().copied().fold(f64::INFINITY, f64::min))),
    ("max", Function::OfArray(|all| all.iter().copied().fold(f64::NEG_INFINITY, f64::max))),
    ("len", Function::OfArray(|all| all.len() as f64)),
];

/// Operators by how they are written, and how closely they bind.
pub(super) const OPERATORS: [(&str, u8, Operator); 13] = [
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
    ("/", 6, Operator::Divide(|a, b| a / b)),
    ("%", 6, Operator::Divide(f64::rem_euclid)),
];

/// How closely `not` binds: closer than `and`, less than comparisons.
pub(super) const NOT: u8 = 3;

/// How closely the sign of a number binds: `-a * b` is `(-a) * b`.
pub(super) const NEGATIVE: u8 = 7;

impl Expression {
    /// What it comes to where names stand for what `names` says. `and` and `or` leave out what they need not know.
    ///
    /// # Errors
    /// The first part that has no value: a name that stands for nothing, or an operand of the wrong kind.
    pub(crate) fn evaluate(&self, names: &Names<'_>) -> Result<Operand, Fault> {
        match &self.term {
            Term::Literal(value) => Ok(value.clone()),
            Term::Name(name) => names(name).map_err(|why| self.fault(why)),
            Term::Not(inner) => inner.boolean(names).map(|value| Operand::Boolean(!value)),
            Term::Negative(inner) => inner.number(names).map(|value| Operand::Number(-value)),
            Term::Call(Function::OfNumber(of), inner) => inner.number(names).map(|value| Operand::Number(of(value))),
            Term::Call(Function::OfArray(of), inner) => {
                let numbers = inner.evaluate(names)?.numbers().map_err(|why| inner.fault(why))?;
                Ok(Operand::Number(of(&numbers)))
            }
            Term::Both(operator, sides) => self.join(*operator, sides, names),
        }
    }

    fn join(&self, operator: Operator, [left, right]: &[Self; 2], names: &Names<'_>) -> Result<Operand, Fault> {
        Ok(match operator {
            Operator::Or => Operand::Boolean(left.boolean(names)? || right.boolean(names)?),
            Operator::And => Operand::Boolean(left.boolean(names)? && right.boolean(names)?),
            Operator::Calculate(of) => Operand::Number(of(left.number(names)?, right.number(names)?)),
            Operator::Divide(of) => {
                let dividend = left.number(names)?;
                match right.number(names)? {
                    0.0 => return Err(right.fault("this divisor is 0".to_owned())),
                    divisor => Operand::Number(of(dividend, divisor)),
                }
            }
            Operator::Compare(holds) => {
                let left = left.evaluate(names)?;
                let right = right.evaluate(names)?;
                Operand::Boolean(holds(left.compare(&right).map_err(|why| self.fault(why))?))
            }
        })
    }

    fn number(&self, names: &Names<'_>) -> Result<f64, Fault> {
        self.evaluate(names)?.number().map_err(|why| self.fault(why))
    }

    fn boolean(&self, names: &Names<'_>) -> Result<bool, Fault> {
        self.evaluate(names)?.boolean().map_err(|why| self.fault(why))
    }

    fn fault(&self, why: String) -> Fault {
        Fault::new(self.span(), why)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn names(name: &str) -> Result<Operand, String> {
        let list = |values: &[f64]| Operand::List(values.iter().copied().map(Operand::Number).collect());
        Ok(match name {
            "a" => Operand::Number(3.0),
            "b" => list(&[4.0, 5.0]),
            "b.0" => Operand::Number(4.0),
            "c.d" => Operand::Text("worm".to_owned()),
            "c.e" => Operand::Boolean(true),
            "f" => Operand::Number(0.1),
            "g" => Operand::List(vec![Operand::Text("x".to_owned())]),
            _ => return Err(format!("`{name}` stands for nothing")),
        })
    }

    #[test]
    fn values_follow_precedence() {
        let number = Operand::Number;
        let boolean = Operand::Boolean;
        for (text, expected) in [
            ("1 + 2 * 3", number(7.0)),
            ("(1 + 2) * 3", number(9.0)),
            ("10 - 4 - 3", number(3.0)),
            ("12 / 4 / 3", number(1.0)),
            ("-a + 4", number(1.0)),
            ("-a * b.0", number(-12.0)),
            ("-7 % 4", number(1.0)),
            ("abs(-a) + log2(8)", number(6.0)),
            ("product(b) + sum(b) + min(b) + max(b) + len(b)", number(40.0)),
            ("1_000 > 9.5e2", boolean(true)),
            ("a * 2 <= product(b) - 14", boolean(true)),
            ("a * 2 <= product(b) - 15", boolean(false)),
            ("c.d == 'worm' and c.e", boolean(true)),
            ("c.d != \"worm\" or not c.e", boolean(false)),
            ("c.e == 'true' and 'false' != c.e", boolean(true)),
            ("not a == 4", boolean(true)),
            ("not (a == 3) or b == b", boolean(true)),
            ("false and true or true", boolean(true)),
            ("true or nothing", boolean(true)),
            ("false and nothing", boolean(false)),
            ("c.d", Operand::Text("worm".to_owned())),
        ] {
            let found = Expression::parse(text).unwrap().evaluate(&names);
            assert_eq!(found, Ok(expected), "{text}");
        }
    }

    #[test]
    fn faults_point_at_the_part_that_has_no_value() {
        for (text, part, message) in [
            ("a == 1 or h.i == 1", "h.i", "`h.i` stands for nothing"),
            ("c.e == 'yes'", "c.e == 'yes'", "a boolean cannot be compared with a string"),
            ("a + 2 < 'x'", "a + 2 < 'x'", "a number cannot be compared with a string"),
            ("a and c.e", "a", "true or false is needed, not a number"),
            ("1 + (c.d) * 2", "(c.d)", "a number is needed, not a string"),
            ("product(a) == 1", "(a)", "this function requires an array, not a number"),
            ("1 < sum(g)", "(g)", "a number is needed, not a string"),
            ("log2(b) == 1", "(b)", "a number is needed, not an array"),
            ("a / 0 == 1", "0", "this divisor is 0"),
            ("a % (f - f) == 1", "(f - f)", "this divisor is 0"),
            ("log2(0 - a) == 1", "log2(0 - a) == 1", "this is not a number, so it cannot be compared"),
        ] {
            let fault = Expression::parse(text).unwrap().evaluate(&names).unwrap_err();
            assert_eq!((&text[fault.span], fault.message.as_str()), (part, message), "{text}");
        }
    }
}

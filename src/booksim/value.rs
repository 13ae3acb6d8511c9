//! Vectors and functions in values, as BookSim 2 divides them.

/// The entries of `text`. A text that begins with a brace is read to the brace that closes it, and deeper vectors are
/// entries; what follows that brace is dropped. Any other text is its only entry.
pub(super) fn entries(text: &str) -> Vec<&str> {
    let Some(inside) = text.strip_prefix('{') else {
        return if text.is_empty() { Vec::new() } else { vec![text] };
    };
    let mut entries = Vec::new();
    let mut start = 0;
    let mut depth = 0_usize;
    for (index, byte) in inside.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            b',' | b'}' if depth == 0 => {
                entries.extend(Some(&inside[start..index]).filter(|entry| !entry.is_empty()));
                start = index + 1;
            }
            _ => {}
        }
    }
    entries
}

/// A function with its arguments, such as `on_off({0.02,0.1})`, or a word alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call<'t> {
    pub(super) name: &'t str,
    /// The text in the parentheses.
    pub(super) inside: &'t str,
    /// The entries of that text.
    pub(super) arguments: Vec<&'t str>,
}

impl<'t> Call<'t> {
    pub(super) fn parse(text: &'t str) -> Self {
        let (name, rest) = text.split_once('(').unwrap_or((text, ""));
        let inside = rest.rfind(')').map_or(rest, |end| &rest[..end]);
        Self { name, inside, arguments: entries(inside) }
    }

    /// True if BookSim 2 reads the arguments as one, or drops a part of them.
    pub(super) fn is_misread(&self) -> bool {
        match self.inside.strip_prefix('{') {
            None => self.inside.contains(','),
            Some(_) => outermost_end(self.inside).is_some_and(|end| end + 1 < self.inside.len()),
        }
    }

    /// The function with all of its arguments in one vector.
    pub(super) fn in_one_vector(&self) -> String {
        format!("{}({{{}}})", self.name, self.inside)
    }
}

/// The index of the brace that closes the vector that `text` begins with.
fn outermost_end(text: &str) -> Option<usize> {
    let mut depth = 0_i64;
    text.bytes().position(|byte| {
        depth += i64::from(byte == b'{') - i64::from(byte == b'}');
        depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_read_to_the_outermost_brace() {
        assert_eq!(entries("5"), ["5"]);
        assert_eq!(entries("{1,5}"), ["1", "5"]);
        assert_eq!(entries("{{1,5},{3}}"), ["{1,5}", "{3}"]);
        assert_eq!(entries("{27,36},{3,1}"), ["27", "36"]);
        assert_eq!(entries("0.02,0.1"), ["0.02,0.1"]);
        assert_eq!(entries("{}"), [""; 0]);
        assert_eq!(entries("{uniform,hotspot({{0},{1}})}"), ["uniform", "hotspot({{0},{1}})"]);
    }

    #[test]
    fn arguments_of_functions_are_one_vector() {
        let call = Call::parse("hotspot({{0,63},{3,1}})");
        assert_eq!((call.name, call.arguments.as_slice()), ("hotspot", &["{0,63}", "{3,1}"][..]));
        assert_eq!(Call::parse("uniform").arguments, [""; 0]);
        assert_eq!(Call::parse("islip(2)").arguments, ["2"]);
    }

    #[test]
    fn misread_arguments_are_recognised() {
        for (text, is_misread) in [
            ("hotspot({{0,63},{3,1}})", false),
            ("hotspot({27,36},{3,1})", true),
            ("on_off({0.02,0.1})", false),
            ("on_off(0.02,0.1)", true),
            ("islip(2)", false),
            ("uniform", false),
        ] {
            assert_eq!(Call::parse(text).is_misread(), is_misread, "{text}");
        }
        assert_eq!(Call::parse("on_off(0.02,0.1)").in_one_vector(), "on_off({0.02,0.1})");
    }
}

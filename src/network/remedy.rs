//! Changes of a scenario under which its messages cannot deadlock, as they are typed.

use std::fmt;

/// A change of keys by the options of every subcommand that reads a scenario.
///
/// ```
/// use flitwise::network::Remedy;
/// let remedy = Remedy::set("router.routing", "up-down", "free of deadlock").unset("router.weight");
/// assert_eq!(remedy.to_string(), "`--unset router.weight -s router.routing=up-down`: free of deadlock");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    removed: Vec<&'static str>,
    assigned: Vec<String>,
    effect: String,
}

impl Remedy {
    /// Sets `key` to `value`, which has such an effect.
    pub fn set(key: &str, value: impl fmt::Display, effect: impl Into<String>) -> Self {
        Self { removed: Vec::new(), assigned: vec![format!("{key}={value}")], effect: effect.into() }
    }

    /// Adds that another `key` is set to `value`.
    #[must_use]
    pub fn and(mut self, key: &str, value: impl fmt::Display) -> Self {
        self.assigned.push(format!("{key}={value}"));
        self
    }

    /// Adds that `key` is removed before others are set.
    #[must_use]
    pub fn unset(mut self, key: &'static str) -> Self {
        self.removed.push(key);
        self
    }

    /// Several, a line each.
    pub fn lines(remedies: &[Self]) -> String {
        remedies.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

/// The options in backticks, and their effect.
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unset = self.removed.iter().map(|key| format!("--unset {key}"));
        let set = self.assigned.iter().map(|assignment| format!("-s {assignment}"));
        let options: Vec<String> = unset.chain(set).collect();
        write!(f, "`{}`: {}", options.join(" "), self.effect)
    }
}

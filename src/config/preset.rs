//! Files that ship with the program. A scenario includes one by name: `include = "preset:NAME"`.
//!
//! Independent of the contents of the files.

/// The prefix of the name of a preset.
pub(crate) const PREFIX: &str = "preset:";

/// A file that ships with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name, without `preset:`.
    pub name: &'static str,
    /// The text, in TOML.
    pub text: &'static str,
}

impl Preset {
    /// Returns the name of the preset that `written` names, without its prefix, or `None` if `written` is the name of a file.
    pub fn name_in(written: &str) -> Option<&str> {
        written.strip_prefix(PREFIX)
    }

    /// Returns the preset called `name`, or `None` if there is none.
    pub fn find<'p>(presets: &'p [Self], name: &str) -> Option<&'p Self> {
        presets.iter().find(|preset| preset.name == name)
    }

    /// The name as scenarios, diagnostics and manifests write it.
    pub fn title(&self) -> String {
        format!("{PREFIX}{}", self.name)
    }

    /// The first line of the text, which is a comment, without its mark.
    pub fn summary(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    const PRESETS: [Preset; 2] =
        [Preset { name: "ring", text: "# a ring\nname = 1\n" }, Preset { name: "empty", text: "" }];

    #[test]
    fn a_preset_is_found_by_its_name() {
        assert_eq!(Preset::name_in("preset:ring"), Some("ring"));
        assert_eq!(Preset::name_in("ring.toml"), None);
        let ring = Preset::find(&PRESETS, "ring").unwrap();
        assert_eq!((ring.title().as_str(), ring.summary()), ("preset:ring", "a ring"));
        assert_eq!(Preset::find(&PRESETS, "rings"), None);
        assert_eq!(PRESETS[1].summary(), "");
    }
}

//! Names that are shortened where there is no room for them: `modified-double-hop` becomes `mod-dou-hop`.

/// As many letters of each part of a name are left at most.
const MOST_LETTERS: usize = 5;

/// `names`, of which those that do not fit are shortened until they do, each in a way of its own.
pub(super) fn shortened(names: &[String], fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut short: Vec<String> = Vec::new();
    for name in names {
        let taken = |text: &String| short.contains(text) || names.contains(text);
        let chosen = if fits(name) {
            name.clone()
        } else {
            let cuts = (1..=MOST_LETTERS).rev().map(|letters| cut(name, letters));
            cuts.chain(numbered(name)).find(|text| fits(text) && !taken(text)).unwrap_or_else(|| name.clone())
        };
        short.push(chosen);
    }
    short
}

/// `name` with so many letters of each of its parts.
fn cut(name: &str, letters: usize) -> String {
    let parts = name.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty());
    let parts = parts.map(|part| part.chars().take(letters).collect::<String>());
    // initials are read as one word
    let between = if letters == 1 { "" } else { "-" };
    parts.collect::<Vec<_>>().join(between)
}

/// The first letter of `name` with a number, of which one is not taken yet.
fn numbered(name: &str) -> impl Iterator<Item = String> {
    let first: String = name.chars().take(1).collect();
    (2..1000).map(move |number| format!("{first}{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::text::width;

    fn short(names: &[&str], room: i32) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        shortened(&names, |text| width(text, 10) <= room)
    }

    #[test]
    fn names_keep_as_much_as_there_is_room_for() {
        let names = ["opt-mesh", "modified-double-hop", "chain"];
        assert_eq!(short(&names, 200), names);
        assert_eq!(short(&names, 80), ["opt-mesh", "mod-dou-hop", "chain"]);
        assert_eq!(short(&names, 40), ["op-me", "mdh", "chain"]);
    }

    #[test]
    fn no_two_are_called_alike() {
        assert_eq!(short(&["opt-tree", "other-tries", "ot"], 25), ["o2", "ot-tr", "ot"]);
    }
}

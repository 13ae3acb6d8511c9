//! Command lines as people type them: `flitwise FILE` runs it, a verb may be mistyped, and what is no verb may be a file.

use super::Cli;
use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::{ColorChoice, Command, CommandFactory};
use flitwise::config::closest;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Options that every verb takes, with a value.
const GLOBAL: &str = "--color";

/// What is asked for with neither a verb nor a file.
const OF_THE_COMMAND: [&str; 4] = ["-h", "--help", "-V", "--version"];

/// The command line `words`, the name of the program first, with the verb that they leave out.
///
/// # Errors
/// If the first word is neither a verb nor a file.
pub(super) fn complete(mut words: Vec<OsString>) -> Result<Vec<OsString>, clap::Error> {
    let Some(at) = first(&words) else { return Ok(words) };
    let word = words[at].to_string_lossy().into_owned();
    let command = Cli::command();
    if OF_THE_COMMAND.contains(&word.as_str()) || is_verb(&command, &word) {
        return Ok(words);
    }
    if word.starts_with('-') || is_file(&word) {
        words.insert(at, OsString::from("run"));
        return Ok(words);
    }
    Err(unknown(&command, &word))
}

/// Where the first word stands that is not an option of all verbs.
fn first(words: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        at += match word {
            GLOBAL => 2,
            word if word.starts_with("--color=") => 1,
            _ => break,
        };
    }
    (at < words.len()).then_some(at)
}

fn is_verb(command: &Command, word: &str) -> bool {
    word == "help" || command.find_subcommand(word).is_some()
}

/// Whether `word` is the name of a file, or could be nothing else.
fn is_file(word: &str) -> bool {
    let path = Path::new(word);
    !path.is_dir() && (path.is_file() || path.extension() == Some(OsStr::new("toml")) || path.components().count() > 1)
}

fn unknown(command: &Command, word: &str) -> clap::Error {
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let file = format!("{word}.toml");
    let verbs_like = || verbs.iter().map(String::as_str);
    let near = |verb: &&str| strsim::damerau_levenshtein(word, verb) == 1;
    let show = format!("show {word}");
    let meant = match Path::new(&file).is_file() {
        true => Some(file.as_str()),
        false if Path::new(word).is_dir() => Some(show.as_str()),
        false => closest(word, verbs_like()).or_else(|| verbs_like().find(near)),
    };
    let hint = meant.map_or_else(String::new, |meant| format!("\n\n  did you mean `flitwise {meant}`?"));
    let verbs = verbs.join(", ");
    let text = format!("`{word}` is neither a verb nor a file{hint}\n\n  verbs: {verbs}\n");
    // with the command, the usage and a hint at --help follow
    clap::Error::raw(ErrorKind::InvalidSubcommand, StyledStr::from(text)).with_cmd(command)
}

/// When to colour, as far as it can be told before the command line is read: errors in it are coloured, too.
pub(super) fn colour(words: &[OsString]) -> ColorChoice {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let value = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix(GLOBAL)? {
        "" => words.get(at + 1).copied(),
        value => value.strip_prefix('='),
    });
    match value {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(words: &[&str]) -> Option<String> {
        let words = std::iter::once("flitwise").chain(words.iter().copied()).map(OsString::from).collect();
        let words = complete(words).ok()?;
        let words: Vec<String> = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        Some(words.join(" "))
    }

    #[test]
    fn what_is_no_verb_is_a_file_to_run() {
        for (typed, expected) in [
            (&["mine.toml", "-q"][..], "run mine.toml -q"),
            (&["-"], "run -"),
            (&["--color", "never", "a/b"], "--color never run a/b"),
            (&["--color=never", "-s", "a=1", "x.toml"], "--color=never run -s a=1 x.toml"),
            (&["check", "x.toml"], "check x.toml"),
            (&["help", "run"], "help run"),
            (&["--version"], "--version"),
            (&[], ""),
            (&["--color", "always"], "--color always"),
        ] {
            assert_eq!(completed(typed).as_deref(), Some(expected));
        }
        assert_eq!(completed(&["rn", "mine.toml"]), None);
    }
}

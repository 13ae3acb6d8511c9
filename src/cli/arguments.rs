//! Completion of command lines: `flitwise FILE` runs the file, and mistyped commands and options get a suggestion.

use super::Cli;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, Command, CommandFactory};
use flitwise::config::closest;
use flitwise::scenario::{KeyTable, tables};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The option with a value that every subcommand accepts.
const GLOBAL: &str = "--color";

/// Options of the command itself, without a subcommand and a file.
const OF_THE_COMMAND: [&str; 4] = ["-h", "--help", "-V", "--version"];

/// Inserts the subcommand `run` into the command line `words` if they name a file instead of a subcommand.
///
/// # Errors
/// Returns an error if the first word is neither a subcommand nor a file.
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

/// Returns the index of the first word that is not an option of all subcommands.
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

/// Adds a tip to an error about an option that does not exist: a key of a scenario is set by `-s KEY=VALUE`.
pub(super) fn advise(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return error };
    let tip = match argument.strip_prefix("--") {
        Some(option) => option_as_key(option, words),
        None => spaced_assignment(argument, words),
    };
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    } else if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested) {
        // no argument of this command begins with a hyphen
        let tips: Vec<StyledStr> = tips.iter().filter(|tip| !tip.to_string().contains("'-- ")).cloned().collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// The tip for `--KEY VALUE` where KEY is a key of scenarios.
fn option_as_key(option: &str, words: &[OsString]) -> Option<String> {
    let name = option.replace('-', "_");
    let tables = tables();
    let declares = |table: &KeyTable, key: &str| table.keys.iter().any(|known| known.name == key);
    let paths: Vec<String> = match name.rsplit_once('.') {
        Some((table, key)) if tables.iter().any(|known| known.path == table && declares(known, key)) => {
            vec![name.clone()]
        }
        Some(_) => Vec::new(),
        None => {
            let tables = tables.iter().filter(|table| declares(table, &name));
            tables
                .map(|table| if table.path.is_empty() { name.clone() } else { format!("{}.{name}", table.path) })
                .collect()
        }
    };
    let path = paths.iter().min_by_key(|path| path.matches('.').count())?;
    let typed = format!("--{option}");
    let index = words.iter().position(|word| word.to_string_lossy().split('=').next() == Some(&typed))?;
    let value = match words[index].to_string_lossy().split_once('=') {
        Some((_, value)) => Some(value.to_owned()),
        None => {
            words.get(index + 1).map(|word| word.to_string_lossy().into_owned()).filter(|word| !word.starts_with('-'))
        }
    };
    let value = value.unwrap_or_else(|| "VALUE".to_owned());
    let others = if paths.len() > 1 { format!(", or the `{name}` of another table") } else { String::new() };
    Some(format!("to set a key of the scenario, use '-s {path}={value}'{others}"))
}

/// The tip for `-s KEY VALUE`, of which `value` is left over.
fn spaced_assignment(value: &str, words: &[OsString]) -> Option<String> {
    let index = words.iter().position(|word| word == value)?;
    let [option, key] = [index.checked_sub(2)?, index - 1].map(|index| words[index].to_string_lossy());
    let is_set = matches!(option.as_ref(), "-s" | "--set") && !key.contains('=');
    is_set.then(|| format!("-s requires KEY=VALUE as one argument: '-s {key}={value}'"))
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
    let text = format!("`{word}` is neither a command nor a file{hint}\n\n  commands: {verbs}\n");
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

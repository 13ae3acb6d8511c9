//! A page of Markdown as text for a terminal: what the guides use of Markdown, and no more.

use crate::output::wrapped;

/// The page in lines of at most `width` columns, where examples and tables are not wider.
pub(super) fn page(markdown: &str, width: usize) -> String {
    let mut text = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            text += &caption(info);
            for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                text += format!("    {line}").trim_end();
                text.push('\n');
            }
        } else if line.starts_with('|') {
            let mut table = vec![cells(line)];
            while let Some(line) = lines.next_if(|line| line.starts_with('|')) {
                table.push(cells(line));
            }
            text += &columns(&table, width);
        } else if let Some(title) = line.strip_prefix("# ").or_else(|| line.strip_prefix("## ")) {
            let title = plain(title);
            text += &format!("{title}\n{}\n", "─".repeat(title.chars().count()));
        } else if let Some(title) = line.strip_prefix("### ") {
            text += &format!("{}\n", plain(title));
        } else if line.is_empty() {
            text.push('\n');
        } else if !line.starts_with("<!--") && !definition(line) {
            let mut paragraph = line.to_owned();
            while let Some(line) = lines.next_if(|line| continues(line)) {
                paragraph.push(' ');
                paragraph += line.trim_start();
            }
            text += &flowing(&paragraph, width);
        }
    }
    let mut page = String::new();
    for line in text.trim().lines() {
        if !(line.is_empty() && page.ends_with("\n\n")) {
            page += line;
            page.push('\n');
        }
    }
    page.replace(KEPT, " ")
}

/// Whether `line` goes on with the paragraph of the line before.
fn continues(line: &str) -> bool {
    let begins = ["```", "|", "#", "<!--", "- "].iter().any(|start| line.trim_start().starts_with(start));
    !(line.is_empty() || begins || numbered(line).is_some())
}

/// The name of the file that an example is, if the fence says one.
fn caption(info: &str) -> String {
    info.split(' ').find(|word| word.contains('.')).map_or_else(String::new, |file| format!("  {file}:\n\n"))
}

/// Where a link leads, on a code host.
fn definition(line: &str) -> bool {
    line.starts_with('[') && line.contains("]: ")
}

/// The number of an item of a list, with what stands behind it.
fn numbered(line: &str) -> Option<&str> {
    let number = &line[..line.find(|c: char| !c.is_ascii_digit())?];
    let dotted = line.get(..number.len() + 2)?;
    (!number.is_empty() && dotted.ends_with(". ")).then_some(dotted)
}

/// A paragraph, or an item of a list with the lines after the first indented.
fn flowing(paragraph: &str, width: usize) -> String {
    let mark = if paragraph.starts_with("- ") { "- " } else { numbered(paragraph).unwrap_or_default() };
    wrapped(&plain(&paragraph[mark.len()..]), mark, &" ".repeat(mark.len()), width)
}

/// Stands for a blank at which a line must not be broken, until lines have been made.
const KEPT: char = '\u{e000}'; // of no meaning, and no white space

/// Text without the marks of links, pictures and emphasis; code stays as it is.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['[', '`']) {
        let (before, from) = rest.split_at(at);
        let close = if from.starts_with('`') { '`' } else { ']' };
        let Some(end) = from[1..].find(close) else { break };
        let (words, behind) = (&from[1..=end], &from[end + 2..]);
        if close == '`' {
            plain += &format!("{}`{words}`", before.replace("**", ""));
            rest = behind;
            continue;
        }
        let picture = before.ends_with('!');
        plain += &before[..at - usize::from(picture)].replace("**", "");
        let (target, behind) = target(behind);
        plain += &match target {
            _ if picture => format!("(picture: {words})"),
            Some(target) if target.starts_with("http") => format!("{words} <{target}>"),
            Some(target) if super::Topic::named(target).is_some() => format!("{words} ({})", command(target)),
            Some(_) => words.to_owned(),
            None if super::Topic::named(words).is_some() => command(words),
            None => format!("[{words}]"),
        };
        rest = behind;
    }
    plain + &rest.replace("**", "")
}

/// What shows a page, in one piece.
fn command(topic: &str) -> String {
    format!("`flitwise{KEPT}guide{KEPT}{topic}`")
}

/// Where a link leads whose words have just ended, and what stands behind it.
fn target(behind: &str) -> (Option<&str>, &str) {
    let closing = match behind.chars().next() {
        Some('(') => ')',
        Some('[') => ']',
        _ => return (None, behind),
    };
    behind.find(closing).map_or((None, behind), |end| (Some(&behind[1..end]), &behind[end + 1..]))
}

fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split(" | ").map(|cell| plain(cell.trim())).collect()
}

/// A table whose last column is wrapped.
fn columns(table: &[Vec<String>], width: usize) -> String {
    let is_rule = |row: &[String]| row.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | '|' | ':')));
    let rows: Vec<&Vec<String>> = table.iter().filter(|row| !is_rule(row)).collect();
    let count = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..count).filter_map(widest).collect();
    let before: usize = widths.iter().rev().skip(1).map(|width| width + 2).sum();
    let width = width.max(before + 24);
    let row = |row: &&Vec<String>| {
        let (last, others) = row.split_last()?;
        let start: String = others.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}  ")).collect();
        Some(format!("{}\n", wrapped(last, &start, &" ".repeat(before), width).trim_end()))
    };
    let lines: Vec<String> = rows.iter().filter_map(row).collect();
    let rule = |lines: &String| "─".repeat(lines.lines().map(|line| line.chars().count()).max().unwrap_or(0));
    let rule = rule(&lines.concat());
    match lines.split_first() {
        Some((head, body)) => format!("{head}{rule}\n{}", body.concat()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lists_tables_and_examples() {
        let markdown = "# Of it\n\nSee [this][goal],\n[goal] and\n[that](https://a.b), **not** `[sweep]`.\n\n- one two\n  three\n- \
                        four\n\n| a | b |\n|---|---|\n| `x` | one two three |\n\n```goal a.goal\nrank 0 {\n}\n```\n<!-- no \
                        -->\n\n\n[goal]: goal.md\n";
        let expected = "Of it\n─────\n\nSee this\n(`flitwise guide goal`),\n`flitwise guide goal`\nand that\n\
                        <https://a.b>, not\n`[sweep]`.\n\n- one two three\n- four\n\na    \
                        b\n──────────────────\n`x`  one two three\n\n  a.goal:\n\n    rank 0 {\n    }\n";
        assert_eq!(page(markdown, 22), expected);
    }
}

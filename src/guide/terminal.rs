//! A page of Markdown as text for a terminal. Supports the parts of Markdown that the guides use.

use crate::output::wrapped;

/// A part of a page.
pub(super) enum Block<'a> {
    /// The title of a section, with its level.
    Heading(u8, String),
    /// A paragraph or an item of a list, in Markdown, in one line.
    Paragraph(String),
    /// A table by rows.
    Table(Vec<Vec<String>>),
    /// An example with its caption.
    Example(String, Vec<&'a str>),
    /// An empty line.
    Blank,
}

impl Block<'_> {
    /// The paragraph, the rows of the table or the lines of the example, without marks of Markdown.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Self::Heading(_, title) => vec![title.clone()],
            Self::Paragraph(text) => vec![plain(text).replace(KEPT, " ")],
            Self::Table(rows) => rows.iter().filter(|row| !is_rule(row)).map(|row| definition_text(row)).collect(),
            Self::Example(_, lines) => lines.iter().map(|&line| line.trim().to_owned()).collect(),
            Self::Blank => Vec::new(),
        }
    }

    fn in_columns(&self, width: usize) -> String {
        match self {
            Self::Heading(1 | 2, title) => format!("{title}\n{}\n", "─".repeat(title.chars().count())),
            Self::Heading(_, title) => format!("{title}\n"),
            Self::Paragraph(text) => flowing(text, width),
            Self::Table(rows) => columns(rows, width),
            Self::Example(caption, lines) => lines.iter().fold(caption.clone(), |mut text, line| {
                text += format!("    {line}").trim_end();
                text.push('\n');
                text
            }),
            Self::Blank => "\n".to_owned(),
        }
    }
}

/// A row as text: the first cell, a colon, and the others.
fn definition_text(row: &[String]) -> String {
    let cells: Vec<String> = row.iter().map(|cell| cell.replace(KEPT, " ")).collect();
    match cells.split_first() {
        Some((first, others)) => format!("{first}: {}", others.join(", ")),
        None => String::new(),
    }
}

/// The parts of the page `markdown`, without comments and definitions of links.
pub(super) fn blocks(markdown: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let example = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            blocks.push(Block::Example(caption(info), example));
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(line) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(cells(line));
            }
            blocks.push(Block::Table(rows));
        } else if let Some((level, title)) = heading(line) {
            blocks.push(Block::Heading(level, plain(title)));
        } else if line.is_empty() {
            blocks.push(Block::Blank);
        } else if !line.starts_with("<!--") && !definition(line) {
            let mut paragraph = line.to_owned();
            while let Some(line) = lines.next_if(|line| continues(line)) {
                paragraph.push(' ');
                paragraph += line.trim_start();
            }
            blocks.push(Block::Paragraph(paragraph));
        }
    }
    blocks
}

/// The level and the title of a heading.
fn heading(line: &str) -> Option<(u8, &str)> {
    let marks = [("# ", 1), ("## ", 2), ("### ", 3)];
    marks.iter().find_map(|(mark, level)| Some((*level, line.strip_prefix(mark)?)))
}

/// The page in lines of at most `width` columns. Examples and wide tables may be wider.
pub(super) fn page(markdown: &str, width: usize) -> String {
    let text: String = blocks(markdown).iter().map(|block| block.in_columns(width)).collect();
    let mut page = String::new();
    for line in text.trim().lines() {
        if !(line.is_empty() && page.ends_with("\n\n")) {
            page += line;
            page.push('\n');
        }
    }
    page.replace(KEPT, " ")
}

/// True if `line` continues the paragraph of the line before.
fn continues(line: &str) -> bool {
    let begins = ["```", "|", "#", "<!--", "- "].iter().any(|start| line.trim_start().starts_with(start));
    !(line.is_empty() || begins || numbered(line).is_some())
}

/// The name of the file that an example is, if the fence has one.
fn caption(info: &str) -> String {
    info.split(' ').find(|word| word.contains('.')).map_or_else(String::new, |file| format!("  {file}:\n\n"))
}

/// True if `line` defines the target of a link.
fn definition(line: &str) -> bool {
    line.starts_with('[') && line.contains("]: ")
}

/// The number of an item of a list, with the full stop and the blank after it.
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

/// A blank at which a line must not be broken, until lines have been made.
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

/// The command that shows a page, without a place for a line break.
fn command(topic: &str) -> String {
    format!("`flitwise{KEPT}guide{KEPT}{topic}`")
}

/// The target of a link at the start of `behind`, and the text after it.
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

/// True if the row is the line below the heads of a table.
fn is_rule(row: &[String]) -> bool {
    row.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | '|' | ':')))
}

/// A table whose last column is wrapped.
fn columns(table: &[Vec<String>], width: usize) -> String {
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

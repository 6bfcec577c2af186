//! Text for people and for pipes.

use super::failure::Failure;
use clap::builder::styling::{AnsiColor, Style};
use sinew::math::real;
use sinew::measure::Grade;
use std::io::{ErrorKind, IsTerminal, Write};

/// Writes to stdout. A reader that has seen enough (`| head`) is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::usage(format!("stdout cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// A value as one line of JSON.
pub fn json_line(value: &impl serde::Serialize) -> Result<String, Failure> {
    match serde_json::to_string(value) {
        Ok(line) => Ok(line + "\n"),
        Err(error) => Err(Failure::usage(format!("the result cannot be put as JSON: {error}"))),
    }
}

/// Colours, or their absence.
#[derive(Clone, Copy)]
pub struct Paint {
    coloured: bool,
}

impl Paint {
    /// Coloured when stdout is a terminal and `NO_COLOR` does not forbid it.
    pub fn for_stdout() -> Self {
        let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Self { coloured: std::io::stdout().is_terminal() && !forbidden }
    }

    #[cfg(test)]
    pub fn plain() -> Self {
        Self { coloured: false }
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.coloured && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub fn title(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    pub fn faint(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    pub fn role(self, text: &str) -> String {
        self.paint(AnsiColor::Cyan.on_default(), text)
    }

    pub fn grade(self, grade: Grade) -> String {
        let colour = match grade {
            Grade::Good => AnsiColor::Green,
            Grade::Usable => AnsiColor::Yellow,
            Grade::Bad => AnsiColor::Red,
        };
        self.paint(colour.on_default().bold(), grade.word())
    }

    pub fn warning(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default().bold(), text)
    }
}

/// Facts as lines, each with its label in front; long reasons stand out less than values.
#[derive(Default)]
pub struct Facts {
    rows: Vec<(String, String)>,
}

impl Facts {
    pub fn add(&mut self, label: &str, value: impl Into<String>) {
        self.rows.push((label.to_owned(), value.into()));
    }

    /// The rows of both, these first.
    pub fn then(mut self, others: Facts) -> Facts {
        self.rows.extend(others.rows);
        self
    }

    /// The lines, indented, values in one column. Rows called "warning" are coloured so.
    pub fn print(&self, paint: Paint) -> String {
        let width = self.rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for (label, value) in &self.rows {
            let label = format!("{label:<width$}");
            let label = if label.starts_with("warning") { paint.warning(&label) } else { paint.faint(&label) };
            text.push_str(&format!("  {label}  {value}\n"));
        }
        text
    }
}

/// A number with at most `decimals` decimals and no idle zeros: 120, 29.97, 0.5.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A number with so many decimals, or as many as two digits of a small one need: the masses of a thumb-sized figure are not 0.
pub fn fine(value: f64, decimals: usize) -> String {
    let small = value != 0.0 && value.abs() < 10.0_f64.powi(1 - decimals as i32);
    if !small {
        return number(value, decimals);
    }
    let digit = (-real::log10(value.abs()).floor()).clamp(0.0, 12.0) as usize;
    number(value, (digit + 1).max(decimals))
}

/// A count with its noun: `1 frame`, `2 frames`.
pub fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Names in a row, those behind the eighth only counted.
pub fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 8;
    // A lone name takes no more room than its count.
    if names.len() <= SHOWN + 1 {
        return names.join(", ");
    }
    format!("{} … and {} more", names[..SHOWN].join(", "), names.len() - SHOWN)
}

/// A length: `1.74 m`, with more decimals where it is small.
pub fn metres(value: f64) -> String {
    format!("{} m", number(value, if value < 0.1 { 4 } else { 2 }))
}

/// A mass: two decimals, of what is lighter than a hundred grams two digits.
pub fn kilograms(mass: f64) -> String {
    let decimals = if mass > 0.0 && mass < 0.1 { 1 - real::log10(mass).floor() as i32 } else { 2 };
    format!("{} kg", number(mass, decimals.clamp(2, 12) as usize))
}

/// The size of a file: `812 B`, `84.2 kB`, `3.1 MB`.
pub fn size(bytes: u64) -> String {
    let value = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", value / 1e3),
        _ => format!("{:.1} MB", value / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_no_idle_zeros() {
        assert_eq!(number(120.0, 3), "120");
        assert_eq!(number(29.97003, 3), "29.97");
        assert_eq!(number(-0.0001, 2), "0");
        assert_eq!(number(100.0, 0), "100");
    }

    #[test]
    fn long_lists_end_in_a_count() {
        let names: Vec<String> = (1..=75).map(|k| k.to_string()).collect();
        assert_eq!(some_of(&names), "1, 2, 3, 4, 5, 6, 7, 8 … and 67 more");
        assert_eq!(some_of(&names[..9]), "1, 2, 3, 4, 5, 6, 7, 8, 9");
    }

    #[test]
    fn counts_and_sizes_read_as_words() {
        assert_eq!(count(1, "frame"), "1 frame");
        assert_eq!(count(0, "frame"), "0 frames");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(84_230), "84.2 kB");
        assert_eq!(size(3_100_000), "3.1 MB");
    }

    #[test]
    fn light_bodies_weigh_something() {
        assert_eq!(kilograms(67.304), "67.3 kg");
        assert_eq!(kilograms(0.0004321), "0.00043 kg");
        assert_eq!(kilograms(0.0), "0 kg");
    }
}

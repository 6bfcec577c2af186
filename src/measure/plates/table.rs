//! Tables of numbers with named columns: OpenSim's MOT and STO, and CSV with a header of comments.

use crate::files::nearest;
use crate::formats::FormatError;
use crate::math::Real;

/// Largest number of values: a quarter of an hour of six plates at 2 kHz.
const MOST_VALUES: usize = 100_000_000;
/// Largest number of columns.
const MOST_COLUMNS: usize = 4096;

/// Table of a file.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub names: Vec<String>,
    /// Values row by row; NaN where a cell is empty or `nan`.
    pub values: Vec<Real>,
    /// Keys and values of the header, in lower case, with their lines.
    pub header: Vec<(String, String, usize)>,
    /// Line of the first row, from 1.
    pub first_line: usize,
}

impl Table {
    pub fn rows(&self) -> usize {
        self.values.len() / self.names.len().max(1)
    }

    pub fn column(&self, index: usize) -> impl Iterator<Item = Real> + '_ {
        self.values.iter().skip(index).step_by(self.names.len()).copied()
    }

    /// Returns the value of a key of the header, and its line.
    pub fn key(&self, key: &str) -> Option<(&str, usize)> {
        self.header.iter().find(|(name, ..)| name == key).map(|(_, value, line)| (value.as_str(), *line))
    }

    /// Reads a table. `opensim` files have a header up to `endheader`.
    pub fn parse(text: &str, opensim: bool) -> Result<Self, FormatError> {
        let mut table = Self::default();
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim_end_matches('\r')));
        if opensim {
            table.opensim_header(&mut lines)?;
        }
        let mut cells = Vec::new();
        for (line, text) in lines {
            let bare = text.trim();
            if bare.is_empty() {
                continue;
            }
            if let Some(comment) = bare.strip_prefix('#') {
                table.comment(comment, line);
                continue;
            }
            split(bare, opensim, &mut cells);
            if table.names.is_empty() {
                table.name_columns(&cells, line)?;
                continue;
            }
            table.first_line = if table.values.is_empty() { line } else { table.first_line };
            table.row(&cells, line, bare)?;
        }
        if table.names.is_empty() {
            return Err(FormatError::new("has no row of column names")
                .help("the first row behind the header names the columns: time, ground_force_r_vx, …"));
        }
        table.check_counts()?;
        Ok(table)
    }

    fn opensim_header<'t>(&mut self, lines: &mut impl Iterator<Item = (usize, &'t str)>) -> Result<(), FormatError> {
        for (line, text) in lines {
            let bare = text.trim();
            if bare.eq_ignore_ascii_case("endheader") {
                return Ok(());
            }
            self.comment(bare, line);
        }
        Err(FormatError::new("has no line \"endheader\"")
            .help("a MOT or STO file begins with a header that ends in this line; use .csv for plain tables"))
    }

    fn comment(&mut self, text: &str, line: usize) {
        if let Some((key, value)) = text.split_once('=') {
            self.header.push((key.trim().to_lowercase(), value.trim().to_owned(), line));
        }
    }

    fn name_columns(&mut self, cells: &[&str], line: usize) -> Result<(), FormatError> {
        if cells.len() > MOST_COLUMNS {
            return Err(FormatError::new(format!("has {} columns, at most {MOST_COLUMNS} can be read", cells.len()))
                .at_line(line));
        }
        if cells.iter().all(|cell| cell.parse::<Real>().is_ok()) {
            return Err(FormatError::new("has numbers where the names of the columns should be")
                .at_line(line)
                .help("name the columns in the row before: time, right_fx, right_fy, right_fz, right_px, …"));
        }
        self.names = cells.iter().map(|cell| cell.trim_matches('"').trim().to_lowercase()).collect();
        for (index, name) in self.names.iter().enumerate() {
            if !name.is_empty() && self.names[..index].contains(name) {
                return Err(FormatError::new(format!("has two columns called {name:?}")).at_line(line));
            }
        }
        Ok(())
    }

    fn row(&mut self, cells: &[&str], line: usize, text: &str) -> Result<(), FormatError> {
        let shown: String = text.chars().take(100).collect();
        if cells.len() != self.names.len() {
            let message = format!("row has {} values, there are {} columns", cells.len(), self.names.len());
            return Err(FormatError::new(message).at_line(line).excerpt(shown));
        }
        if self.values.len() + cells.len() > MOST_VALUES {
            return Err(FormatError::new(format!("has more than {MOST_VALUES} values")).at_line(line));
        }
        for (cell, name) in cells.iter().zip(&self.names) {
            let value = match cell.to_ascii_lowercase().as_str() {
                "" | "nan" | "-nan" | "+nan" | "-nan(ind)" => Ok(Real::NAN),
                other => other.parse::<Real>().ok().filter(|value| value.is_finite()).ok_or(()),
            };
            let value = value.map_err(|()| {
                FormatError::new(format!("{cell:?} in column {name:?} is no number"))
                    .at_line(line)
                    .excerpt(shown.clone())
            })?;
            self.values.push(value);
        }
        Ok(())
    }

    /// Compares the counts of an OpenSim header with the table.
    fn check_counts(&self) -> Result<(), FormatError> {
        let counts =
            [(["nrows", "datarows"], self.rows(), "rows"), (["ncolumns", "datacolumns"], self.names.len(), "columns")];
        for (keys, found, what) in counts {
            let told = keys
                .iter()
                .find_map(|key| self.key(key))
                .and_then(|(text, line)| Some((text.parse::<usize>().ok()?, line)));
            if let Some((told, line)) = told.filter(|(told, _)| *told != found) {
                return Err(FormatError::new(format!("the header promises {told} {what}, the table has {found}"))
                    .at_line(line)
                    .help("the file may be cut off; correct the header if it is not"));
            }
        }
        Ok(())
    }

    /// Returns the index of a column, or an error with the name that comes nearest.
    pub fn require(&self, name: &str) -> Result<usize, FormatError> {
        self.names.iter().position(|other| other == name).ok_or_else(|| {
            let error = FormatError::new(format!("has no column {name:?}"));
            match nearest(name, self.names.iter().map(String::as_str)) {
                Some(other) => error.help(format!("the nearest name in it is {other:?}")),
                None => error,
            }
        })
    }
}

/// Splits a row at tabs or spaces (OpenSim), else at the separator that it has.
fn split<'t>(text: &'t str, opensim: bool, cells: &mut Vec<&'t str>) {
    cells.clear();
    let separator = [',', ';', '\t'].into_iter().find(|separator| text.contains(*separator));
    match separator.filter(|_| !opensim) {
        Some(separator) => cells.extend(text.split(separator).map(str::trim)),
        None => cells.extend(text.split_whitespace()),
    }
}

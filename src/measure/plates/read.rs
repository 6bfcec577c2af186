//! Reads plates from a table by the names of its columns.
//!
//! A plate is a triple of force columns, `P_vx P_vy P_vz` or `P_fx P_fy P_fz`, with its centre of pressure in `P_px P_py P_pz`.
//! OpenSim writes P as `ground_force`, `1_ground_force`, `ground_force_r`. A header of CSV may have the lines
//! `# up = z`, `# length = mm`, `# rate = 1000` (where there is no column `time`).

use super::table::Table;
use super::{Plate, Plates};
use crate::files;
use crate::formats::{FaultKind, FormatError};
use crate::math::{Real, Vec3};
use std::path::Path;

/// Largest number of plates.
const MOST_PLATES: usize = 64;

impl Plates {
    /// Extensions of the files that can be read.
    pub const READABLE: [&'static str; 3] = ["mot", "sto", "csv"];

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, FormatError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        if !Self::READABLE.contains(&extension.as_str()) {
            return Err(FormatError::new(format!("is no file of force plates by its extension {extension:?}"))
                .of_kind(FaultKind::Unsupported)
                .help("plates are read from .mot, .sto and .csv")
                .in_file(path));
        }
        let bytes = files::load(path)?;
        let text = String::from_utf8_lossy(&bytes);
        Self::parse(&text, extension != "csv").map_err(|error| error.in_file(path))
    }

    /// Reads the text of a file; `opensim` for MOT and STO.
    pub fn parse(text: &str, opensim: bool) -> Result<Self, FormatError> {
        let table = Table::parse(text, opensim)?;
        let times = times(&table)?;
        let mut remarks = Vec::new();
        let axes = Axes::of(&table, &mut remarks)?;
        let mut plates = Vec::new();
        for name in force_names(&table) {
            if plates.len() == MOST_PLATES {
                return Err(FormatError::new(format!("has more than {MOST_PLATES} plates")));
            }
            plates.push(plate(&table, &name, &axes)?);
        }
        if plates.is_empty() {
            return Err(FormatError::new("has no forces: no three columns end with vx, vy, vz or fx, fy, fz")
                .help("OpenSim's names are ground_force_vx, …; in a CSV file right_fx, right_fy, right_fz, right_px, … will do"));
        }
        let lift: Real = plates.iter().flat_map(|plate: &Plate| &plate.force).map(|force| force.y).sum();
        if lift < 0.0 {
            remarks.push("forces point down: taken as forces on the plates, and reversed".to_owned());
            plates.iter_mut().flat_map(|plate| &mut plate.force).for_each(|force| *force = -*force);
        }
        Ok(Self { times, plates, remarks })
    }
}

/// Units and axes of a table.
struct Axes {
    up: usize,
    /// Metres per unit of length.
    length: Real,
}

impl Axes {
    fn of(table: &Table, remarks: &mut Vec<String>) -> Result<Self, FormatError> {
        let up = match table.key("up") {
            None => 1,
            Some((text, line)) => match text.to_lowercase().as_str() {
                "y" | "+y" => 1,
                "z" | "+z" => 2,
                _ => return Err(FormatError::new(format!("up axis {text:?} is not y or z")).at_line(line)),
            },
        };
        let length = match table.key("length") {
            None => 1.0,
            Some((text, line)) => match text.to_lowercase().as_str() {
                "m" => 1.0,
                "cm" => 1e-2,
                "mm" => 1e-3,
                _ => return Err(FormatError::new(format!("unit of length {text:?} is not m, cm or mm")).at_line(line)),
            },
        };
        if up == 2 {
            remarks.push("z is up in the file: turned to y".to_owned());
        }
        Ok(Self { up, length })
    }

    fn turned(&self, v: Vec3) -> Vec3 {
        if self.up == 2 { Vec3::new(v.x, v.z, -v.y) } else { v }
    }
}

/// Returns the times of the rows, seconds.
fn times(table: &Table) -> Result<Vec<Real>, FormatError> {
    let rows = table.rows();
    if rows < 2 {
        return Err(FormatError::new(format!("has {rows} rows; curves need two or more")));
    }
    let Some(column) = table.names.iter().position(|name| name == "time") else {
        let Some((text, line)) = table.key("rate") else {
            return Err(FormatError::new("has no column \"time\"")
                .help("a CSV file without times says \"# rate = 1000\" in its header"));
        };
        let rate =
            text.trim_end_matches("Hz").trim().parse::<Real>().ok().filter(|rate| rate.is_finite() && *rate > 0.0);
        let rate =
            rate.ok_or_else(|| FormatError::new(format!("rate {text:?} is not a positive number")).at_line(line))?;
        return Ok((0..rows).map(|row| row as Real / rate).collect());
    };
    let times: Vec<Real> = table.column(column).collect();
    match times.windows(2).position(|pair| pair[1].partial_cmp(&pair[0]) != Some(std::cmp::Ordering::Greater)) {
        None => Ok(times),
        Some(row) => {
            Err(FormatError::new(format!("time does not go on: {} s is followed by {} s", times[row], times[row + 1]))
                .at_line(table.first_line + row + 1))
        }
    }
}

/// Returns the names P of all forces, without the suffix of their axis.
fn force_names(table: &Table) -> Vec<String> {
    let stem = |name: &String| {
        ["vx", "fx"].iter().find_map(|end| name.strip_suffix(end).map(|stem| (stem.to_owned(), &end[..1])))
    };
    let complete = |(stem, kind): &(String, &str)| {
        ["y", "z"].iter().all(|axis| table.names.contains(&format!("{stem}{kind}{axis}")))
    };
    table.names.iter().filter_map(stem).filter(complete).map(|(stem, kind)| stem + kind).collect()
}

fn plate(table: &Table, name: &str, axes: &Axes) -> Result<Plate, FormatError> {
    let stem = &name[..name.len() - 1];
    let columns = |kind: &str| -> Result<[usize; 3], FormatError> {
        Ok([
            table.require(&format!("{stem}{kind}x"))?,
            table.require(&format!("{stem}{kind}y"))?,
            table.require(&format!("{stem}{kind}z"))?,
        ])
    };
    let vectors = |[x, y, z]: [usize; 3]| -> Vec<Vec3> {
        table.values.chunks(table.names.len()).map(|row| axes.turned(Vec3::new(row[x], row[y], row[z]))).collect()
    };
    let force = vectors(columns(&name[name.len() - 1..])?);
    if let Some(row) = force.iter().position(|force| !force.iter().all(|value| value.is_finite())) {
        return Err(FormatError::new(format!("the force of {:?} is missing", stem.trim_end_matches('_')))
            .at_line(table.first_line + row));
    }
    let has_point = table.names.contains(&format!("{stem}px"));
    let point = has_point.then(|| columns("p")).transpose()?;
    let point = point.map(|columns| vectors(columns).into_iter().map(|p| p * axes.length).collect());
    let name = stem.trim_end_matches(['_', '.', ' ']).to_owned();
    Ok(Plate { name: if name.is_empty() { "plate".to_owned() } else { name }, force, point })
}

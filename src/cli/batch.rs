//! Verbs on several files: one that fails does not stop the others, and a last line sums up.

use super::failure::{Exit, Failure};
use super::output::{count, json_line, print, some_of};
use serde_json::Value;
use sinew::measure::Grade;
use std::path::{Path, PathBuf};

/// Runs `work` on every file, which prints its own result and gives its grade. With `json` a failure is printed as the object that
/// `failed` makes, beside the diagnostic on stderr. Gives the exit of the worst file.
pub fn each(
    files: &[PathBuf],
    json: bool,
    failed: impl Fn(&Path, &Failure) -> Value,
    mut work: impl FnMut(&Path) -> Result<Grade, Failure>,
) -> Result<Exit, Failure> {
    let is_alone = files.len() == 1;
    let (mut grades, mut failures, mut worst) = (Vec::new(), Vec::new(), Exit::Success);
    for (index, file) in files.iter().enumerate() {
        if index > 0 && !json {
            print("\n")?;
        }
        match work(file) {
            Ok(grade) => grades.push(grade),
            Err(failure) => {
                if json && !failure.is_told() {
                    print(&json_line(&failed(file, &failure))?)?;
                }
                if is_alone {
                    return Err(failure);
                }
                failure.print();
                worst = worst.max(failure.exit());
                failures.push(file.display().to_string());
            }
        }
    }
    if !is_alone && !json {
        print(&format!("\n{}\n", summed_up(&grades, &failures)))?;
    }
    Ok(worst)
}

/// Exit of a verb that wrote the results of some of its files: the others are to be mended, whatever is wrong with them.
pub fn partly(worst: Exit) -> Exit {
    worst.min(Exit::BadInput)
}

/// `5 files: 3 good, 1 usable, 1 failed (walk.bvh).`
fn summed_up(grades: &[Grade], failures: &[String]) -> String {
    let of = |grade: Grade| (grades.iter().filter(|one| **one == grade).count(), grade.word());
    let counts = [Grade::Good, Grade::Usable, Grade::Bad].map(of);
    let mut parts: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    if !failures.is_empty() {
        parts.push(format!("{} failed ({})", failures.len(), some_of(failures)));
    }
    format!("{}: {}.", count(grades.len() + failures.len(), "file"), parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts_grades_and_names_failures() {
        let grades = [Grade::Good, Grade::Usable, Grade::Good];
        assert_eq!(summed_up(&grades, &["b.bvh".to_owned()]), "4 files: 2 good, 1 usable, 1 failed (b.bvh).");
        assert_eq!(summed_up(&grades[..1], &[]), "1 file: 1 good.");
    }
}

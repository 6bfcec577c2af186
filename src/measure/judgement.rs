//! Judgement of a result in one sentence: a grade, and the reasons against it. Every verb begins with one.

use std::fmt;

/// Grade of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing speaks against it.
    Good,
    /// It can be used, and something speaks against it.
    Usable,
    /// It should not be used.
    Bad,
}

impl Grade {
    /// The word of a sentence, and of `grade` in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Good => "good",
            Grade::Usable => "usable",
            Grade::Bad => "not good",
        }
    }
}

/// Judgement of a result. `Display` writes the sentence without its subject and its full stop:
///
/// ```
/// use sinew::measure::{Grade, Judgement};
/// let mut judgement = Judgement::good("the ground can give all forces");
/// assert_eq!(judgement.to_string(), "good, the ground can give all forces");
/// judgement.add(Grade::Usable, "feet slide by 60 mm/s");
/// assert_eq!(judgement.to_string(), "usable, the ground can give all forces, but feet slide by 60 mm/s");
/// judgement.add(Grade::Bad, "the body floats");
/// assert_eq!(judgement.to_string(), "not good, the body floats");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Merit of the result, a clause without a full stop.
    pub statement: String,
    /// Reasons against the result, each with the grade that it leaves.
    pub reasons: Vec<(Grade, String)>,
}

impl Judgement {
    /// Most reasons of a sentence; the others are only counted.
    const TOLD: usize = 3;

    /// Returns a judgement with nothing against it.
    pub fn good(statement: impl Into<String>) -> Self {
        Self { statement: statement.into(), reasons: Vec::new() }
    }

    /// Adds a reason against the result.
    pub fn add(&mut self, grade: Grade, reason: impl Into<String>) {
        self.reasons.push((grade, reason.into()));
    }

    /// Adds all reasons of another judgement.
    pub fn extend(&mut self, other: &Judgement) {
        self.reasons.extend(other.reasons.iter().cloned());
    }

    /// Returns the grade: that of the worst reason.
    pub fn grade(&self) -> Grade {
        self.reasons.iter().map(|(grade, _)| *grade).max().unwrap_or(Grade::Good)
    }

    /// Returns the reasons that decided the grade.
    pub fn decisive(&self) -> impl Iterator<Item = &str> {
        let grade = self.grade();
        self.reasons.iter().filter(move |(of, _)| *of == grade).map(|(_, reason)| reason.as_str())
    }

    /// Returns the reasons that the sentence has no room for.
    pub fn untold(&self) -> impl Iterator<Item = &str> {
        let grade = self.grade();
        let told: Vec<&str> = self.decisive().take(Self::TOLD).collect();
        self.reasons
            .iter()
            .map(|(_, reason)| reason.as_str())
            .filter(move |reason| grade != Grade::Good && !told.contains(reason))
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grade = self.grade();
        let reasons: Vec<&str> = self.decisive().take(Self::TOLD).collect();
        let reasons = match reasons.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => reasons.concat(),
        };
        let (word, statement) = (grade.word(), &self.statement);
        match grade {
            Grade::Good => write!(f, "{word}, {statement}"),
            Grade::Usable => write!(f, "{word}, {statement}, but {reasons}"),
            Grade::Bad => write!(f, "{word}, {reasons}"),
        }
    }
}

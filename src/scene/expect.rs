//! Expectations: observed while a scene runs, judged at its end.

use super::context::{Context, formula_fault};
use super::expression::{Expression, Variables};
use super::files::{Files, KeyPath};
use super::number::Number;
use super::reading::Finder;
use super::schema::Expect;
use super::unit::{ANY, TIME};
use crate::formats::FormatError;
use crate::math::Real;

/// Statistic of a formula over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statistic {
    Value,
    Max,
    Min,
    Mean,
    Rms,
    Period,
    Change,
    Rise,
    When,
    Always,
}

/// Expectation with its observations so far.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    name: String,
    statistic: Statistic,
    formula: Expression,
    text: String,
    at: Option<Real>,
    from: Real,
    to: Real,
    wanted: Wanted,
    // Observations.
    count: usize,
    first: Option<Real>,
    last: Option<(Real, Real)>,
    best: Option<Real>,
    lowest: Real,
    sum: Real,
    crossings: Vec<Real>,
    when: Option<Real>,
    failed_at: Option<Real>,
}

#[derive(Clone, Debug)]
struct Wanted {
    is: Option<Expression>,
    within: Real,
    relative: bool,
    below: Option<Expression>,
    above: Option<Expression>,
}

/// Result of an expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Name in the scene file.
    pub name: String,
    /// Formula and statistic.
    pub what: String,
    /// Observed value; none if the run ended too early or nothing was observed.
    pub found: Option<Real>,
    /// Expected value in words.
    pub wanted: String,
    /// Outcome.
    pub outcome: Outcome,
}

/// Outcome of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The observed value is as expected.
    Held,
    /// The observed value is not as expected.
    Failed,
    /// The run ended before the time of the expectation.
    NotReached,
}

impl Watch {
    pub fn new(
        files: &Files,
        context: &Context<'_>,
        finder: &mut Finder<'_>,
        name: &str,
        entry: &Expect,
        end: Real,
    ) -> Result<Self, FormatError> {
        let key_path = KeyPath::table("expect").key(name);
        let formulas = [
            ("value", &entry.value, Statistic::Value),
            ("max", &entry.max, Statistic::Max),
            ("min", &entry.min, Statistic::Min),
            ("mean", &entry.mean, Statistic::Mean),
            ("rms", &entry.rms, Statistic::Rms),
            ("period", &entry.period, Statistic::Period),
            ("change", &entry.change, Statistic::Change),
            ("rise", &entry.rise, Statistic::Rise),
            ("when", &entry.when, Statistic::When),
            ("always", &entry.always, Statistic::Always),
        ];
        let told: Vec<_> = formulas.iter().filter_map(|(key, text, what)| Some((key, text.as_ref()?, what))).collect();
        let [(key, text, &statistic)] = told[..] else {
            let help = "expected exactly one of value, max, min, mean, rms, period, change, rise, when and always";
            let message = if told.is_empty() {
                "this expectation looks at nothing"
            } else {
                "this expectation looks at two things at once"
            };
            return Err(files.fault(&key_path, message).help(help));
        };
        let formula =
            Expression::parse(text, finder).map_err(|error| formula_fault(files, &key_path.key(key), error))?;
        let wanted = wanted(files, context, finder, &key_path, entry, statistic)?;
        let time = |key: &str, number: &Option<Number>| match context.fixed(&format!("{name}.{key}"), number, TIME)? {
            Some(time) if time < 0.0 => Err(files.fault(&key_path.key(key), "times count from 0, in seconds")),
            time => Ok(time),
        };
        let (at, from, to) = (time("at", &entry.at)?, time("from", &entry.from)?, time("to", &entry.to)?);
        let latest = at.or(to);
        if latest.is_some_and(|time| time > end + 1e-9) {
            let key = if at.is_some() { "at" } else { "to" };
            let help = "give the scene a longer \"duration\" in [world]";
            return Err(files.fault(&key_path.key(key), format!("the scene ends at {end} s, before this")).help(help));
        }
        Ok(Self {
            name: name.to_owned(),
            statistic,
            formula,
            text: text.clone(),
            at,
            from: from.unwrap_or(0.0),
            to: to.unwrap_or(end),
            wanted,
            count: 0,
            first: None,
            last: None,
            best: None,
            lowest: Real::INFINITY,
            sum: 0.0,
            crossings: Vec::new(),
            when: None,
            failed_at: None,
        })
    }

    /// Observes the scene at a time; `slack` is half a step, seconds.
    pub fn look(&mut self, variables: &Variables<'_>, slack: Real) {
        let time = variables.time;
        if let Some(at) = self.at {
            // The step nearest to the time counts.
            if self.best.is_none() && time >= at - slack {
                self.best = Some(self.formula.value(variables));
            }
            return;
        }
        if time < self.from - 1e-9 || time > self.to + 1e-9 {
            return;
        }
        let value = self.formula.value(variables);
        self.count += 1;
        self.first.get_or_insert(value);
        match self.statistic {
            Statistic::Max => self.best = Some(self.best.map_or(value, |best| best.max(value))),
            Statistic::Min => self.best = Some(self.best.map_or(value, |best| best.min(value))),
            Statistic::Rise => {
                self.lowest = self.lowest.min(value);
                let rise = value - self.lowest;
                self.best = Some(self.best.map_or(rise, |best| best.max(rise)));
            }
            Statistic::Mean => self.sum += value,
            Statistic::Rms => self.sum += value * value,
            Statistic::Period => {
                if let Some((before, old)) = self.last
                    && old < 0.0
                    && value >= 0.0
                {
                    self.crossings.push(time - (time - before) * value / (value - old));
                }
            }
            Statistic::When if value != 0.0 => {
                self.when.get_or_insert(time);
            }
            // NaN is not true.
            Statistic::Always if value == 0.0 || value.is_nan() => {
                self.failed_at.get_or_insert(time);
            }
            _ => {}
        }
        // `max` and `min` ignore NaN, which must not pass.
        if value.is_nan() && matches!(self.statistic, Statistic::Max | Statistic::Min | Statistic::Rise) {
            self.best = Some(value);
        }
        self.last = Some((time, value));
    }

    fn found(&self) -> Option<Real> {
        match self.statistic {
            _ if self.at.is_some() => self.best,
            Statistic::Value => self.last.map(|(_, value)| value),
            Statistic::Max | Statistic::Min | Statistic::Rise => self.best,
            Statistic::Mean => (self.count > 0).then(|| self.sum / self.count as Real),
            Statistic::Rms => (self.count > 0).then(|| (self.sum / self.count as Real).sqrt()),
            Statistic::Period => {
                let (first, last) = (self.crossings.first()?, self.crossings.last()?);
                (self.crossings.len() > 1).then(|| (last - first) / (self.crossings.len() - 1) as Real)
            }
            Statistic::Change => Some(self.last?.1 - self.first?),
            Statistic::When => self.when,
            Statistic::Always => self.failed_at,
        }
    }

    /// Judges the expectation after a run that ended at `end`, seconds.
    pub fn judge(&self, end: Real, variables: &Variables<'_>) -> Verdict {
        let found = self.found();
        let number = |expression: &Option<Expression>| expression.as_ref().map(|e| e.value(variables));
        let (is, below, above) = (number(&self.wanted.is), number(&self.wanted.below), number(&self.wanted.above));
        let reached = match (self.at, self.statistic) {
            (Some(at), _) => end >= at - 1e-9 || found.is_some(),
            (None, Statistic::When) => found.is_some() || end >= self.to - 1e-9,
            (None, _) => end >= self.to - 1e-9,
        };
        if self.statistic == Statistic::Always {
            let outcome = match (self.failed_at, reached, self.count) {
                (Some(_), ..) => Outcome::Failed,
                (None, true, 1..) => Outcome::Held,
                _ => Outcome::NotReached,
            };
            return self.verdict(self.failed_at, "at every step".into(), outcome);
        }
        let mut words = Vec::new();
        let mut holds = found.is_some_and(|value| !value.is_nan());
        let value = found.unwrap_or(Real::NAN);
        if let Some(is) = is {
            let room = if self.wanted.relative { self.wanted.within * is.abs() } else { self.wanted.within };
            holds &= (value - is).abs() <= room;
            let tolerance = if self.wanted.relative {
                format!("{} %", shown(self.wanted.within * 100.0))
            } else {
                shown(self.wanted.within)
            };
            words.push(format!("{} ± {tolerance}", shown(is)));
        }
        if let Some(below) = below {
            holds &= value < below;
            words.push(format!("below {}", shown(below)));
        }
        if let Some(above) = above {
            holds &= value > above;
            words.push(format!("above {}", shown(above)));
        }
        if words.is_empty() {
            words.push("ever".into());
        }
        let outcome = match (reached, holds) {
            (false, _) => Outcome::NotReached,
            (true, true) => Outcome::Held,
            (true, false) => Outcome::Failed,
        };
        self.verdict(found, words.join(" and "), outcome)
    }

    fn verdict(&self, found: Option<Real>, wanted: String, outcome: Outcome) -> Verdict {
        let what = match self.statistic {
            Statistic::Value => self.text.clone(),
            other => format!("{} of {}", format!("{other:?}").to_lowercase(), self.text),
        };
        Verdict { name: self.name.clone(), what, found, wanted, outcome }
    }
}

/// Formats a number.
pub(crate) fn shown(value: Real) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e5).contains(&size) {
        let text = format!("{value:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.3e}")
    }
}

fn wanted(
    files: &Files,
    context: &Context<'_>,
    finder: &mut Finder<'_>,
    key_path: &KeyPath,
    entry: &Expect,
    statistic: Statistic,
) -> Result<Wanted, FormatError> {
    let mut formula = |key: &str, number: &Option<Number>| -> Result<Option<Expression>, FormatError> {
        match number {
            None => Ok(None),
            Some(Number::Formula(text)) => Expression::parse(text, finder)
                .map(Some)
                .map_err(|error| formula_fault(files, &key_path.key(key), error)),
            Some(plain) => context.expression(key, plain, ANY).map(Some),
        }
    };
    let (is, below, above) =
        (formula("is", &entry.is)?, formula("below", &entry.below)?, formula("above", &entry.above)?);
    let within = formula("within", &entry.within)?;
    let relative = matches!(&entry.within, Some(Number::Formula(text)) if text.contains('%'));
    if is.is_some() != within.is_some() {
        let (there, missing) = if is.is_some() { ("is", "within") } else { ("within", "is") };
        return Err(files.fault(&key_path.key(there), format!("{there:?} needs {missing:?} beside it")));
    }
    let silent = is.is_none() && below.is_none() && above.is_none();
    if silent && !matches!(statistic, Statistic::Always | Statistic::When) {
        let help = "expected \"is\" and \"within\", or \"below\", or \"above\"";
        return Err(files.fault(key_path, "this expectation does not say what is expected").help(help));
    }
    if !silent && statistic == Statistic::Always {
        return Err(files.fault(key_path, "\"always\" is a condition by itself: write always = \"ball.y > 0\""));
    }
    let within = within.map_or(0.0, |within| within.value(&Variables::default()));
    if within.is_nan() || within < 0.0 {
        return Err(files.fault(&key_path.key("within"), "a tolerance is a number from 0 on"));
    }
    Ok(Wanted { is, within, relative, below, above })
}

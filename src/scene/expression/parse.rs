//! Parser of formulas.

use super::function::FUNCTIONS;
use super::{Expression, ExpressionError, Names, Node, Operator, Variables};
use crate::files::nearest;
use crate::math::{GRAVITY, Real};
use crate::scene::unit::{Dimension, NUMBER, UNITS};

impl ExpressionError {
    fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// Functions of objects instead of numbers.
const SPECIAL: [&str; 7] = ["at", "distance", "angle", "lowest", "highest", "total", "average"];

/// Maximum nesting depth of formulas.
const DEEPEST: usize = 64;

pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    names: &'a mut dyn Names,
}

type Parsed = Result<(Node, Option<Dimension>), ExpressionError>;

impl<'a> Parser<'a> {
    /// Parses a whole formula.
    pub fn whole(text: &'a str, names: &'a mut dyn Names) -> Result<Expression, ExpressionError> {
        let mut parser = Parser { text, at: 0, depth: 0, names };
        let (node, quantity) = parser.comparison()?;
        parser.blank();
        if parser.at < text.len() {
            let rest: String = parser.rest().chars().take(12).collect();
            let error = parser.fault(format!("{rest:?} does not belong here"));
            return Err(error.help("expected an operator (+ - * / ^ < >) or the end of the formula"));
        }
        Ok(Expression { node, quantity })
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn fault(&self, message: impl Into<String>) -> ExpressionError {
        ExpressionError { at: self.at, message: message.into(), help: None }
    }

    fn take(&mut self, token: &str) -> bool {
        self.blank();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn comparison(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault("the formula is nested too deeply"));
        }
        let first = self.sum()?;
        let operators =
            [("<=", Operator::AtMost), (">=", Operator::AtLeast), ("<", Operator::Less), (">", Operator::Greater)];
        let result = match operators.into_iter().find(|(token, _)| self.take(token)) {
            Some((_, operator)) => {
                let second = self.sum()?.0;
                Ok((Node::Binary(operator, Box::new([first.0, second])), None))
            }
            None => Ok(first),
        };
        self.depth -= 1;
        result
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        loop {
            let operator = if self.take("+") {
                Operator::Add
            } else if self.take("-") {
                Operator::Subtract
            } else {
                return Ok(left);
            };
            let right = self.product()?.0;
            left = (Node::Binary(operator, Box::new([left.0, right])), None);
        }
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.power()?;
        loop {
            let operator = if self.take("*") {
                Operator::Multiply
            } else if self.take("/") {
                Operator::Divide
            } else {
                return Ok(left);
            };
            let right = self.power()?.0;
            left = (Node::Binary(operator, Box::new([left.0, right])), None);
        }
    }

    fn power(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault("the formula is nested too deeply"));
        }
        let result = if self.take("-") {
            let (node, quantity) = self.power()?;
            Ok((Node::Negative(Box::new(node)), quantity))
        } else {
            let base = self.atom()?;
            if self.take("^") {
                let exponent = self.power()?.0;
                Ok((Node::Binary(Operator::Power, Box::new([base.0, exponent])), None))
            } else {
                Ok(base)
            }
        };
        self.depth -= 1;
        result
    }

    fn atom(&mut self) -> Parsed {
        self.blank();
        let Some(first) = self.rest().chars().next() else {
            return Err(self.fault("the formula ends too early").help("expected a number, a name or a parenthesis"));
        };
        if first == '(' {
            self.at += 1;
            let (inside, _) = self.comparison()?;
            if !self.take(")") {
                return Err(self.fault("a parenthesis is not closed").help("expected \")\""));
            }
            return Ok((inside, None));
        }
        if first.is_ascii_digit() || first == '.' {
            return self.quantity();
        }
        if first.is_alphabetic() || first == '_' {
            return self.named();
        }
        Err(self.fault(format!("{first:?} does not belong here")).help("expected a number, a name or a parenthesis"))
    }

    fn quantity(&mut self) -> Parsed {
        let bytes = self.rest().as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let exponent_sign = matches!(bytes[end], b'+' | b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            let exponent = matches!(bytes[end], b'e' | b'E')
                && bytes.get(end + 1).is_some_and(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-'));
            if bytes[end].is_ascii_digit() || bytes[end] == b'.' || exponent || exponent_sign {
                end += 1;
            } else {
                break;
            }
        }
        let word = &self.rest()[..end];
        let Ok(value) = word.parse::<Real>() else {
            return Err(self.fault(format!("{word:?} is no number")));
        };
        self.at += end;
        match self.unit()? {
            Some((factor, dimension)) => Ok((Node::Number(value * factor), Some(dimension))),
            None => Ok((Node::Number(value), None)),
        }
    }

    /// Parses the unit after a number: names joined by `/`, `*` or `·`, each with a power.
    fn unit(&mut self) -> Result<Option<(Real, Dimension)>, ExpressionError> {
        let before = self.at;
        self.blank();
        if self.take("%") {
            return Ok(Some((0.01, NUMBER)));
        }
        let word = self.word_ahead();
        if word.is_empty() {
            self.at = before;
            return Ok(None);
        }
        let Some(&(_, factor, dimension)) = UNITS.iter().find(|(name, ..)| *name == word) else {
            let error = self.fault(format!("{word:?} is no unit"));
            let meant = nearest(&word, UNITS.iter().map(|(name, ..)| *name));
            let known = UNITS.map(|(name, ..)| name).join(", ");
            return Err(match meant {
                Some(meant) => error.help(format!("did you mean {meant:?}? units are {known}")),
                None => error.help(format!("units are {known}; two factors need a * between them")),
            });
        };
        self.at += word.len();
        let (power, mut factor, mut dimension) = (self.small_power(), factor, dimension);
        (factor, dimension) = (factor.powi(power.into()), NUMBER.times(dimension, power));
        loop {
            let before = self.at;
            let sign = if self.take("/") {
                -1
            } else if self.take("*") || self.take("·") {
                1
            } else {
                break;
            };
            self.blank();
            let word = self.word_ahead();
            // `2 m * t` continues the formula; `0.1 N*s/m` is one unit.
            let Some(&(_, next, of)) = UNITS.iter().find(|(name, ..)| *name == word && word != "g") else {
                self.at = before;
                break;
            };
            self.at += word.len();
            let power = sign * self.small_power();
            (factor, dimension) = (factor * next.powi(power.into()), dimension.times(of, power));
        }
        Ok(Some((factor, dimension)))
    }

    fn small_power(&mut self) -> i8 {
        for (token, power) in [("²", 2), ("³", 3), ("^2", 2), ("^3", 3)] {
            if self.rest().starts_with(token) {
                self.at += token.len();
                return power;
            }
        }
        1
    }

    fn word_ahead(&self) -> String {
        self.rest().chars().take_while(|c| c.is_alphabetic()).collect()
    }

    /// Parses a name, which may have parts: `man.left_hand.x`.
    fn name_ahead(&self) -> String {
        self.rest().chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#')).collect()
    }

    fn named(&mut self) -> Parsed {
        let start = self.at;
        let name = self.name_ahead();
        self.at += name.len();
        let unknown = |parser: &Self, message: String| {
            let known = parser.names.known();
            let words = FUNCTIONS.iter().map(|f| f.0).chain(["t", "i", "n", "pi", "tau", "g"]).chain(SPECIAL);
            let all: Vec<&str> = words.chain(known.iter().map(String::as_str)).collect();
            let error = ExpressionError { at: start, message, help: None };
            match nearest(&name, all.iter().copied()) {
                Some(meant) => error.help(format!("did you mean {meant:?}?")),
                None => {
                    error.help("names are t, i, n, pi, tau, g, those of [let], functions such as sin, and readings")
                }
            }
        };
        if self.take("(") {
            if SPECIAL.contains(&name.as_str()) {
                return self.special(&name, start);
            }
            let Some(&(_, function, least, most)) = FUNCTIONS.iter().find(|f| f.0 == name) else {
                return Err(unknown(self, format!("there is no function {name:?}")));
            };
            let mut args = Vec::new();
            loop {
                args.push(self.comparison()?.0);
                if !self.take(",") {
                    break;
                }
            }
            if !self.take(")") {
                return Err(self.fault(format!("the arguments of {name} do not end")).help("expected \",\" or \")\""));
            }
            if !(least..=most).contains(&args.len()) {
                let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
                let message = format!("{name} takes {wanted}, not {}", args.len());
                return Err(ExpressionError { at: start, message, help: None });
            }
            return Ok((Node::Call(function, args), None));
        }
        let node = match name.as_str() {
            "t" => Node::Time,
            "i" => Node::Index,
            "n" => Node::Count,
            "pi" => Node::Number(std::f64::consts::PI),
            "tau" => Node::Number(std::f64::consts::TAU),
            "g" => Node::Number(GRAVITY),
            "inf" => Node::Number(Real::INFINITY),
            _ => {
                if let Some(constant) = self.names.constant(&name) {
                    constant.node
                } else {
                    let which = self.names.reading(&name).map_err(|message| unknown(self, message))?;
                    Node::Reading(which)
                }
            }
        };
        Ok((node, None))
    }

    /// Parses a function of objects: `distance(hand, cup)`, or `at(7, ball.x)` for an earlier value.
    fn special(&mut self, name: &str, start: usize) -> Parsed {
        let fault = |message: String| ExpressionError { at: start, message, help: None };
        if name == "at" {
            let time = self.comparison()?.0.at(&Variables::default()).value;
            if !self.take(",") {
                return Err(self.fault("at(time, formula) needs a formula behind its time").help("expected \",\""));
            }
            let (node, quantity) = self.comparison()?;
            if !self.take(")") {
                return Err(self.fault("a parenthesis is not closed").help("expected \")\""));
            }
            let which = self.names.memory(time, Expression { node, quantity }).map_err(fault)?;
            return Ok((Node::Memory(which), None));
        }
        let mut things = Vec::new();
        loop {
            self.blank();
            let thing: String = self
                .rest()
                .chars()
                .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#' | '*'))
                .collect();
            self.at += thing.len();
            things.push(thing);
            if !self.take(",") {
                break;
            }
        }
        if !self.take(")") {
            return Err(self.fault(format!("the arguments of {name} do not end")).help("expected \",\" or \")\""));
        }
        let which = self.names.reading_between(name, &things).map_err(|message| {
            let known = self.names.known();
            let near = things.iter().find_map(|thing| {
                let listed = known.iter().any(|k| k == thing);
                (!listed).then(|| nearest(thing, known.iter().map(String::as_str))).flatten()
            });
            let error = fault(message);
            match near {
                Some(near) => error.help(format!("did you mean {near:?}?")),
                None => error,
            }
        })?;
        Ok((Node::Reading(which), None))
    }
}

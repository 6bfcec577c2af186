//! Formulas: what may stand in quotes where a number belongs.
//!
//! ```text
//!  sum     = product (("+" | "-") product)*           comparison = sum (("<" | ">" | "<=" | ">=") sum)?
//!  product = power (("*" | "/") power)*
//!  power   = "-" power | atom ("^" power)?
//!  atom    = number [unit] | name | name "(" comparison ("," comparison)* ")" | "(" comparison ")"
//! ```
//!
//! Names are `t` (the time, s), `i` and `n` (which of how many, in entries with `repeat`), `pi`, `tau`, `g`, the constants of
//! `[let]`, and, in expectations and controllers, readings such as `ball.x` or `nail.force`. Comparisons are 1 where
//! they hold and 0 where not.

use super::curve::TimeCurve;
use super::jet::Jet;
use super::unit::{Dimension, NUMBER, UNITS};
use crate::math::Real;
use crate::nearest::nearest;
use std::sync::Arc;

/// A formula that was read.
#[derive(Clone, Debug)]
pub struct Expression {
    node: Node,
    /// The dimension, for a single quantity with a unit.
    pub quantity: Option<Dimension>,
}

#[derive(Clone, Debug)]
enum Node {
    Number(Real),
    Time,
    Index,
    Count,
    Reading(usize),
    /// A reading's formula as it was at a time: which of the memories.
    Memory(usize),
    Curve(Arc<TimeCurve>),
    Negative(Box<Node>),
    Binary(Operator, Box<[Node; 2]>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Less,
    Greater,
    AtMost,
    AtLeast,
}

macro_rules! functions {
    ($($variant:ident $name:literal $least:literal $most:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Function { $($variant),* }
        const FUNCTIONS: &[(&str, Function, usize, usize)] = &[$(($name, Function::$variant, $least, $most)),*];
    };
}

functions! {
    Sin "sin" 1 1, Cos "cos" 1 1, Tan "tan" 1 1, Asin "asin" 1 1, Acos "acos" 1 1, Atan "atan" 1 1, Atan2 "atan2" 2 2,
    Sqrt "sqrt" 1 1, Exp "exp" 1 1, Ln "ln" 1 1, Abs "abs" 1 1, Sign "sign" 1 1, Floor "floor" 1 1, Round "round" 1 1,
    Mod "mod" 2 2, Min "min" 1 99, Max "max" 1 99, Hypot "hypot" 1 3, If "if" 3 3, Step "step" 2 2, Smooth "smooth" 3 3,
    Noise "noise" 1 1, Random "random" 1 1, Clamp "clamp" 3 3,
}

/// Why a formula is none; the place is a byte of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionError {
    pub at: usize,
    pub message: String,
    pub help: Option<String>,
}

/// What names mean.
pub trait Names {
    /// A constant of `[let]`, as a formula.
    fn constant(&self, name: &str) -> Option<Expression>;
    /// The number of a reading.
    fn reading(&mut self, name: &str) -> Result<usize, String>;
    /// The number of a reading that looks at several things, such as a distance.
    fn reading_between(&mut self, function: &str, names: &[String]) -> Result<usize, String>;
    /// The number of a memory that keeps what a formula was at a time.
    fn memory(&mut self, time: Real, formula: Expression) -> Result<usize, String>;
    /// Words that may have been meant.
    fn known(&self) -> Vec<String>;
}

/// What a formula may look at when it is worked out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances<'a> {
    pub time: Real,
    pub index: Real,
    pub count: Real,
    pub readings: &'a [Real],
    pub memories: &'a [Real],
}

impl Expression {
    pub fn number(value: Real) -> Self {
        Self { node: Node::Number(value), quantity: None }
    }

    pub fn curve(curve: TimeCurve) -> Self {
        Self { node: Node::Curve(Arc::new(curve)), quantity: None }
    }

    pub fn parse(text: &str, names: &mut dyn Names) -> Result<Self, ExpressionError> {
        let mut parser = Parser { text, at: 0, depth: 0, names };
        let (node, quantity) = parser.comparison()?;
        parser.blank();
        if parser.at < text.len() {
            let rest: String = parser.rest().chars().take(12).collect();
            let error = parser.fault(format!("{rest:?} does not belong here"));
            return Err(error.help("expected an operator (+ - * / ^ < >) or the end of the formula"));
        }
        Ok(Self { node, quantity })
    }

    /// The value, with its derivatives by time.
    pub fn at(&self, circumstances: &Circumstances<'_>) -> Jet {
        self.node.at(circumstances)
    }

    pub fn value(&self, circumstances: &Circumstances<'_>) -> Real {
        self.at(circumstances).value
    }

    /// Whether it changes with time.
    pub fn moves(&self) -> bool {
        self.node.any(&|node| matches!(node, Node::Time | Node::Reading(_) | Node::Curve(_)))
    }
}

impl Node {
    fn any(&self, test: &dyn Fn(&Node) -> bool) -> bool {
        test(self)
            || match self {
                Node::Negative(a) => a.any(test),
                Node::Binary(_, ab) => ab.iter().any(|node| node.any(test)),
                Node::Call(_, args) => args.iter().any(|node| node.any(test)),
                _ => false,
            }
    }

    fn at(&self, c: &Circumstances<'_>) -> Jet {
        match self {
            Node::Number(value) => Jet::constant(*value),
            Node::Time => Jet::time(c.time),
            Node::Index => Jet::constant(c.index),
            Node::Count => Jet::constant(c.count),
            Node::Reading(which) => Jet::constant(c.readings.get(*which).copied().unwrap_or(Real::NAN)),
            Node::Memory(which) => Jet::constant(c.memories.get(*which).copied().unwrap_or(Real::NAN)),
            Node::Curve(curve) => curve.at(c.time),
            Node::Negative(a) => -a.at(c),
            Node::Binary(operator, ab) => {
                let (a, b) = (ab[0].at(c), ab[1].at(c));
                let truth = |holds: bool| Jet::constant(holds as u8 as Real);
                match operator {
                    Operator::Add => a + b,
                    Operator::Subtract => a - b,
                    Operator::Multiply => a * b,
                    Operator::Divide => a / b,
                    Operator::Power => a.powf(b),
                    Operator::Less => truth(a.value < b.value),
                    Operator::Greater => truth(a.value > b.value),
                    Operator::AtMost => truth(a.value <= b.value),
                    Operator::AtLeast => truth(a.value >= b.value),
                }
            }
            Node::Call(function, args) => {
                let args: Vec<Jet> = args.iter().map(|node| node.at(c)).collect();
                function.at(&args)
            }
        }
    }
}

impl Function {
    fn at(self, args: &[Jet]) -> Jet {
        let a = args.first().copied().unwrap_or_default();
        let x = a.value;
        match self {
            Function::Sin => a.chain(x.sin(), x.cos(), -x.sin()),
            Function::Cos => a.chain(x.cos(), -x.sin(), -x.cos()),
            Function::Tan => {
                let tan = x.tan();
                let slope = 1.0 + tan * tan;
                a.chain(tan, slope, 2.0 * tan * slope)
            }
            Function::Asin => {
                let s = (1.0 - x * x).sqrt();
                a.chain(x.asin(), 1.0 / s, x / (s * s * s))
            }
            Function::Acos => {
                let s = (1.0 - x * x).sqrt();
                a.chain(x.acos(), -1.0 / s, -x / (s * s * s))
            }
            Function::Atan => {
                let s = 1.0 / (1.0 + x * x);
                a.chain(x.atan(), s, -2.0 * x * s * s)
            }
            Function::Atan2 => {
                let b = args[1];
                let norm = a * a + b * b;
                let rate = (b.value * a.rate - a.value * b.rate) / norm.value;
                let second = (b.value * a.second - a.value * b.second - rate * norm.rate) / norm.value;
                Jet { value: x.atan2(b.value), rate, second }
            }
            Function::Sqrt => {
                let s = x.sqrt();
                a.chain(s, 0.5 / s, -0.25 / (s * x))
            }
            Function::Exp => a.chain(x.exp(), x.exp(), x.exp()),
            Function::Ln => a.chain(x.ln(), 1.0 / x, -1.0 / (x * x)),
            Function::Abs => a.chain(x.abs(), x.signum(), 0.0),
            Function::Sign => Jet::constant(if x == 0.0 { 0.0 } else { x.signum() }),
            Function::Floor => Jet::constant(x.floor()),
            Function::Round => Jet::constant(x.round()),
            Function::Mod => {
                let m = args[1].value;
                Jet { value: x.rem_euclid(m), ..a }
            }
            Function::Min => args.iter().copied().reduce(|a, b| if b.value < a.value { b } else { a }).unwrap_or(a),
            Function::Max => args.iter().copied().reduce(|a, b| if b.value > a.value { b } else { a }).unwrap_or(a),
            Function::Hypot => {
                let square = args.iter().fold(Jet::default(), |sum, a| sum + *a * *a);
                let s = square.value.sqrt();
                if s > 0.0 { square.chain(s, 0.5 / s, -0.25 / (s * square.value)) } else { Jet::default() }
            }
            Function::If => {
                if x != 0.0 {
                    args[1]
                } else {
                    args[2]
                }
            }
            // step(from, x): 0 before, 1 from there on.
            Function::Step => Jet::constant((args[1].value >= x) as u8 as Real),
            // smooth(from, to, x): rises from 0 to 1 with a continuous acceleration.
            Function::Smooth => {
                let (from, to) = (x, args[1].value);
                let u = (args[2] - a) / (args[1] - a);
                match u.value {
                    v if v <= 0.0 || from == to && args[2].value < from => Jet::constant(0.0),
                    v if v >= 1.0 || v.is_nan() => Jet::constant(1.0),
                    v => u.chain(
                        v * v * v * (10.0 - 15.0 * v + 6.0 * v * v),
                        30.0 * v * v * (1.0 - v) * (1.0 - v),
                        60.0 * v * (1.0 - v) * (1.0 - 2.0 * v),
                    ),
                }
            }
            Function::Noise => noise(a),
            Function::Random => Jet::constant(hashed(x.round() as i64)),
            Function::Clamp => {
                let (low, high) = (args[1], args[2]);
                match x {
                    x if x < low.value => low,
                    x if x > high.value => high,
                    _ => a,
                }
            }
        }
    }
}

/// The same number in [−1, 1] for the same whole number, on every machine.
fn hashed(n: i64) -> Real {
    let mut x = (n as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^= x >> 31;
    (x >> 11) as Real / (1u64 << 52) as Real - 1.0
}

/// Random values at whole numbers with a quintic between them: as smooth as a wind.
fn noise(a: Jet) -> Jet {
    let cell = a.value.floor();
    let (left, right) = (hashed(cell as i64), hashed(cell as i64 + 1));
    let u = a - Jet::constant(cell);
    let v = u.value;
    let rise = u.chain(
        v * v * v * (10.0 - 15.0 * v + 6.0 * v * v),
        30.0 * v * v * (1.0 - v) * (1.0 - v),
        60.0 * v * (1.0 - v) * (1.0 - 2.0 * v),
    );
    Jet::constant(left) + rise * Jet::constant(right - left)
}

impl ExpressionError {
    fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// Functions that look at things instead of numbers.
const SPECIAL: [&str; 7] = ["at", "distance", "angle", "lowest", "highest", "total", "average"];

/// Formulas nest no deeper than this.
const DEEPEST: usize = 64;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    names: &'a mut dyn Names,
}

type Parsed = Result<(Node, Option<Dimension>), ExpressionError>;

impl Parser<'_> {
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

    /// A unit behind a number: words joined by `/`, `*` or `·`, each with a power.
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
            // `2 m * t` is no unit; `0.1 N*s/m` is one.
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

    /// A name may have parts: `man.left_hand.x`.
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
            "g" => Node::Number(9.81),
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

    /// Functions that look at things instead of numbers: `distance(hand, cup)`, and `at(7, ball.x)`, what was at a time.
    fn special(&mut self, name: &str, start: usize) -> Parsed {
        let fault = |message: String| ExpressionError { at: start, message, help: None };
        if name == "at" {
            let time = self.comparison()?.0.at(&Circumstances::default()).value;
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Nobody;

    impl Names for Nobody {
        fn constant(&self, name: &str) -> Option<Expression> {
            (name == "length").then(|| Expression::number(2.0))
        }
        fn reading(&mut self, name: &str) -> Result<usize, String> {
            Err(format!("there is no {name:?}"))
        }
        fn reading_between(&mut self, _: &str, _: &[String]) -> Result<usize, String> {
            Err("nothing to look at".into())
        }
        fn memory(&mut self, _: Real, _: Expression) -> Result<usize, String> {
            Err("nothing to remember".into())
        }
        fn known(&self) -> Vec<String> {
            vec!["length".into()]
        }
    }

    fn at(text: &str, time: Real) -> Jet {
        let circumstances = Circumstances { time, index: 3.0, count: 5.0, ..Default::default() };
        Expression::parse(text, &mut Nobody).expect(text).at(&circumstances)
    }

    #[test]
    fn operators_bind_as_in_mathematics() {
        for (text, value) in [
            ("1 + 2*3", 7.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("(1+2)*3 - 4/2", 7.0),
            ("length*i + n", 11.0),
            ("1e-3*1000", 1.0),
            ("if(2 > 1, 5, 6)", 5.0),
            ("max(1, 4, 2)", 4.0),
            ("mod(7, 4)", 3.0),
            ("30 deg", std::f64::consts::PI / 6.0),
            ("36 km/h", 10.0),
            ("5 N*s/m", 5.0),
            ("2 m * 3", 6.0),
            ("20 %", 0.2),
        ] {
            assert!((at(text, 0.0).value - value).abs() < 1e-12, "{text}: {}", at(text, 0.0).value);
        }
    }

    /// Rates and second derivatives are those of central differences.
    #[test]
    fn derivatives_by_time_are_exact() {
        for text in [
            "sin(3*t)*t^2",
            "exp(-t)/(1 + t*t)",
            "sqrt(1 + t)",
            "atan2(t, 2) + tan(t/3)",
            "hypot(t, 2*t, 1)",
            "noise(3*t)",
            "smooth(0, 2, t)",
            "asin(t/3) + acos(t/4) + ln(1 + t)",
            "(1 + t)^t",
            "atan(t^3)",
        ] {
            let (t, h) = (0.7, 1e-4);
            let (low, mid, high) = (at(text, t - h), at(text, t), at(text, t + h));
            assert!((mid.rate - (high.value - low.value) / (2.0 * h)).abs() < 1e-5, "{text}: {mid:?}");
            assert!((mid.second - (high.rate - low.rate) / (2.0 * h)).abs() < 1e-4, "{text}: {mid:?}");
        }
    }

    #[test]
    fn faults_point_at_the_word_and_say_what_was_meant() {
        for (text, place, message, help) in [
            ("2 + lenght", 4, "there is no \"lenght\"", "did you mean \"length\"?"),
            ("sni(t)", 0, "there is no function \"sni\"", "did you mean \"sin\"?"),
            ("3 kgs", 2, "\"kgs\" is no unit", "did you mean \"kg\"?"),
            ("(1 + 2", 6, "a parenthesis is not closed", "expected \")\""),
            ("1 +", 3, "the formula ends too early", "expected a number"),
            ("2 3", 2, "\"3\" does not belong here", "expected an operator"),
            ("1.2.3", 0, "\"1.2.3\" is no number", ""),
            ("sin(1, 2)", 0, "sin takes 1, not 2", ""),
        ] {
            let error = Expression::parse(text, &mut Nobody).expect_err(text);
            assert_eq!((error.at, error.message.as_str()), (place, message), "{text}");
            assert!(error.help.unwrap_or_default().starts_with(help), "{text}");
        }
        let deep = "(".repeat(10_000);
        assert!(Expression::parse(&deep, &mut Nobody).is_err());
        assert!(Expression::parse(&"-".repeat(10_000), &mut Nobody).is_err());
    }

    #[test]
    fn quantities_know_their_dimension() {
        use crate::scene::unit::*;
        let dimension = |text: &str| Expression::parse(text, &mut Nobody).expect(text).quantity;
        assert_eq!(dimension("3 kg"), Some(MASS));
        assert_eq!(dimension("-3 m/s^2"), Some(ACCELERATION));
        assert_eq!(dimension("2 N*m"), Some(TORQUE));
        assert_eq!(dimension("2*3"), None);
        assert!(!TIME.fits(MASS) && ANGLE.fits(NUMBER) && TORQUE.fits(FORCE));
    }
}

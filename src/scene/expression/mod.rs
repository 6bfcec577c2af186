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

mod function;
mod parse;

use super::curve::TimeCurve;
use super::unit::Dimension;
use crate::math::Real;
use crate::math::jet::Jet;
use function::Function;
use parse::Parser;
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
pub struct Variables<'a> {
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
        Parser::whole(text, names)
    }

    /// The value, with its derivatives by time.
    pub fn at(&self, variables: &Variables<'_>) -> Jet {
        self.node.at(variables)
    }

    pub fn value(&self, variables: &Variables<'_>) -> Real {
        self.at(variables).value
    }

    /// Whether it changes with time.
    pub fn varies(&self) -> bool {
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

    fn at(&self, c: &Variables<'_>) -> Jet {
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

#[cfg(test)]
mod tests;

//! Formulas: quoted text in place of a number.
//!
//! ```text
//!  sum     = product (("+" | "-") product)*           comparison = sum (("<" | ">" | "<=" | ">=") sum)?
//!  product = power (("*" | "/") power)*
//!  power   = "-" power | atom ("^" power)?
//!  atom    = number [unit] | name | name "(" comparison ("," comparison)* ")" | "(" comparison ")"
//! ```
//!
//! Names are `t` (time, s), `i` and `n` (number and count of a repetition), `pi`, `tau`, `g`, the constants of `[let]`,
//! and, in expectations and controllers, readings such as `ball.x` or `nail.force`. A comparison is 1 if it holds, else 0.

mod function;
mod parse;

use super::curve::TimeCurve;
use super::unit::Dimension;
use crate::math::Real;
use crate::math::jet::Jet;
use function::Function;
use parse::Parser;
use std::sync::Arc;

/// Parsed formula.
#[derive(Clone, Debug)]
pub struct Expression {
    node: Node,
    /// Dimension of a single quantity with a unit.
    pub quantity: Option<Dimension>,
}

#[derive(Clone, Debug)]
enum Node {
    Number(Real),
    Time,
    Index,
    Count,
    Reading(usize),
    /// Formula evaluated at an earlier time, by number of the memory.
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

/// Error in a formula, with the byte position in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionError {
    pub at: usize,
    pub message: String,
    pub help: Option<String>,
}

/// Resolver of names in a formula.
pub trait Names {
    /// Constant of `[let]`.
    fn constant(&self, name: &str) -> Option<Expression>;
    /// Number of a reading.
    fn reading(&mut self, name: &str) -> Result<usize, String>;
    /// Number of a reading of several objects, such as a distance.
    fn reading_between(&mut self, function: &str, names: &[String]) -> Result<usize, String>;
    /// Number of the memory for the value of a formula at a time.
    fn memory(&mut self, time: Real, formula: Expression) -> Result<usize, String>;
    /// Known names, for error messages.
    fn known(&self) -> Vec<String>;
}

/// Variables of an evaluation.
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

    /// Value with its time derivatives.
    pub fn at(&self, variables: &Variables<'_>) -> Jet {
        self.node.at(variables)
    }

    pub fn value(&self, variables: &Variables<'_>) -> Real {
        self.at(variables).value
    }

    /// Returns true if the value depends on time.
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

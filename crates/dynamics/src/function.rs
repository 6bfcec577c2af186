//! Functions given by the user, shared by all copies of a world.

use crate::math::Real;
use std::fmt;
use std::sync::Arc;

/// Function that copies share; two are equal if they are the same one.
pub struct Shared<F: ?Sized>(pub Arc<F>);

impl<F: ?Sized> Clone for Shared<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: ?Sized> PartialEq for Shared<F> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<F: ?Sized> fmt::Debug for Shared<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("function")
    }
}

/// Function of time, seconds.
pub type TimeFunction<T> = Shared<dyn Fn(Real) -> T + Send + Sync>;

impl<T> TimeFunction<T> {
    /// Wraps a function of time, seconds.
    pub fn new(function: impl Fn(Real) -> T + Send + Sync + 'static) -> Self {
        Self(Arc::new(function))
    }

    /// Returns the value at a time, seconds.
    pub fn at(&self, time: Real) -> T {
        (self.0)(time)
    }
}

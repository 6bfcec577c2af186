//! Laws that every figure obeys.

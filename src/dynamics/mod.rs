//! Rigid bodies in maximal coordinates, held, driven and limited by constraint forces that can be read out.

pub mod solve;

//! Dispatch to wide vector instructions, in one place.

use std::sync::atomic::{AtomicBool, Ordering};

static ALLOWED: AtomicBool = AtomicBool::new(true);

/// Lets [`wide!`](crate::wide) use wide vectors, or keeps the whole process from it: tests compare both.
pub fn use_wide_vectors(allowed: bool) {
    ALLOWED.store(allowed, Ordering::Relaxed);
}

/// Returns true if the machine has 256-bit vectors and [`use_wide_vectors`] allows them.
#[inline]
pub fn has_wide_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    let found = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let found = false;
    found && ALLOWED.load(Ordering::Relaxed)
}

/// Runs a block of code compiled for 256-bit vectors (AVX2) where the machine has them, and for the baseline elsewhere.
///
/// Rust neither fuses nor reorders floating-point operations, so both give the same bits. The arguments are written
/// `name: Type = value`, or `name: Type` for a variable of that name. Code reached from the block is compiled for wide vectors only where it is inlined into it: put
/// `#[inline(always)]` on the functions that matter. Closures are not, unless they are inlined as well.
///
/// ```
/// fn dot(a: &[f64], b: &[f64]) -> f64 {
///     sinew_math::wide!(fn(a: &[f64], b: &[f64]) -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() })
/// }
/// assert_eq!(dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// ```
#[macro_export]
macro_rules! wide {
    (@value $name:ident) => { $name };
    (@value $name:ident $value:expr) => { $value };
    (fn($($name:ident: $type:ty $(= $value:expr)?),+ $(,)?) $(-> $out:ty)? $body:block) => {{
        #[inline(always)]
        fn plain_path($($name: $type),+) $(-> $out)? $body

        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
        fn wide_path($($name: $type),+) $(-> $out)? {
            plain_path($($name),+)
        }

        // Evaluated out here, so that no expression of the caller stands in the unsafe block.
        let ($($name,)+): ($($type,)+) = ($($crate::wide!(@value $name $($value)?),)+);
        if $crate::has_wide_vectors() {
            // SAFETY: the machine has the instructions that `wide_path` is compiled for.
            #[allow(unused_unsafe, unsafe_code)]
            unsafe {
                wide_path($($name),+)
            }
        } else {
            plain_path($($name),+)
        }
    }};
}

#[cfg(test)]
mod tests {
    use crate::Real;

    /// Sums, products, quotients and roots in an order that vectors could change.
    #[inline(always)]
    fn mix(values: &mut [Real], factors: &[Real]) -> Real {
        let mut sum = 0.0;
        for (value, factor) in values.iter_mut().zip(factors) {
            *value = *value * factor + 1.0 / (1.0 + value.abs().sqrt());
            sum += *value * factor;
        }
        sum
    }

    #[test]
    fn wide_and_plain_code_give_the_same_bits() {
        let start: Vec<Real> = (0..1003).map(|k| (k as Real * 0.37).sin() * 1e3).collect();
        let factors: Vec<Real> = (0..1003).map(|k| (k as Real * 0.11).cos()).collect();
        let (mut plain, mut wide) = (start.clone(), start);
        let plain_sum = std::hint::black_box(mix as fn(&mut [Real], &[Real]) -> Real)(&mut plain, &factors);
        let wide_sum =
            wide!(fn(values: &mut [Real] = &mut wide, factors: &[Real] = &factors) -> Real { mix(values, factors) });
        assert_eq!(plain_sum.to_bits(), wide_sum.to_bits());
        assert!(plain.iter().zip(&wide).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

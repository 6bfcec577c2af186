//! Buffers whose content is replaced step after step while their memory is kept.

/// List that is filled anew without allocating, once it has grown to the largest size seen.
pub trait Buffer<T: Clone> {
    /// Replaces the content by `count` copies of a value.
    fn reset(&mut self, count: usize, value: T);

    /// Replaces the content by these items.
    fn assign(&mut self, items: impl IntoIterator<Item = T>);
}

impl<T: Clone> Buffer<T> for Vec<T> {
    #[inline(always)]
    fn reset(&mut self, count: usize, value: T) {
        self.clear();
        self.resize(count, value);
    }

    #[inline(always)]
    fn assign(&mut self, items: impl IntoIterator<Item = T>) {
        self.clear();
        self.extend(items);
    }
}

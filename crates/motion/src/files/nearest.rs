//! Nearest spelling, for "did you mean …?".

/// Returns the candidate that is spelt most like `word`; `None` if all differ in more than half of their letters.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, &candidate.to_lowercase()), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().max(wanted.chars().count()) / 2)
        .map(|(_, candidate)| candidate)
}

/// Number of insertions, deletions, replacements and swaps of neighbours that make `a` into `b` (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // Rows of the table of distances d(i, j) from a[..i] to b[..j]: i − 2, i − 1 and i.
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("walk", "walk"), 0);
        assert_eq!(distance("rnu", "run"), 1);
    }

    #[test]
    fn the_nearest_name_is_offered_unless_it_is_far() {
        let clips = ["Walk", "Run", "Jump"];
        assert_eq!(nearest("wlak", clips), Some("Walk"));
        assert_eq!(nearest("runn", clips), Some("Run"));
        assert_eq!(nearest("backflip", clips), None);
        assert_eq!(nearest("x", []), None);
    }
}

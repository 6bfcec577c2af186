//! "Did you mean …?"

/// The candidate that is spelt most like `word`, unless all are too far off to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, &candidate.to_lowercase()), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().max(wanted.chars().count()) / 2)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions and replacements that make `a` into `b` (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    // row[j] is the distance from the part of `a` seen so far to b[..j].
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("walk", "walk"), 0);
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

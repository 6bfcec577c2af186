//! Disjoint sets over numbers: `leader[i]` points towards the representative of the set of i.

/// Returns the leader of a set; paths are halved on the way.
pub(crate) fn find(leader: &mut [u32], mut at: u32) -> u32 {
    while leader[at as usize] != at {
        let next = leader[leader[at as usize] as usize];
        leader[at as usize] = next;
        at = next;
    }
    at
}

/// Joins two sets. The smaller number leads, so that the outcome does not depend on the order of joins.
pub(crate) fn join(leader: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(leader, a), find(leader, b));
    leader[a.max(b) as usize] = a.min(b);
}

/// Makes every number point at its leader directly.
pub(crate) fn flatten(leader: &mut [u32]) {
    // Leaders come before their members, so theirs are known already.
    for at in 0..leader.len() {
        leader[at] = leader[leader[at] as usize];
    }
}

//! Disjoint sets over numbers: `leader[i]` points towards the one that stands for the set of i.

/// The leader of a set, with the ways halved on the walk.
pub(crate) fn find(leader: &mut [u32], mut at: u32) -> u32 {
    while leader[at as usize] != at {
        let next = leader[leader[at as usize] as usize];
        leader[at as usize] = next;
        at = next;
    }
    at
}

/// Makes two sets one. The smaller number leads, so that the outcome does not depend on the order of joins.
pub(crate) fn join(leader: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(leader, a), find(leader, b));
    leader[a.max(b) as usize] = a.min(b);
}

/// Lets everybody point at the leader itself.
pub(crate) fn flatten(leader: &mut [u32]) {
    // Leaders come before those they lead, so theirs are known already.
    for at in 0..leader.len() {
        leader[at] = leader[leader[at] as usize];
    }
}

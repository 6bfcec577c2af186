//! Roles of pelvis, spine, neck and head.

use super::dictionary::Part;
use super::{CLEAR, DECIDED, Detector, PARTLY, PLACED};
use crate::{Role, Side};

impl Detector<'_> {
    pub(super) fn trunk(&mut self) {
        let head = self.holder(Role::Head).or_else(|| self.claims(None, &[Part::Head]).first().copied());
        if let Some(head) = head {
            self.set(head, Role::Head, self.by_name(head));
        }
        self.pelvis();
        self.column();
    }

    /// Lowest common ancestor of `joints`.
    fn common_ancestor(&self, joints: &[usize]) -> Option<usize> {
        let (&first, others) = joints.split_first()?;
        std::iter::successors(Some(first), |&j| self.skeleton.joint(j).parent)
            .find(|&above| others.iter().all(|&j| self.is_below(j, above)))
    }

    /// Sets the pelvis: the joint where legs and trunk meet, or the joint of that name if they are not all known.
    fn pelvis(&mut self) {
        if self.holder(Role::Hips).is_some() {
            return;
        }
        let legs: Vec<usize> =
            [Side::Left, Side::Right].iter().filter_map(|&s| self.holder(Role::UpperLeg(s))).collect();
        let top = self.holder(Role::Head).or_else(|| {
            let mut column = self.claims(None, &[Part::Spine, Part::Neck]);
            column.retain(|&j| !legs.iter().any(|&leg| self.is_below(leg, j)));
            column.last().copied()
        });
        let named = self.claims(None, &[Part::Pelvis, Part::Hip]).first().copied();
        let mut meet = legs.clone();
        meet.extend(top);
        // Two legs, or a leg and the trunk, meet in the pelvis; one joint alone meets nothing.
        let meeting = if meet.len() >= 2 { self.common_ancestor(&meet) } else { None };
        let says_pelvis = |j: usize| {
            matches!(self.named[j].part, Some(Part::Pelvis | Part::Hip)) && self.named[j].words.side.is_none()
        };
        match (meeting, named) {
            (Some(j), _) if says_pelvis(j) => self.set(j, Role::Hips, self.by_name(j)),
            (Some(j), _) if meet.len() == 3 && !meet.contains(&j) => {
                let root = self.named[j].part == Some(Part::Root);
                self.set(j, Role::Hips, if root { DECIDED } else { PARTLY });
            }
            (_, Some(j)) => self.set(j, Role::Hips, if meeting.is_none() { PARTLY } else { self.by_name(j) }),
            (Some(j), None) if !meet.contains(&j) => self.set(j, Role::Hips, PLACED),
            _ => {}
        }
    }

    /// Sets spine and neck, counted upwards from the pelvis to the head.
    fn column(&mut self) {
        let hips = self.holder(Role::Hips);
        let head = self.holder(Role::Head);
        let mut column = self.claims(None, &[Part::Spine, Part::Neck]);
        column.retain(|&j| hips.is_none_or(|h| self.is_below(j, h)));
        // The longest chain of them that leads to the head, or to the deepest of them.
        if let Some(top) = head.or_else(|| column.last().copied()) {
            column.retain(|&j| self.is_below(top, j));
        }
        column.sort_by_key(|&j| self.depth[j]);
        let arms: Vec<usize> = [Side::Left, Side::Right]
            .iter()
            .filter_map(|&s| self.holder(Role::Shoulder(s)).or_else(|| self.holder(Role::UpperArm(s))))
            .collect();
        let shoulders = if arms.len() == 2 { self.common_ancestor(&arms) } else { None };
        let says_neck = |j: usize| self.named[j].part == Some(Part::Neck);
        let has_necks = column.iter().any(|&j| says_neck(j));
        // Rigify calls the neck and the head spine, too: what rises above the shoulders.
        let above = |j: usize| shoulders.is_some_and(|s| j != s && self.is_below(j, s));
        let neck_from = |j: usize| says_neck(j) || (!has_necks && head.is_none() && above(j));
        let (mut spine, mut neck): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for &j in &column {
            if neck_from(j) { neck.push(j) } else { spine.push(j) }
        }
        let top_is_leaf = neck.last().is_some_and(|&j| self.skeleton.children(j).all(|c| self.named[c].helper));
        let ends_in_head = head.is_none() && (!has_necks || (neck.len() >= 2 && top_is_leaf));
        if ends_in_head && let Some(top) = neck.pop() {
            self.set(top, Role::Head, PLACED);
        }
        for (k, j) in spine.into_iter().enumerate() {
            let sure = if self.named[j].exact && hips.is_some() { CLEAR } else { PARTLY };
            self.set(j, Role::Spine(k.min(u8::MAX as usize) as u8), sure);
        }
        for (k, j) in neck.into_iter().enumerate() {
            let sure = if has_necks { self.by_name(j) } else { PLACED };
            self.set(j, Role::Neck(k.min(u8::MAX as usize) as u8), sure);
        }
    }
}

//! Selection of the joints that carry a segment, and of those folded into one.

use super::detached_limbs::{is_below, is_reattached, order, reattachments};
use super::posture::Posture;
use crate::math::Vec3;
use crate::motion::{BodyPlan, Clip, DetectedBody, Role, Skeleton};

/// The joints that carry segments, parents first, and what rides on them.
pub(super) struct Plan {
    pub humanoid: bool,
    pub body: BodyPlan,
    pub roles: Vec<Option<Role>>,
    /// Carrier joint of each segment.
    pub joints: Vec<usize>,
    /// Parent segment of each segment.
    pub parents: Vec<Option<usize>>,
    /// The segment each joint of the skeleton rides on.
    pub rides: Vec<Option<usize>>,
}

/// Roles that move a body part of their own.
fn is_body(role: Option<Role>) -> bool {
    use Role::*;
    !matches!(role, None | Some(Jaw | Eye(_) | Finger(..) | Helper))
}

impl Plan {
    pub fn make(
        skeleton: &Skeleton,
        body: &DetectedBody,
        posture: &Posture,
        clip: Option<&Clip>,
        skin: Option<&[Vec<Vec3>]>,
    ) -> Plan {
        let (humanoid, roles) = (body.plan == BodyPlan::Biped, body.sure_roles());
        let reattachments = if humanoid { reattachments(skeleton, &roles) } else { vec![None; skeleton.len()] };
        let mut carries = vec![false; skeleton.len()];
        let mut stands_still = vec![false; skeleton.len()];
        if humanoid {
            let reattached = |j: usize| is_reattached(skeleton, &reattachments, j);
            let parts: Vec<usize> = (0..skeleton.len()).filter(|&j| is_body(roles[j]) && !reattached(j)).collect();
            let root = meeting(skeleton, &parts);
            for j in 0..skeleton.len() {
                let inside = reattached(j) || root.is_none_or(|root| is_below(skeleton, j, root));
                stands_still[j] = !inside;
                carries[j] = inside && (is_body(roles[j]) || Some(j) == root);
            }
        } else {
            // What the names call a spare part may well be a limb that people do not have: helpers go only where no bone
            // leaves them.
            for j in 0..skeleton.len() {
                carries[j] = !matches!(roles[j], Some(Role::Jaw | Role::Eye(_) | Role::Finger(..)));
            }
            for root in skeleton.roots() {
                carries[root] = true;
                skip_stand(skeleton, root, &roles, posture, clip, &mut carries, &mut stands_still);
            }
        }
        let mut plan = Plan {
            humanoid,
            body: body.plan,
            roles,
            joints: Vec::new(),
            parents: Vec::new(),
            rides: vec![None; skeleton.len()],
        };
        plan.drop_empty(skeleton, posture, clip, skin, &mut carries, &stands_still);
        plan.number(skeleton, &carries, &stands_still, &reattachments);
        plan
    }

    /// Takes the segment from joints that move no flesh of their own.
    fn drop_empty(
        &self,
        skeleton: &Skeleton,
        posture: &Posture,
        clip: Option<&Clip>,
        skin: Option<&[Vec<Vec3>]>,
        carries: &mut [bool],
        stands_still: &[bool],
    ) {
        let (low, high) = skeleton.rest_box();
        let short = 1e-3 * (high - low).norm();
        let far = |a: usize, b: usize| (posture.position(a) - posture.position(b)).norm() > short;
        let inner = |j: usize| skeleton.joint(j).parent.is_some_and(|p| !stands_still[p]);
        let mut has_bone = vec![false; skeleton.len()];
        for j in (0..skeleton.len()).rev() {
            has_bone[j] |= skeleton.joint(j).tip.is_some_and(|tip| tip.norm() > short);
            if let Some(parent) = skeleton.joint(j).parent {
                has_bone[parent] |= has_bone[j] || far(j, parent);
            }
            let ends_a_limb = matches!(
                self.roles[j],
                Some(
                    Role::Head | Role::Hand(_) | Role::Foot(_) | Role::Toes(_) | Role::LowerArm(_) | Role::LowerLeg(_)
                )
            );
            if carries[j] && inner(j) && !(self.humanoid && ends_a_limb) {
                let has_skin = skin.is_some_and(|skin| skin[j].len() >= 4);
                // The bone of an end that turns is there, even where no file shows how long it is.
                let turning_end = skeleton.joint(j).offset.norm() > short && clip.is_some_and(|clip| turns(clip, j));
                carries[j] = has_bone[j] || has_skin || turning_end;
            }
        }
        // A joint whose bones all lead to its own place is a turn without flesh.
        loop {
            let (mut leads_on, mut leads_away) = (vec![false; skeleton.len()], vec![false; skeleton.len()]);
            let mut near: Vec<Option<usize>> = vec![None; skeleton.len()];
            for j in 0..skeleton.len() {
                let holder = skeleton.joint(j).parent.and_then(|p| near[p]);
                if let Some(holder) = holder {
                    leads_on[holder] |= carries[j];
                    let tip_away = !carries[j] && skeleton.joint(j).tip.is_some_and(|tip| tip.norm() > short);
                    leads_away[holder] |= far(j, holder) || tip_away;
                }
                near[j] = if carries[j] { Some(j) } else { holder };
            }
            let has_skin = |j: usize| skin.is_some_and(|skin| !skin[j].is_empty());
            let empty: Vec<usize> = (0..skeleton.len())
                .filter(|&j| carries[j] && inner(j) && leads_on[j] && !leads_away[j] && !has_skin(j))
                .collect();
            empty.iter().for_each(|&j| carries[j] = false);
            if empty.is_empty() {
                return;
            }
        }
    }

    fn number(
        &mut self,
        skeleton: &Skeleton,
        carries: &[bool],
        stands_still: &[bool],
        reattachments: &[Option<usize>],
    ) {
        for j in order(skeleton, reattachments) {
            let parent = reattachments[j].or(skeleton.joint(j).parent).and_then(|p| self.rides[p]);
            // A joint that hangs on nothing carries itself, unless it only stands in the world.
            if carries[j] || (parent.is_none() && !stands_still[j] && skeleton.joint(j).parent.is_none()) {
                self.rides[j] = Some(self.joints.len());
                self.joints.push(j);
                self.parents.push(parent);
            } else {
                self.rides[j] = parent;
            }
        }
    }
}

/// Returns true if a clip turns a joint by more than a degree.
fn turns(clip: &Clip, joint: usize) -> bool {
    let Some(first) = (clip.frames() > 0).then(|| clip.rotations(0)[joint]) else { return false };
    (1..clip.frames()).any(|f| clip.rotations(f)[joint].angle_to(&first) > 0.0175)
}

/// A root that only places the figure: it is called so, its one child lies on it, or is moved away from it.
fn skip_stand(
    skeleton: &Skeleton,
    root: usize,
    roles: &[Option<Role>],
    posture: &Posture,
    clip: Option<&Clip>,
    carries: &mut [bool],
    stands_still: &mut [bool],
) {
    let mut at = root;
    loop {
        let mut children = skeleton.children(at);
        let (Some(child), None) = (children.next(), children.next()) else { return };
        let together = (posture.position(child) - posture.position(at)).norm() < 1e-6;
        let moved = clip.is_some_and(|clip| moves(clip, child));
        if skeleton.joint(at).tip.is_some() || !(together || moved || roles[at] == Some(Role::Helper)) {
            return;
        }
        // The last joint stays, however it is moved.
        if skeleton.children(child).next().is_none() && skeleton.joint(child).tip.is_none() {
            return;
        }
        carries[at] = false;
        stands_still[at] = true;
        carries[child] = true;
        at = child;
    }
}

/// Returns true if a clip moves a joint against its parent by more than a hundredth of a metre.
pub(super) fn moves(clip: &Clip, joint: usize) -> bool {
    let tracks = clip.translations();
    let Some(k) = tracks.joints.iter().position(|&j| j == joint) else { return false };
    let mut values = tracks.values.iter().skip(k).step_by(tracks.joints.len());
    let Some(first) = values.next() else { return false };
    values.any(|v| (v - first).norm() > 0.01)
}

/// The lowest joint that all of `joints` hang on.
fn meeting(skeleton: &Skeleton, joints: &[usize]) -> Option<usize> {
    let (&first, others) = joints.split_first()?;
    std::iter::successors(Some(first), |&j| skeleton.joint(j).parent)
        .find(|&top| others.iter().all(|&j| is_below(skeleton, j, top)))
}

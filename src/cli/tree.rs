//! The joint tree as lines of text.

use super::output::{Paint, count};
use sinew::motion::{Role, Skeleton};

/// Rigs larger than this are shown folded.
const BIG_RIG: usize = 40;
/// Lines after which even a folded tree is cut.
const LONGEST: usize = 100;

/// Levels after which the tree is indented no further.
const DEEPEST: usize = 60;

/// Prints a skeleton, one joint per line under the names of the columns: name, role, distance from the parent.
///
/// Big rigs are folded unless `everything` is asked for: fingers, face, helper and nameless branches become one
/// line under the body joint that carries them, and what is still long is cut.
pub fn draw(skeleton: &Skeleton, everything: bool, paint: Paint) -> String {
    let rows = Tree::new(skeleton, !everything && skeleton.len() > BIG_RIG).rows();
    let shown = if everything || rows.len() <= LONGEST + 1 { rows.len() } else { LONGEST };
    let mut text = print(&rows[..shown], paint);
    if shown < rows.len() {
        text.push_str(&format!("  … and {} more lines (--all shows them)\n", rows.len() - shown));
    }
    text
}

/// Returns a flag for each joint: it or a joint below it is a part of the body with a line of its own.
fn body_branches(skeleton: &Skeleton) -> Vec<bool> {
    let mut shown: Vec<bool> = skeleton.joints().iter().map(|joint| joint.role.is_some_and(is_body)).collect();
    for index in (0..skeleton.len()).rev() {
        if let (true, Some(parent)) = (shown[index], skeleton.joint(index).parent) {
            shown[parent] = true;
        }
    }
    shown
}

fn is_body(role: Role) -> bool {
    !matches!(role, Role::Finger(..) | Role::Eye(_) | Role::Jaw | Role::Helper)
}

struct Tree<'a> {
    skeleton: &'a Skeleton,
    children: Vec<Vec<usize>>,
    /// Number of joints at and below each joint.
    sizes: Vec<usize>,
    /// Flags of [`body_branches`] if the tree is folded.
    fold: Option<Vec<bool>>,
}

struct Row {
    lines: String,
    name: String,
    role: String,
    length: String,
    /// Stands for several joints and says all in its name.
    folded: bool,
}

/// A line still to be drawn, with the tree lines in front of it and in front of what is below it.
struct Pending {
    item: Item,
    lines: String,
    below: String,
}

enum Item {
    Joint(usize),
    /// Branches in one line.
    Folded {
        first: usize,
        joints: usize,
    },
}

impl<'a> Tree<'a> {
    fn new(skeleton: &'a Skeleton, fold: bool) -> Self {
        let mut children = vec![Vec::new(); skeleton.len()];
        let mut sizes = vec![1; skeleton.len()];
        for (index, joint) in skeleton.joints().iter().enumerate() {
            if let Some(parent) = joint.parent {
                children[parent].push(index);
            }
        }
        for (index, joint) in skeleton.joints().iter().enumerate().rev() {
            if let Some(parent) = joint.parent {
                sizes[parent] += sizes[index];
            }
        }
        Self { skeleton, children, sizes, fold: fold.then(|| body_branches(skeleton)) }
    }

    /// All lines, parents first. A file may hold a chain of any length, so nothing here recurses.
    fn rows(&self) -> Vec<Row> {
        let pend = |root| Pending { item: Item::Joint(root), lines: String::new(), below: String::new() };
        let mut pending: Vec<Pending> = self.skeleton.roots().map(pend).collect();
        pending.reverse();
        let mut rows = Vec::new();
        while let Some(Pending { item, lines, below }) = pending.pop() {
            rows.push(self.row(&item, lines));
            let Item::Joint(joint) = item else { continue };
            let items = self.items_below(joint);
            let last = items.len().saturating_sub(1);
            for (k, item) in items.into_iter().enumerate().rev() {
                let (branch, line) = if k == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
                let line = if below.chars().count() < 3 * DEEPEST { line } else { "" };
                pending.push(Pending { item, lines: format!("{below}{branch}"), below: format!("{below}{line}") });
            }
        }
        rows
    }

    fn items_below(&self, joint: usize) -> Vec<Item> {
        let children = self.children[joint].iter().copied();
        let (mut open, folded): (Vec<usize>, Vec<usize>) = match &self.fold {
            // A branch without any body part has nothing above it to be folded under.
            Some(shown) if shown[joint] => children.partition(|&child| shown[child]),
            _ => (children.collect(), Vec::new()),
        };
        let joints = folded.iter().map(|&child| self.sizes[child]).sum();
        // One joint takes one line either way.
        if joints == 1 {
            open.extend(&folded);
            open.sort_unstable();
        }
        let mut items: Vec<Item> = open.into_iter().map(Item::Joint).collect();
        items.extend(folded.first().filter(|_| joints > 1).map(|&first| Item::Folded { first, joints }));
        items
    }

    fn row(&self, item: &Item, lines: String) -> Row {
        match *item {
            Item::Joint(index) => {
                let joint = self.skeleton.joint(index);
                let centimetres = |_| format!("{:.1} cm", self.skeleton.bone_length(index) * 100.0);
                Row {
                    lines,
                    name: joint.name.clone(),
                    role: joint.role.map(|role| role.to_string()).unwrap_or_default(),
                    length: joint.parent.map(centimetres).unwrap_or_default(),
                    folded: false,
                }
            }
            Item::Folded { first, joints } => {
                let name = &self.skeleton.joint(first).name;
                let name = format!("… {} from {name} on", count(joints, "joint"));
                Row { lines, name, role: String::new(), length: String::new(), folded: true }
            }
        }
    }
}

const JOINT: &str = "joint";
const ROLE: &str = "role";
const LENGTH: &str = "from parent";

/// The rows in columns.
fn print(rows: &[Row], paint: Paint) -> String {
    let width = |row: &Row| row.lines.chars().count() + row.name.chars().count();
    let names = rows.iter().filter(|row| !row.folded).map(width).max().unwrap_or(0);
    let names = names.max(JOINT.len());
    let roles = rows.iter().map(|row| row.role.chars().count()).max().unwrap_or(0).max(ROLE.len());
    let heading = format!("{JOINT:<names$}  {ROLE:<roles$}  {LENGTH:>11}");
    let mut text = format!("  {}\n", paint.faint(&heading));
    for row in rows {
        let gap = " ".repeat((names + 2).saturating_sub(width(row)));
        let role_gap = " ".repeat(roles - row.role.chars().count());
        let (lines, role) = (paint.faint(&row.lines), paint.role(&row.role));
        let line = format!("  {lines}{}{gap}{role}{role_gap}  {:>11}", row.name, row.length);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::Vec3;
    use sinew::motion::{Joint, Side};

    fn joint(name: &str, parent: Option<usize>, role: Option<Role>) -> Joint {
        let mut joint = Joint::new(name, parent, Vec3::new(0.0, 0.1, 0.0));
        joint.role = role;
        joint
    }

    #[test]
    fn every_joint_of_a_small_rig_has_a_line_with_role_and_length() {
        let skeleton = Skeleton::new(vec![
            joint("Hips", None, Some(Role::Hips)),
            joint("LeftUpLeg", Some(0), Some(Role::UpperLeg(Side::Left))),
            joint("LeftLeg", Some(1), None),
            joint("Spine", Some(0), Some(Role::Spine(0))),
        ])
        .expect("a tree");
        let expected = "  joint          role            from parent\n  \
                        Hips           hips\n  \
                        ├─ LeftUpLeg   left upper leg      10.0 cm\n  \
                        │  └─ LeftLeg                      10.0 cm\n  \
                        └─ Spine       spine 0             10.0 cm\n";
        assert_eq!(draw(&skeleton, false, Paint::plain()), expected);
    }

    #[test]
    fn fingers_of_a_big_rig_are_folded_under_the_hand_unless_everything_is_asked_for() {
        let side = Side::Left;
        let mut joints = vec![joint("Hips", None, Some(Role::Hips)), joint("Hand", Some(0), Some(Role::Hand(side)))];
        for finger in 0..5 {
            for k in 0..8 {
                let parent = if k == 0 { 1 } else { joints.len() - 1 };
                joints.push(joint(&format!("F{finger}{k}"), Some(parent), Some(Role::Finger(side, finger, k))));
            }
        }
        let skeleton = Skeleton::new(joints).expect("a tree");
        let folded = draw(&skeleton, false, Paint::plain());
        assert_eq!(folded.lines().count(), 4);
        assert!(folded.contains("   └─ … 40 joints from F00 on"), "{folded}");
        assert_eq!(draw(&skeleton, true, Paint::plain()).lines().count(), 43);
    }

    #[test]
    fn a_big_rig_without_known_roles_is_shown_whole_unless_it_is_huge() {
        let chain = |n| (0..n).map(|k: usize| joint(&format!("Bone{k}"), k.checked_sub(1), None)).collect();
        let big = Skeleton::new(chain(60)).expect("a chain");
        assert_eq!(draw(&big, false, Paint::plain()).lines().count(), 61);
        let huge = Skeleton::new(chain(500)).expect("a chain");
        let text = draw(&huge, false, Paint::plain());
        assert!(text.ends_with("… and 400 more lines (--all shows them)\n"), "{text}");
        assert_eq!(text.lines().count(), 102);
        assert_eq!(draw(&huge, true, Paint::plain()).lines().count(), 501);
    }
}

//! The joint tree as lines of text.

use super::output::{Paint, count};
use sinew::motion::{Role, Skeleton};

/// Rigs larger than this are shown folded.
const BIG_RIG: usize = 40;

/// Prints a skeleton, one joint per line: name, role, distance from the parent.
///
/// Big rigs are folded unless `everything` is asked for: fingers, face, helper and nameless branches become one
/// line under the body joint that carries them.
pub fn draw(skeleton: &Skeleton, everything: bool, paint: Paint) -> String {
    let mut tree = Tree { skeleton, fold: None, rows: Vec::new() };
    if !everything && skeleton.len() > BIG_RIG {
        tree.fold = Some(body_branches(skeleton));
    }
    let roots: Vec<usize> = skeleton.roots().collect();
    for root in roots {
        tree.visit(root, "", "");
    }
    tree.print(paint)
}

/// For each joint, whether it or anything below it is a part of the body worth a line.
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
    /// When folding: which joints have a body part at or below them.
    fold: Option<Vec<bool>>,
    rows: Vec<Row>,
}

struct Row {
    lines: String,
    name: String,
    role: String,
    length: String,
}

impl Tree<'_> {
    fn visit(&mut self, joint: usize, own_lines: &str, lines_below: &str) {
        let skeleton = self.skeleton;
        let described = skeleton.joint(joint);
        let length = match described.parent {
            Some(_) => format!("{:.1} cm", skeleton.bone_length(joint) * 100.0),
            None => String::new(),
        };
        self.rows.push(Row {
            lines: own_lines.to_owned(),
            name: described.name.clone(),
            role: described.role.map(|role| role.to_string()).unwrap_or_default(),
            length,
        });

        let (open, folded): (Vec<usize>, Vec<usize>) = match &self.fold {
            // A branch without any body part has nothing above it to be folded under.
            Some(shown) if shown[joint] => skeleton.children(joint).partition(|&child| shown[child]),
            _ => (skeleton.children(joint).collect(), Vec::new()),
        };
        // One joint takes one line either way.
        let hidden: usize = folded.iter().map(|&child| self.branch_size(child)).sum();
        let (open, folded) = if hidden == 1 { ([open, folded].concat(), Vec::new()) } else { (open, folded) };

        for (k, &child) in open.iter().enumerate() {
            let last = k + 1 == open.len() && folded.is_empty();
            let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            self.visit(child, &format!("{lines_below}{branch}"), &format!("{lines_below}{below}"));
        }
        if let Some(&first) = folded.first() {
            let name = &skeleton.joint(first).name;
            self.rows.push(Row {
                lines: format!("{lines_below}└─ "),
                name: format!("… {} from {name} on", count(hidden, "joint")),
                role: String::new(),
                length: String::new(),
            });
        }
    }

    fn branch_size(&self, joint: usize) -> usize {
        1 + self.skeleton.children(joint).map(|child| self.branch_size(child)).sum::<usize>()
    }

    fn print(&self, paint: Paint) -> String {
        let width = |row: &Row| row.lines.chars().count() + row.name.chars().count();
        // Folded rows say all in their name and must not push the columns apart.
        let measured = || self.rows.iter().filter(|row| !row.name.starts_with('…'));
        let names = measured().map(width).max().unwrap_or(0);
        let roles = measured().map(|row| row.role.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for row in &self.rows {
            let gap = " ".repeat((names + 2).saturating_sub(width(row)));
            let role_gap = " ".repeat(roles - row.role.chars().count());
            let line = format!(
                "  {}{}{gap}{}{role_gap}  {:>8}",
                paint.faint(&row.lines),
                row.name,
                paint.role(&row.role),
                row.length
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
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
        let expected = "  Hips           hips\n  \
                        ├─ LeftUpLeg   left upper leg   10.0 cm\n  \
                        │  └─ LeftLeg                   10.0 cm\n  \
                        └─ Spine       spine 0          10.0 cm\n";
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
        assert_eq!(folded.lines().count(), 3);
        assert!(folded.contains("   └─ … 40 joints from F00 on"), "{folded}");
        assert_eq!(draw(&skeleton, true, Paint::plain()).lines().count(), 42);
    }

    #[test]
    fn a_big_rig_without_known_roles_is_shown_whole() {
        let chain = (0..60).map(|k: usize| joint(&format!("Bone{k}"), k.checked_sub(1), None)).collect();
        let skeleton = Skeleton::new(chain).expect("a chain");
        assert_eq!(draw(&skeleton, false, Paint::plain()).lines().count(), 60);
    }
}

//! Turning on the spot by half a turn to the left, in five steps.

use super::body::{Body, SIDES};
use super::curve::{Track, bump, ease};
use super::foot::{FootTarget, Print};
use super::gait::trunk;
use super::posture::{about_y, deg};
use super::standing::{Bearing, foot_distance, print_of, standing_height};
use sinew::motion::Side;
use sinew::{Real, Vec3};

/// One step: which foot, from when to when (seconds), to which heading (degrees).
struct Step {
    side: Side,
    begin: Real,
    end: Real,
    heading: Real,
}

const STEPS: [Step; 5] = [
    Step { side: Side::Left, begin: 0.60, end: 1.05, heading: 62.0 },
    Step { side: Side::Right, begin: 1.13, end: 1.60, heading: 84.0 },
    Step { side: Side::Left, begin: 1.68, end: 2.13, heading: 148.0 },
    Step { side: Side::Right, begin: 2.21, end: 2.68, heading: 176.0 },
    Step { side: Side::Left, begin: 2.80, end: 3.15, heading: 180.0 },
];

/// The posture after `time` seconds; at rest from 3.5 s on.
pub fn turn(body: &Body, time: Real) -> super::posture::Posture {
    let heading = |ahead: Real| {
        Track::new(0.12, &[(0.45, 0.0), (0.90, 32.0), (1.45, 78.0), (2.00, 118.0), (2.55, 160.0), (3.15, 180.0)])
            .at(time + ahead)
    };
    let feet = SIDES.map(|side| foot(body, side, time));
    let mut bearing = Bearing::relaxed();
    let (hips, chest, head) = (heading(0.0), heading(0.10), heading(0.26));
    let (weight, list) = weight(body, time);
    bearing.hips = trunk(deg(hips), 0.0, 0.0) * trunk(0.0, deg(list), deg(4.0));
    bearing.chest = trunk(deg(chest), 0.0, 0.0) * trunk(0.0, deg(-0.5 * list), deg(2.5));
    bearing.head = trunk(deg(head), 0.0, deg(1.0));
    let twist = chest - hips;
    bearing.arms[0].flexion += deg(-0.5 * twist);
    bearing.arms[1].flexion += deg(0.7 * twist);
    for arm in &mut bearing.arms {
        arm.abduction += deg(0.25 * twist);
        arm.elbow += deg(0.5 * twist);
    }
    let over = weight + about_y(deg(hips)) * Vec3::new(0.0, 0.0, 0.045);
    bearing.balanced(body, standing_height(body) - 0.005, over, feet)
}

fn foot(body: &Body, side: Side, time: Real) -> FootTarget {
    let apart = foot_distance(body);
    let mut print = print_of(side, Vec3::zeros(), 0.0, apart);
    for step in STEPS.iter().filter(|step| step.side == side && time > step.begin) {
        let goal = print_of(side, Vec3::zeros(), deg(step.heading), apart);
        let x = (time - step.begin) / (step.end - step.begin);
        if x >= 1.0 {
            print = goal;
            continue;
        }
        // The heel leaves first, then the toes; the foot travels only in the air.
        let across = ease((x - 0.15) / 0.72);
        let moved = Print {
            place: print.place + (goal.place - print.place) * across,
            yaw: print.yaw + (goal.yaw - print.yaw) * across,
        };
        let mut target = moved.roll(&body.foot, deg(-24.0) * bump(x / 0.75), 0.0);
        target.toes = target.toes.powf(1.0 - 0.6 * ease((x - 0.15) / 0.3));
        target.ankle.y += 0.045 * bump((x - 0.06) / 0.94);
        return target;
    }
    print.flat(&body.foot)
}

/// The ground point under the centre of mass (without the way from ankle to mid-foot), and the pelvis' list, degrees.
fn weight(body: &Body, time: Real) -> (Vec3, Real) {
    // +1: over the left foot, −1: over the right one.
    let keys = [
        (0.20, 0.0),
        (0.78, -0.62),
        (1.09, 0.0),
        (1.36, 0.62),
        (1.64, 0.0),
        (1.90, -0.62),
        (2.17, 0.0),
        (2.45, 0.62),
        (2.74, 0.0),
        (2.97, -0.5),
        (3.40, 0.0),
    ];
    let lean = Track::new(0.07, &keys).at(time);
    let place = |side: Side| {
        // Where the foot stands or will stand: the weight moves smoothly between prints.
        let apart = foot_distance(body);
        let mut keys = vec![(0.0, 0.0)];
        for step in STEPS.iter().filter(|step| step.side == side) {
            keys.push((step.begin, keys[keys.len() - 1].1));
            keys.push((step.end, step.heading));
        }
        print_of(side, Vec3::zeros(), deg(Track::new(0.05, &keys).at(time)), apart).place
    };
    let (left, right) = (place(Side::Left), place(Side::Right));
    ((left + right) * 0.5 + (left - right) * 0.5 * lean, 1.2 * lean)
}

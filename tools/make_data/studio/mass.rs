//! The centre of mass of a body in a pose.
//!
//! Segment masses (share of the body) and where their centres lie between two points follow Dempster's data as
//! tabulated in Winter, *Biomechanics and Motor Control of Human Movement*, table 4.1.

use super::body::Body;
use sinew::Vec3;
use sinew::motion::Pose;

/// Metres, world space.
pub fn centre_of_mass(body: &Body, pose: &Pose) -> Vec3 {
    let frames = pose.world(&body.skeleton);
    let at = |joint: usize| frames[joint].position;
    let tip = |joint: usize| {
        let offset = body.skeleton.joint(joint).tip.unwrap_or_else(Vec3::zeros);
        at(joint) + frames[joint].rotation * offset
    };
    let mid = |a: Vec3, b: Vec3| (a + b) * 0.5;
    let hip_line = mid(at(body.legs[0][0]), at(body.legs[1][0]));
    let shoulder_line = mid(at(body.arms[0][1]), at(body.arms[1][1]));
    let trunk = hip_line + (shoulder_line - hip_line) * 0.5;
    let skull = mid(at(body.head), tip(body.head));
    let mut sum = trunk * 0.497 + skull * 0.081;
    for [_, upper, lower, hand] in body.arms {
        sum += along(at(upper), at(lower), 0.436) * 0.028;
        sum += along(at(lower), at(hand), 0.430) * 0.016;
        sum += along(at(hand), tip(hand), 0.506) * 0.006;
    }
    for [thigh, shank, foot, toes] in body.legs {
        sum += along(at(thigh), at(shank), 0.433) * 0.100;
        sum += along(at(shank), at(foot), 0.433) * 0.0465;
        sum += along(at(foot), tip(toes), 0.5) * 0.0145;
    }
    sum
}

fn along(from: Vec3, to: Vec3, share: f64) -> Vec3 {
    from + (to - from) * share
}

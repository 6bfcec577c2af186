//! Simulation of solved clips.

use super::*;

fn simulated(figure: &Figure, clip: &Clip, assistance: Real) -> (Solved, Simulated) {
    let prepared = Prepare { figure, clip, options: PrepareOptions::default() }.run().unwrap();
    let options = SolveOptions { looped: prepared.preparation.looped, ..Default::default() };
    let solved = Solve { figure, clip: &prepared.clip, plan: &prepared.plan, options }.run(&mut |_| true).unwrap();
    let ground = prepared.preparation.ground;
    let options = ForwardOptions { assistance, ground, ..ForwardOptions::default() };
    let forward = Forward { figure, clip: &solved.clip, torques: &solved.torques, options };
    let simulated = forward.run(&mut |_| true).unwrap();
    (solved, simulated)
}

/// Standing needs no help but a little balance.
#[test]
fn whoever_stands_stays_up_with_little_help() {
    let (figure, clip) = read(Path::new("data/clips/idle.bvh"));
    let clip = crate::motion::edit::slice(&clip, 0..clip.frames().min(60)).unwrap();
    let (_, simulated) = simulated(&figure, &clip, 0.05);
    assert_eq!(simulated.lost, None);
    assert!(simulated.assistance_max[0] < 0.05 + 1e-9, "{:?}", simulated.assistance_max);
    assert_eq!(simulated.clip.frames(), clip.frames());
}

/// A jump stays up to its end, and comes down where the clip does, with a twentieth of the weight to keep its balance.
#[test]
fn a_jump_plays_to_its_end() {
    let (mut figure, clip) = read(Path::new("data/clips/jump.bvh"));
    figure.widen_to_hold(&clip);
    let (_, simulated) = simulated(&figure, &clip, 0.05);
    assert_eq!(simulated.lost, None);
    assert!(simulated.assistance_mean[0] < 0.03, "{:?}", simulated.assistance_mean);
    // Along the diagonal of three axes, too.
    assert!(simulated.assistance_max[0] <= 0.05 + 1e-6, "{:?}", simulated.assistance_max);
}

/// Without any help the hand from outside is not there at all.
#[test]
fn no_help_is_none() {
    let (figure, clip) = read(Path::new("data/clips/idle.bvh"));
    let clip = crate::motion::edit::slice(&clip, 0..20).unwrap();
    let (solved, simulated) = simulated(&figure, &clip, 0.0);
    assert_eq!(simulated.assistance_max, [0.0; 2]);
    let forward = Forward { figure: &figure, clip: &clip, torques: &solved.torques[1..], options: Default::default() };
    assert!(matches!(forward.run(&mut |_| true), Err(ForwardError::Torques { found: 19, expected: 20 })));
}

//! Simulation of solved clips.

use super::*;

fn simulated(figure: &Figure, clip: &Clip, assistance: Real) -> (Solved, Simulated) {
    let prepared = Prepare { figure, clip, options: PrepareOptions::default() }.run().unwrap();
    let options = SolveOptions { looped: prepared.findings.looped, ..Default::default() };
    let solved = Solve { figure, clip: &prepared.clip, plan: &prepared.plan, options }.run(&mut |_| true).unwrap();
    let ground = prepared.findings.ground;
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
    // Bounded axis by axis, so along a diagonal by √3 of it.
    assert!(simulated.assistance_max[0] < 0.05 * 3.0_f64.sqrt() + 1e-9, "{:?}", simulated.assistance_max);
    assert_eq!(simulated.clip.frames(), clip.frames());
}

#[test]
#[ignore = "needs SINEW_CLIP"]
fn harness() {
    for path in std::env::var("SINEW_CLIP").unwrap().split(':') {
        let (mut figure, clip) = read(Path::new(path));
        let clip = match path.contains("cmu_") {
            true => crate::motion::edit::slice(&clip, 1..clip.frames()).unwrap(),
            false => clip,
        };
        figure.widen_to_hold(&clip);
        let env = |name: &str, usual: Real| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual);
        let prepared = Prepare { figure: &figure, clip: &clip, options: PrepareOptions::default() }.run().unwrap();
        let options = SolveOptions { looped: prepared.findings.looped, ..Default::default() };
        let solve = Solve { figure: &figure, clip: &prepared.clip, plan: &prepared.plan, options };
        let solved = solve.run(&mut |_| true).unwrap();
        for assistance in [0.0, 0.05, 0.1] {
            let options = ForwardOptions {
                assistance,
                ground: prepared.findings.ground,
                root: crate::control::Gains::critical(env("ROOT", 2.0)),
                joints: crate::control::Gains::critical(env("JOINTS", 15.0)),
                rate: env("RATE", 960.0),
                ..ForwardOptions::default()
            };
            let none = vec![vec![Vec3::zeros(); figure.segments().len()]; clip.frames()];
            let torques = if env("NOFEED", 0.0) > 0.0 { &none } else { &solved.torques };
            let forward = Forward { figure: &figure, clip: &solved.clip, torques, options };
            let start = std::time::Instant::now();
            let s = forward.run(&mut |_| true).unwrap();
            println!(
                "{path} {:.2} s at {assistance}: lost {:?} mean {:?} max {:?} ({:.1} s)",
                clip.duration(),
                s.lost,
                s.assistance_mean,
                s.assistance_max,
                start.elapsed().as_secs_f64()
            );
        }
    }
}

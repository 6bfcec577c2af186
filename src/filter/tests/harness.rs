use super::*;
use crate::measure::{Cutoff, Key, Moved};

#[test]
#[ignore = "needs SINEW_CLIP"]
fn harness() {
    for path in std::env::var("SINEW_CLIP").unwrap().split(':') {
        let (figure, clip) = read(Path::new(path));
        let plan = measured_plan(&figure, &clip);
        let source = Moved { skeleton: figure.skeleton(), clip: &clip };
        let tell = |clip: &Clip| {
            let options =
                MeasureOptions { cutoff: Cutoff::None, made: true, source: Some(source), ..Default::default() };
            let report = Measure { figure: &figure, clip, options }.run().unwrap();
            let get = |key| report.get(key).unwrap_or(-1.0);
            println!(
                "  residual {:.5}/{:.4} skate {:.1} pen {:.2}/{:.2} float {:.2} mpjpe {:.1} p95 {:.1} grf {:.2} jerk {:.0} spikes {} limits {:.2} self {:.1}",
                get(Key::ResidualForceMean),
                get(Key::ResidualForceMax),
                get(Key::SkatePath),
                get(Key::PenetrationMean),
                get(Key::PenetrationMax),
                get(Key::FloatShare),
                get(Key::PositionMean),
                get(Key::PositionP95),
                get(Key::ReactionPeak),
                get(Key::JerkMean),
                get(Key::Spikes),
                get(Key::LimitsWorst),
                get(Key::SelfContactMax)
            );
        };
        println!("{path}: {} frames, {} segments", clip.frames(), figure.segments().len());
        tell(&clip);
        let start = std::time::Instant::now();
        let solved = Solve { figure: &figure, clip: &clip, plan: &plan, options: SolveOptions::default() }
            .run(&mut |_| true)
            .unwrap();
        let time = start.elapsed().as_secs_f64();
        println!("  {time:.2} s, {:.1} x real time", clip.duration() / time);
        for window in &solved.windows {
            println!("  {:?} {} {:?}", window.frames, window.converged, window.costs);
        }
        let worst = solved.residual.iter().map(|w| w.fixed_rows::<3>(0).norm()).fold(0.0, Real::max);
        println!("  own residual {:.2e}", worst / figure.mass() / 9.81);
        tell(&solved.clip);
    }
}

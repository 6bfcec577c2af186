//! Optimiser of the filter: from a clip and a contact plan to a clip and its forces.
//!
//! Unknown are the rotations of all joints and the position of the root, in all frames. They stay near the capture, keep the
//! planned corners at their contact targets, and leave no wrench on the body that the ground could not supply.

use super::body::Body;
use super::plan::ContactPlan;
use super::refine::Solution;
use super::result::PartialSolution;
use super::weights::Weights;
use super::window::{Piece, Pieces, Track, WarmStart, changed_pieces};
use crate::figure::Figure;
use crate::math::{Real, Vec3, Vec6};
use crate::motion::{Clip, ClipError};

/// Moves a clip to the nearest physical motion.
pub struct Solve<'a> {
    /// Body that the clip moves.
    pub figure: &'a Figure,
    /// Smoothed clip on level ground, on the figure's skeleton.
    pub clip: &'a Clip,
    /// Contacts that the motion keeps.
    pub plan: &'a ContactPlan,
    /// Options of the solver.
    pub options: SolveOptions,
}

/// Options of the solver; the defaults suit a captured clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveOptions {
    /// Coulomb coefficient of friction of the ground.
    pub friction: Real,
    /// Scale of the allowed deviation from the capture; 1 is usual, 0 would allow none.
    pub strength: Real,
    /// Keeps the captured path of the root, and rotates joints only.
    pub keep_root: bool,
    /// The last frame repeats the first, displaced along the ground, and stays so.
    pub looped: bool,
    /// Keeps joints within the limits of the figure.
    pub limits: bool,
    /// Keeps segments from penetrating each other.
    pub self_contact: bool,
    /// Leaves a clip that is physical already unchanged, and only finds its forces.
    pub forces_only: bool,
    /// Factor by which the capture is tracked more closely than usual in a first search. Where that leaves forces missing or
    /// the body in the ground, the usual tracking follows.
    pub tracking: Real,
    /// Time that a search may take on one core, over the duration of the clip. It is counted in operations, so that results do not
    /// depend on the machine; the best motion so far is the result.
    pub effort: Real,
    /// Length of the pieces that are solved one after the other, seconds; `None` for as long as memory allows.
    pub window: Option<Real>,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self {
            friction: 0.8,
            strength: 1.0,
            keep_root: false,
            looped: false,
            limits: true,
            self_contact: true,
            forces_only: false,
            tracking: 1.0,
            effort: 6.0,
            window: None,
        }
    }
}

/// Result of the solver.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Clip with the skeleton, rate and number of frames of the source. Joints folded into segments keep their own pose.
    pub clip: Clip,
    /// Horizontal offset of each contact interval of the plan, metres.
    pub offsets: Vec<Vec3>,
    /// Force of the ground on the body for each contact target of each frame, newtons.
    pub forces: Vec<Vec<Vec3>>,
    /// Residual wrench of each frame, which nothing supplies: newtons and newton metres about the root joint.
    pub residual: Vec<Vec6>,
    /// Torque that the parent exerts at each segment's joint in each frame, N·m, world axes. For roots, the torque that nothing
    /// supplies.
    pub torques: Vec<Vec<Vec3>>,
    /// Reports of the pieces; none where the clip was physical already and left unchanged.
    pub windows: Vec<WindowReport>,
}

/// Report on one piece of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowReport {
    /// First frame, and the one after the last.
    pub frames: [usize; 2],
    /// Number of steps of the optimiser.
    pub iterations: usize,
    /// Cost after each step. It starts anew where the tolerance of the forces becomes tighter.
    pub costs: Vec<Real>,
    /// True if the last step hardly lowered the cost.
    pub converged: bool,
    /// Missing forces and depth in the ground, over those of a physical clip; at most 1 for a physical motion.
    pub support_deficit: Real,
    /// Weight of tracking in the search that gave the result, relative to the usual one.
    pub tracking_weight: Real,
}

/// Reasons why a clip cannot be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// The clip belongs to another skeleton.
    #[error("the clip was made for {found} joints, the skeleton of the figure has {expected}")]
    Joints {
        /// Joints of the clip.
        found: usize,
        /// Joints of the figure.
        expected: usize,
    },
    /// The clip is empty.
    #[error("the clip has no frames")]
    NoFrames,
    /// The figure has no segments.
    #[error("the figure has no body")]
    NoBody,
    /// The plan belongs to a clip of another length.
    #[error("the plan is for {found} frames, the clip has {expected}")]
    PlanFrames {
        /// Frames of the plan.
        found: usize,
        /// Frames of the clip.
        expected: usize,
    },
    /// The plan refers to a missing segment or corner.
    #[error("frame {frame} of the plan names {what} {index}, of which there are {count}")]
    PlanIndex {
        /// Frame of the plan.
        frame: usize,
        /// Kind of the item.
        what: &'static str,
        /// Index in the plan.
        index: usize,
        /// Number of such items.
        count: usize,
    },
    /// An option is out of range.
    #[error("{what} must be {expected}, not {value}")]
    Option {
        /// Name of the option.
        what: &'static str,
        /// Accepted values.
        expected: &'static str,
        /// Refused value.
        value: Real,
    },
    /// The equations of a frame are singular.
    #[error("frame {frame} of the clip is so far from anything a body can do that the equations have no solution")]
    Singular {
        /// Frame of the clip.
        frame: usize,
    },
    /// The body has too many degrees of freedom.
    #[error(
        "the body has {segments} segments with {unknowns} degrees of freedom; more than {MAX_UNKNOWNS} would take too long to solve"
    )]
    TooLarge {
        /// Segments of the body.
        segments: usize,
        /// Unknowns of a frame.
        unknowns: usize,
    },
    /// The caller stopped the search.
    #[error("stopped")]
    Stopped,
    /// The frames do not make a clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Largest number of unknowns of a frame. Time grows with their cube: two seconds of a clip with 900 take more than 70 s.
const MAX_UNKNOWNS: usize = 480;

impl Solve<'_> {
    /// Solves the whole clip. `progress` gets the share done, 0 to 1, and returns whether to continue.
    pub fn run(&self, progress: &mut dyn FnMut(Real) -> bool) -> Result<Solved, SolveError> {
        Ok(self.start_at_capture(progress)?.solved)
    }

    /// Solves the whole clip from the capture; returns the unknowns as well.
    pub(super) fn start_at_capture(&self, progress: &mut dyn FnMut(Real) -> bool) -> Result<Solution, SolveError> {
        self.with_track(|track, pieces| {
            let mut found = PartialSolution::new(self.clip.frames(), self.plan.interval_count(), track.body);
            // A physical clip is left unchanged, so that filtering twice equals filtering once.
            if track.stays(pieces.iter().copied(), &mut found) {
                progress(1.0);
                return track.finish(found, Vec::new());
            }
            found.settled.fill(false);
            let mut windows = Vec::with_capacity(pieces.len());
            for piece in pieces {
                windows.push(self.solve_piece(track, piece, None, &mut found, progress)?);
            }
            let solution = track.finish(found, windows)?;
            progress(1.0);
            Ok(solution)
        })
    }

    /// Continues from an earlier solution after the plan has changed in some frames. Pieces without changes stay, and so do the
    /// frames they share with others.
    pub(super) fn refine(
        &self,
        before: &Solution,
        changed: &[usize],
        progress: &mut dyn FnMut(Real) -> bool,
    ) -> Result<Solution, SolveError> {
        self.with_track(|track, pieces| {
            let mut found = PartialSolution::of(before, self.plan.interval_count(), track.body);
            let mut windows = before.solved.windows.clone();
            let frames = pieces.last().map_or(0, |last| last.to);
            let pieces = changed_pieces(pieces, changed);
            found.loosen(self.plan, frames, &pieces);
            for (index, piece) in &pieces {
                let tracking_weight = windows.get(*index).map_or(Real::INFINITY, |window| window.tracking_weight);
                let start = WarmStart { x: &before.x, tracking_weight };
                let report = self.solve_piece(track, piece, Some(start), &mut found, progress)?;
                match windows.get_mut(*index) {
                    Some(window) => *window = report,
                    None => windows.push(report),
                }
            }
            let solution = track.finish(found, windows)?;
            progress(1.0);
            Ok(solution)
        })
    }

    fn with_track<T>(&self, work: impl FnOnce(&Track, &[Piece]) -> Result<T, SolveError>) -> Result<T, SolveError> {
        self.check()?;
        let (frames, rate) = (self.clip.frames(), self.clip.rate_hz());
        let mut bears = vec![false; self.figure.segments().len()];
        for target in self.plan.targets.iter().flatten() {
            bears[self.plan.corners[target.corner].segment] = true;
        }
        let body = Body::new(self.figure, &bears, !self.options.keep_root);
        if body.unknowns > MAX_UNKNOWNS {
            return Err(SolveError::TooLarge { segments: self.figure.segments().len(), unknowns: body.unknowns });
        }
        let weights = Weights::new(self.figure, &body, self.options.strength, rate);
        let track = Track::new(self, &body, &weights);
        let pieces: Vec<Piece> =
            Pieces::of(body.unknowns, frames, rate, self.options.window, track.cycle.is_some()).collect();
        work(&track, &pieces)
    }

    fn solve_piece(
        &self,
        track: &Track,
        piece: &Piece,
        before: Option<WarmStart>,
        found: &mut PartialSolution,
        progress: &mut dyn FnMut(Real) -> bool,
    ) -> Result<WindowReport, SolveError> {
        let frames = self.clip.frames() as Real;
        let done = |share: Real| (piece.from as Real + share * (piece.to - piece.from) as Real) / frames;
        track.solve(piece, before, found, &mut |share: Real| progress(done(share)))
    }

    fn check(&self) -> Result<(), SolveError> {
        let (found, expected) = (self.clip.joints(), self.figure.skeleton().len());
        if found != expected {
            return Err(SolveError::Joints { found, expected });
        }
        let frames = self.clip.frames();
        if frames == 0 {
            return Err(SolveError::NoFrames);
        }
        if self.figure.segments().is_empty() {
            return Err(SolveError::NoBody);
        }
        for found in [self.plan.targets.len(), self.plan.clearance.len()] {
            if found != frames {
                return Err(SolveError::PlanFrames { found, expected: frames });
            }
        }
        let (corners, segments) = (self.plan.corners.len(), self.figure.segments().len());
        let index = |frame, what, index, count| Err(SolveError::PlanIndex { frame, what, index, count });
        if let Some(corner) = self.plan.corners.iter().find(|corner| corner.segment >= segments) {
            return index(0, "segment", corner.segment, segments);
        }
        for (frame, (targets, clearance)) in self.plan.targets.iter().zip(&self.plan.clearance).enumerate() {
            if let Some(target) = targets.iter().find(|target| target.corner >= corners) {
                return index(frame, "corner", target.corner, corners);
            }
            if clearance.len() != corners {
                return index(frame, "corner", clearance.len(), corners);
            }
        }
        let SolveOptions { friction, strength, tracking, effort, window, .. } = self.options;
        let refuse = |what, expected, value| Err(SolveError::Option { what, expected, value });
        match window {
            _ if !(friction.is_finite() && friction > 0.0) => refuse("friction", "a positive number", friction),
            _ if !(tracking.is_finite() && tracking > 0.0) => {
                refuse("the tracking weight", "a positive number", tracking)
            }
            _ if !(effort.is_finite() && effort > 0.0) => refuse("the effort", "a positive number", effort),
            _ if !(strength.is_finite() && strength > 0.0) => refuse("strength", "a positive number", strength),
            Some(time) if !(time.is_finite() && time > 0.0) => refuse("the window", "a positive number", time),
            _ => Ok(()),
        }
    }
}

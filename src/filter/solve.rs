//! The optimiser of the physical filter: a clip and a plan of contacts in, a clip and its forces out.
//!
//! All joint turns and the root's place of all frames are unknown. They stay near the capture, keep the planned corners
//! where they stand, and leave no wrench on the body that the ground could not give.

use super::body::Body;
use super::plan::ContactPlan;
use super::refine::Solution;
use super::result::PartialSolution;
use super::weights::Weights;
use super::window::{Piece, Pieces, Track, WarmStart, changed_pieces};
use crate::figure::Figure;
use crate::math::{Real, Vec3, Vec6};
use crate::motion::{Clip, ClipError};

/// Moves a clip to where physics lets it be.
pub struct Solve<'a> {
    pub figure: &'a Figure,
    /// Smoothed, on level ground, made for the figure's skeleton.
    pub clip: &'a Clip,
    pub plan: &'a ContactPlan,
    pub options: SolveOptions,
}

/// What a solution may be told; the defaults suit a captured clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveOptions {
    /// Coulomb's µ of the ground.
    pub friction: Real,
    /// How far the result may move from the capture; 1 is usual, 0 would not move it at all.
    pub strength: Real,
    /// The root goes its captured way; only joints turn.
    pub keep_root: bool,
    /// The last frame is the first one, moved along the ground, and stays so.
    pub looped: bool,
    /// Joints stay within the limits of the figure.
    pub limits: bool,
    /// Segments that may meet do not go through each other.
    pub self_contact: bool,
    /// The clip is physical as it is: it stays, and only its forces are looked for.
    pub forces_only: bool,
    /// How many times nearer than usual to the capture it is sought first; where that leaves forces missing, or the body in the
    /// ground, as usual.
    pub tracking: Real,
    /// Length of the pieces that are solved one after the other, seconds; none: what fits.
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
            window: None,
        }
    }
}

/// What the optimiser found.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Same skeleton, rate and number of frames as the source; joints folded into segments keep their own pose.
    pub clip: Clip,
    /// For each stance of the plan: how far it was put elsewhere on the ground, metres.
    pub offsets: Vec<Vec3>,
    /// For each frame and each of its pins: the force of the ground on the body, newtons.
    pub forces: Vec<Vec<Vec3>>,
    /// For each frame: the wrench that nothing supplies, newtons and newton metres about the root joint.
    pub residual: Vec<Vec6>,
    /// For each frame and segment: the torque of the joint that holds it, exerted by the parent, N·m, world axes. For
    /// roots it is the torque that nothing supplies.
    pub torques: Vec<Vec<Vec3>>,
    /// The pieces it was solved in; none where the clip was physical already and is left as it was.
    pub windows: Vec<WindowReport>,
}

/// How one piece of a clip was solved.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowReport {
    /// First frame, and the one after the last.
    pub frames: [usize; 2],
    /// Steps of the optimiser.
    pub iterations: usize,
    /// The cost after each of them; it begins again where the demand on the forces becomes sharper.
    pub costs: Vec<Real>,
    /// Whether the last steps changed nothing any more.
    pub converged: bool,
    /// What is missing of forces, and the depth in the ground, over what a physical clip may show: up to 1 it is one.
    pub support_deficit: Real,
    /// Share of their usual weight that captured places had in the search it was taken from.
    pub tracking_weight: Real,
}

/// Why a clip cannot be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    #[error("the clip was made for {found} joints, the skeleton of the figure has {expected}")]
    Joints { found: usize, expected: usize },
    #[error("the clip has no frames")]
    NoFrames,
    #[error("the figure has no body")]
    NoBody,
    #[error("the plan is for {found} frames, the clip has {expected}")]
    PlanFrames { found: usize, expected: usize },
    #[error("frame {frame} of the plan names {what} {index}, of which there are {count}")]
    PlanIndex { frame: usize, what: &'static str, index: usize, count: usize },
    #[error("{what} must be {expected}, not {value}")]
    Option { what: &'static str, expected: &'static str, value: Real },
    #[error("frame {frame} of the clip is so far from anything a body can do that the equations have no solution")]
    Singular { frame: usize },
    #[error(
        "the body has {segments} segments that turn in {unknowns} unknowns; more than {MAX_UNKNOWNS} would take too long to solve"
    )]
    TooLarge { segments: usize, unknowns: usize },
    #[error("stopped")]
    Stopped,
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Unknowns of a frame that are solved for. Time grows with their cube: two seconds of 900 were not solved after 70 s.
const MAX_UNKNOWNS: usize = 480;

impl Solve<'_> {
    /// Solves the whole clip. `progress` is told the share done, 0 to 1, and says whether to go on.
    pub fn run(&self, progress: &mut dyn FnMut(Real) -> bool) -> Result<Solved, SolveError> {
        Ok(self.from_capture(progress)?.solved)
    }

    /// The same, with the unknowns.
    pub(super) fn from_capture(&self, progress: &mut dyn FnMut(Real) -> bool) -> Result<Solution, SolveError> {
        self.with_track(|track, pieces| {
            let mut found = PartialSolution::new(self.clip.frames(), self.plan.interval_count(), track.body);
            // What is physical already is left as it is: filtering twice is filtering once.
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

    /// Goes on from what was found for a plan that was the same but for some frames. Pieces without any of those stay as they are, and so
    /// do the places where they meet others.
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
        let SolveOptions { friction, strength, tracking, window, .. } = self.options;
        let refuse = |what, expected, value| Err(SolveError::Option { what, expected, value });
        match window {
            _ if !(friction.is_finite() && friction > 0.0) => refuse("friction", "a positive number", friction),
            _ if !(tracking.is_finite() && tracking > 0.0) => {
                refuse("the tracking weight", "a positive number", tracking)
            }
            _ if !(strength.is_finite() && strength > 0.0) => refuse("strength", "a positive number", strength),
            Some(time) if !(time.is_finite() && time > 0.0) => refuse("the window", "a positive number", time),
            _ => Ok(()),
        }
    }
}

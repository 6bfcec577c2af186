//! A world with all interactive changes: one value that can be stored and restored.
//!
//! Held limbs yield: muscles that follow a capture without limit would not let a limb be moved at all, so those between the
//! held point and the trunk are weak while it is held, and recover smoothly when it is let go.

use super::hand::Hand;
use super::settings::LiveSettings;
use crate::control::{RootAxis, Trip};
use crate::dynamics::{Body, BodyId, Collider, MassProperties, Material, Placement, Shape};
use crate::math::{GRAVITY, Real, Vec3};
use crate::motion::Role;
use crate::scene::SceneRun;
use crate::show::{Action, Grip};
use crate::simulation::{Actor, Follower, RagDoll, Run};

/// Share of its strength that a muscle keeps while its limb is held.
const GIVES: Real = 0.02;
/// Recovery time of a muscle after release, seconds.
const RECOVERS_IN: Real = 0.4;
/// Greatest number of joints that yield between the held segment and the trunk.
const REACH: usize = 4;
/// Assistance of a returning root: body weights at first, and their growth per second.
const HELP: (Real, Real) = (0.6, 2.0);
/// End of the return of a root: distance, metres, or time, seconds.
const BACK: (Real, Real) = (0.03, 4.0);

/// A weakened joint.
#[derive(Clone, Copy, Debug)]
struct Weak {
    figure: usize,
    segment: usize,
    /// Strength when not weakened.
    strength: Real,
    /// Time of release, seconds; none while held.
    since: Option<Real>,
}

/// A root that follows its target with limited assistance.
#[derive(Clone, Copy, Debug)]
struct Led {
    figure: usize,
    /// Settings of its axes to restore.
    axes: [RootAxis; 6],
    trip: Option<Trip>,
    since: Option<Real>,
}

/// A world with interactive changes.
#[derive(Clone)]
pub(crate) struct Play {
    /// The run, with the script of its scene file or without one.
    pub scene: SceneRun,
    pub hand: Option<Hand>,
    pub settings: LiveSettings,
    /// Bodies that were thrown or dropped.
    pub added: Vec<BodyId>,
    weak: Vec<Weak>,
    led: Vec<Led>,
}

impl Play {
    pub fn new(scene: SceneRun) -> Self {
        let settings = LiveSettings::of(scene.world());
        Self { scene, hand: None, settings, added: Vec::new(), weak: Vec::new(), led: Vec::new() }
    }

    /// All that the future depends on.
    pub fn snapshot(&mut self) -> Play {
        let Play { scene, hand, settings, added, weak, led } = self;
        Play {
            scene: scene.snapshot(),
            hand: hand.clone(),
            settings: settings.clone(),
            added: added.clone(),
            weak: weak.clone(),
            led: led.clone(),
        }
    }

    /// Actors in the order they came.
    pub fn actors(&self) -> impl Iterator<Item = &Actor> {
        self.scene.run.followers.iter().map(|follower| &follower.actor)
    }

    /// Index of the figure, and of its segment, that a body belongs to.
    pub fn segment_of(&self, body: usize) -> Option<(usize, usize)> {
        self.actors().enumerate().find_map(|(figure, actor)| {
            let place = actor.instance().bodies.iter().position(|id| id.index() == body);
            place.map(|segment| (figure, segment))
        })
    }

    pub fn restore(&mut self, kept: &Play) {
        self.scene.restore(&kept.scene);
        self.hand.clone_from(&kept.hand);
        self.settings.clone_from(&kept.settings);
        self.added.clone_from(&kept.added);
        self.weak.clone_from(&kept.weak);
        self.led.clone_from(&kept.led);
    }

    /// Takes one step.
    pub fn step(&mut self) -> Result<(), String> {
        self.ease();
        self.scene.step().map_err(|error| error.to_string())
    }

    /// Restores weakened joints and roots step by step.
    fn ease(&mut self) {
        let Run { world, followers, .. } = &mut self.scene.run;
        let time = world.time();
        self.weak.retain(|weak| {
            let Some(Follower { actor, .. }) = followers.get_mut(weak.figure) else { return false };
            let u = weak.since.map_or(0.0, |since| ((time - since) / RECOVERS_IN).clamp(0.0, 1.0));
            let share = GIVES + (1.0 - GIVES) * u * u * (3.0 - 2.0 * u);
            actor.set_strength(weak.segment, weak.strength * share);
            u < 1.0
        });
        self.led.retain(|led| {
            let Some(Follower { actor, trip, .. }) = followers.get_mut(led.figure) else { return false };
            let Some(since) = led.since else { return true };
            let off = |(k, _): (usize, &crate::control::RootController)| {
                let body = world.state(actor.instance().bodies[k]).placement;
                (actor.figure().segment(k).joint_frame(&body).position - actor.wanted()[k].position).norm()
            };
            let back = actor.roots().map(off).fold(0.0, Real::max) < BACK.0 && actor.activation() == 1.0;
            if back || time - since > BACK.1 {
                actor.set_root(world, led.axes);
                *trip = led.trip;
                return false;
            }
            let weight = actor.figure().mass() * GRAVITY;
            actor
                .set_root(world, gentle(&led.axes, (HELP.0 + HELP.1 * (time - since)) * weight, actor.figure().height));
            true
        });
    }

    /// Does one thing that a person asks of this item; places are those of its own world.
    pub fn act(&mut self, action: &Action) -> Result<(), String> {
        match action {
            Action::Grab { grip, to } => self.grab(grip, to),
            Action::Drag(to) => match &mut self.hand {
                Some(hand) => {
                    hand.drag(&mut self.scene.run.world, *to);
                    Ok(())
                }
                None => Err("nothing is held".to_owned()),
            },
            Action::Twist(turn) => match &mut self.hand {
                Some(hand) => hand.twist(&mut self.scene.run.world, turn).map_err(|error| error.to_string()),
                None => Err("nothing is held".to_owned()),
            },
            Action::Release => {
                self.release();
                Ok(())
            }
            Action::Throw { from, velocity, mass, radius } => {
                let shape = Shape::Sphere { radius: *radius };
                self.add("ball", shape, MassProperties::sphere(*mass, *radius), *from, *velocity)
            }
            Action::Drop { at, mass, size } => {
                let half_extents = Vec3::repeat(0.5 * size);
                let moments = MassProperties::cuboid(*mass, half_extents);
                self.add("box", Shape::Box { half_extents }, moments, *at, Vec3::zeros())
            }
            Action::Push { grip, impulse } => {
                let body = self.movable(grip)?;
                let step = self.scene.step_length();
                let world = &mut self.scene.run.world;
                let point = world.state(body).placement.point(&grip.at);
                world.apply_at(body, impulse / step, point).map_err(|error| error.to_string())
            }
            Action::RagDoll { limp, .. } => self.rag_doll(*limp),
            Action::Strength { segment, share, .. } => self.strength(*segment, *share),
            Action::Gravity(gravity) => {
                self.scene.set_gravity(*gravity);
                Ok(())
            }
            Action::Friction(friction) => {
                self.settings.set_friction(&mut self.scene.run.world, *friction);
                Ok(())
            }
            Action::Substeps(substeps) => self.settings.set_substeps(&mut self.scene.run.world, *substeps),
            Action::Wind(wind) => {
                self.settings.set_wind(&mut self.scene.run.world, *wind).map_err(|error| error.to_string())
            }
            other => Err(format!("{other:?} is not for a single world")),
        }
    }

    fn movable(&self, grip: &Grip) -> Result<BodyId, String> {
        let found = self.scene.world().bodies().nth(grip.body).filter(|(_, body)| body.is_dynamic());
        found.map(|(id, _)| id).ok_or_else(|| "this cannot be moved: it is fixed".to_owned())
    }

    fn grab(&mut self, grip: &Grip, to: &Vec3) -> Result<(), String> {
        let body = self.movable(grip)?;
        self.release();
        let segment = self.segment_of(grip.body);
        let (moved, limit) = match segment.and_then(|(figure, k)| Some((self.actors().nth(figure)?, k))) {
            Some((actor, k)) => {
                let figure = actor.figure();
                let below =
                    |child: usize| std::iter::successors(Some(child), |s| figure.segment(*s).parent).any(|s| s == k);
                let carried: Real =
                    (0..figure.segments().len()).filter(|s| below(*s)).map(|s| figure.segment(s).mass.mass).sum();
                (carried.max(0.05 * figure.mass()), 1.5 * GRAVITY * figure.mass())
            }
            None => {
                let mass = self.scene.world().body(body).mass.mass;
                (mass, 10.0 * GRAVITY * mass)
            }
        };
        let hand = Hand::new(&mut self.scene.run.world, body, grip.at, *to, moved, limit);
        self.hand = Some(hand.map_err(|error| error.to_string())?);
        if let Some((figure, segment)) = segment {
            self.give_way(figure, segment);
        }
        Ok(())
    }

    /// The joints from a segment towards the trunk become weak; where the trunk itself is held, the root too.
    fn give_way(&mut self, which: usize, from: usize) {
        let Run { world, followers, .. } = &mut self.scene.run;
        let Some(Follower { actor, trip, .. }) = followers.get_mut(which) else { return };
        let figure = actor.figure();
        let trunk = |k: usize| {
            matches!(figure.segment(k).role, Some(Role::Spine(_) | Role::Hips)) || figure.segment(k).parent.is_none()
        };
        let chain = std::iter::successors(Some(from), |k| figure.segment(*k).parent);
        let limb: Vec<usize> = chain.take(REACH).take_while(|&k| k == from || !trunk(k)).collect();
        let holds_trunk = trunk(from);
        for segment in limb {
            match self.weak.iter_mut().find(|weak| (weak.figure, weak.segment) == (which, segment)) {
                Some(weak) => weak.since = None,
                None => {
                    let strength = actor.strength(segment);
                    self.weak.push(Weak { figure: which, segment, strength, since: None });
                }
            }
        }
        let axes = actor.roots().next().map(|(_, root)| *root.axes());
        let known = self.led.iter().any(|led| led.figure == which);
        if let Some(axes) = axes.filter(|_| holds_trunk && actor.activation() > 0.0 && !known) {
            self.led.push(Led { figure: which, axes, trip: *trip, since: None });
            let (weight, height) = (actor.figure().mass() * GRAVITY, actor.figure().height);
            actor.set_root(world, gentle(&axes, HELP.0 * weight, height));
        }
    }

    fn release(&mut self) {
        let Some(hand) = self.hand.take() else { return };
        hand.release(&mut self.scene.run.world);
        let time = self.scene.world().time();
        self.weak.iter_mut().for_each(|weak| weak.since = weak.since.or(Some(time)));
        for led in &mut self.led {
            // A rag-doll that is let go stays one.
            let awake =
                self.scene.run.followers.get(led.figure).is_some_and(|Follower { actor, .. }| actor.activation() > 0.0);
            led.since = led.since.or(awake.then_some(time));
        }
    }

    fn add(&mut self, name: &str, shape: Shape, mass: MassProperties, at: Vec3, velocity: Vec3) -> Result<(), String> {
        shape.validate().map_err(|error| error.to_string())?;
        let friction = self.settings.friction.unwrap_or(Material::default().friction);
        let material = Material { friction, restitution: 0.3, ..Material::default() };
        let world = &mut self.scene.run.world;
        let body = Body::dynamic(name, mass, Placement::at(at)).with_velocity(velocity, Vec3::zeros());
        let body = world.add_body(body.watched_closely()).map_err(|error| error.to_string())?;
        let collider = Collider::new(shape).with_material(material);
        world.add_collider(body, collider).map_err(|error| error.to_string())?;
        self.added.push(body);
        self.settings.blow_at(world, body).map_err(|error| error.to_string())
    }

    fn rag_doll(&mut self, limp: bool) -> Result<(), String> {
        let Run { world, followers, .. } = &mut self.scene.run;
        if followers.is_empty() {
            return Err("there is no figure that could let go".to_owned());
        }
        let time = world.time();
        for (which, Follower { actor, trip, .. }) in followers.iter_mut().enumerate() {
            let axes = actor.roots().next().map(|(_, root)| *root.axes());
            let known = self.led.iter().position(|led| led.figure == which);
            let mut fallen = Trip::at(Real::INFINITY);
            fallen.fall(time);
            if limp {
                if let (None, Some(axes)) = (known, axes) {
                    self.led.push(Led { figure: which, axes, trip: *trip, since: None });
                }
                actor.relax(world, RagDoll::default());
                *trip = Some(fallen);
            } else if let Some(at) = known {
                self.led[at].since = Some(time);
                (fallen.lies_for, fallen.blend) = (0.0, 0.6);
                *trip = Some(fallen);
            }
        }
        Ok(())
    }

    fn strength(&mut self, segment: Option<usize>, share: Real) -> Result<(), String> {
        if !(0.0..=1.0).contains(&share) {
            return Err(format!("a share of strength lies between 0 and 1, not at {share}"));
        }
        // Segments of several figures count on.
        let mut first = 0;
        let mut found = false;
        for (which, Follower { actor, .. }) in self.scene.run.followers.iter_mut().enumerate() {
            let count = actor.figure().segments().len();
            for k in (0..count).filter(|k| segment.is_none_or(|wanted| wanted == first + k)) {
                found = true;
                match self.weak.iter_mut().find(|weak| (weak.figure, weak.segment) == (which, k)) {
                    Some(weak) => weak.strength = share,
                    None => actor.set_strength(k, share),
                }
            }
            first += count;
        }
        if found { Ok(()) } else { Err("there is no such segment".to_owned()) }
    }

    /// The strength of a segment as it was set, whether it is held just now or not.
    pub fn wanted_strength(&self, figure: usize, segment: usize) -> Real {
        let weak = self.weak.iter().find(|weak| (weak.figure, weak.segment) == (figure, segment));
        weak.map(|weak| weak.strength)
            .or_else(|| self.actors().nth(figure).map(|actor| actor.strength(segment)))
            .unwrap_or(0.0)
    }
}

/// The same axes with at most so much force.
fn gentle(axes: &[RootAxis; 6], force: Real, height: Real) -> [RootAxis; 6] {
    std::array::from_fn(|k| {
        let limit = if k < 3 { force } else { 0.5 * force * height };
        RootAxis { limit: axes[k].limit.min(limit), ..axes[k] }
    })
}

//! Names, units and definitions of all numbers of a report.

use std::fmt;

/// A group of related numbers: one row of the definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Height of the ground.
    Ground,
    /// Sliding of points and feet in contact.
    Skate,
    /// Depth of the body in the ground.
    Penetration,
    /// Frames without contact in which the body does not fall.
    Float,
    /// Velocity spikes and jerk of joints.
    Spikes,
    /// Excess over the anatomical joint limits.
    Limits,
    /// Overlap of segments with each other.
    SelfContact,
    /// Wrench on the root that the ground cannot supply.
    Residual,
    /// Distance of the zero-moment point from the support polygon.
    Balance,
    /// Vertical ground reaction force.
    Reaction,
    /// Joint torques, power and cost of transport.
    Effort,
    /// Distance of a result from its source.
    Tracking,
}

/// Direction in which a number gets better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The lower, the better.
    Lower,
    /// The nearer to this value, the better.
    Near(i32),
    /// It describes; no value is better than another.
    Neither,
}

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident $word:literal $label:literal $unit:literal $family:ident $better:expr;)*) => {
        /// One number of a report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Key { $($(#[$doc])* $name),* }

        impl Key {
            /// All of them, in the order of reports.
            pub const ALL: &'static [Key] = &[$(Key::$name),*];

            /// The name in JSON; it ends in the unit.
            pub fn name(self) -> &'static str {
                match self { $(Key::$name => $word),* }
            }

            /// The name in tables, in words that need no definition.
            pub fn label(self) -> &'static str {
                match self { $(Key::$name => $label),* }
            }

            /// The unit; empty for plain numbers.
            pub fn unit(self) -> &'static str {
                match self { $(Key::$name => $unit),* }
            }

            /// The group that it belongs to.
            pub fn family(self) -> Family {
                match self { $(Key::$name => Family::$family),* }
            }

            /// Direction in which it gets better.
            pub fn better(self) -> Better {
                match self { $(Key::$name => $better),* }
            }
        }
    };
}

keys! {
    /// Height of the ground.
    Ground "ground_m" "height of the floor" "m" Ground Better::Neither;
    /// Horizontal path of sole and palm points per second of contact.
    SkatePath "skate_mm_s" "path of soles in contact" "mm/s" Skate Better::Lower;
    /// Slide of whole feet per second of contact; a foot that rolls or pivots does not slide.
    SkateFoot "skate_foot_mm_s" "foot sliding" "mm/s" Skate Better::Lower;
    /// Mean step of low foot points per frame, weighted by height.
    SkateWeighted "skate_mm_frame" "foot sliding, weighted by height" "mm/frame" Skate Better::Lower;
    /// Depth of the deepest point of the body in the ground, mean over all frames.
    PenetrationMean "penetration_mean_mm" "below the floor, mean" "mm" Penetration Better::Lower;
    /// Largest depth of the body in the ground.
    PenetrationMax "penetration_max_mm" "below the floor, deepest" "mm" Penetration Better::Lower;
    /// Share of frames deeper than 10 mm in the ground.
    PenetrationShare "penetration_pct" "below the floor, share of frames" "%" Penetration Better::Lower;
    /// Mean height of the lowest point in frames without contact in which the body does not fall.
    FloatMean "float_mean_mm" "floating, mean height" "mm" Float Better::Lower;
    /// Share of frames without contact in which the body does not fall.
    FloatShare "float_pct" "floating, share of frames" "%" Float Better::Lower;
    /// Number of frames with a velocity spike of a joint.
    Spikes "spikes" "velocity spikes" "" Spikes Better::Lower;
    /// Mean third difference of joint positions.
    JerkMean "jerk_mean" "jerk of joints, mean" "m/s³" Spikes Better::Lower;
    /// Largest third difference of joint positions.
    JerkMax "jerk_max" "jerk of joints, largest" "m/s³" Spikes Better::Lower;
    /// Share of joint-frames more than 1° outside of the anatomical limits.
    LimitsShare "limits_pct" "beyond joint limits" "%" Limits Better::Lower;
    /// Largest excess over the anatomical limits.
    LimitsWorst "limits_worst_deg" "beyond joint limits, worst" "°" Limits Better::Lower;
    /// Deepest overlap of two segments that may touch.
    SelfContactMax "self_contact_max_mm" "limbs inside the body, deepest" "mm" SelfContact Better::Lower;
    /// Share of frames in which two segments overlap by more than 10 mm.
    SelfContactShare "self_contact_pct" "limbs inside the body, share of frames" "%" SelfContact Better::Lower;
    /// Mean force on the root that the ground cannot supply.
    ResidualForceMean "residual_force_mean_bw" "force the ground cannot give, mean" "BW" Residual Better::Lower;
    /// Largest force on the root that the ground cannot supply.
    ResidualForceMax "residual_force_max_bw" "force the ground cannot give, largest" "BW" Residual Better::Lower;
    /// Mean torque on the root that the ground cannot supply.
    ResidualTorqueMean "residual_torque_mean_bwh" "torque the ground cannot give, mean" "BW·H" Residual Better::Lower;
    /// Largest torque on the root that the ground cannot supply.
    ResidualTorqueMax "residual_torque_max_bwh" "torque the ground cannot give, largest" "BW·H" Residual Better::Lower;
    /// Mean distance of the zero-moment point from the support polygon.
    BalanceMean "balance_mean_mm" "out of balance, mean" "mm" Balance Better::Lower;
    /// Largest distance of the zero-moment point from the support polygon.
    BalanceMax "balance_max_mm" "out of balance, worst" "mm" Balance Better::Lower;
    /// Mean vertical ground reaction force; 1 for any periodic motion.
    ReactionMean "grf_mean_bw" "ground force, mean" "BW" Reaction Better::Near(1);
    /// Largest vertical ground reaction force.
    ReactionPeak "grf_peak_bw" "ground force, peak" "BW" Reaction Better::Neither;
    /// Largest joint torque.
    TorquePeak "torque_peak_nm" "joint torque, largest" "N·m" Effort Better::Lower;
    /// Mean joint torque over joints and frames.
    TorqueMean "torque_mean_nm" "joint torque, mean" "N·m" Effort Better::Lower;
    /// Mean over frames of the summed absolute joint power.
    PowerMean "power_mean_w" "joint power" "W" Effort Better::Lower;
    /// Absolute joint work per metre of horizontal travel.
    Cost "cost_j_m" "work per metre of way" "J/m" Effort Better::Lower;
    /// Mean distance of joints from those of the source.
    PositionMean "mpjpe_mm" "distance from the source" "mm" Tracking Better::Lower;
    /// Mean distance of joints from those of the source with the roots aligned.
    PositionRootMean "mpjpe_root_mm" "distance from the source, roots aligned" "mm" Tracking Better::Lower;
    /// 95th percentile of the distances of joints from those of the source.
    PositionP95 "mpjpe_p95_mm" "distance from the source, 95th percentile" "mm" Tracking Better::Lower;
    /// Mean angle between joint rotations of result and source, each against its parent.
    Angle "angle_deg" "joint angles off the source" "°" Tracking Better::Lower;
    /// Mean difference of the second differences of joint positions from those of the source.
    Acceleration "accel_mm_frame2" "accelerations off the source" "mm/frame²" Tracking Better::Lower;
}

impl Key {
    /// The few numbers that a reader looks at first, in the order of reports.
    pub const MAIN: [Key; 7] = [
        Key::SkateFoot,
        Key::PenetrationMax,
        Key::FloatShare,
        Key::Spikes,
        Key::LimitsShare,
        Key::ResidualForceMean,
        Key::PositionMean,
    ];

    /// The key of a JSON name.
    pub fn find(name: &str) -> Option<Key> {
        Key::ALL.iter().copied().find(|key| key.name() == name)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Family {
    /// All groups, in the order of reports.
    pub const ALL: [Family; 12] = [
        Family::Ground,
        Family::Skate,
        Family::Penetration,
        Family::Float,
        Family::Spikes,
        Family::Limits,
        Family::SelfContact,
        Family::Residual,
        Family::Balance,
        Family::Reaction,
        Family::Effort,
        Family::Tracking,
    ];

    /// Its keys, in the order of reports.
    pub fn keys(self) -> impl Iterator<Item = Key> {
        Key::ALL.iter().copied().filter(move |key| key.family() == self)
    }

    /// The word used in tables.
    pub fn word(self) -> &'static str {
        match self {
            Family::Ground => "floor",
            Family::Skate => "foot sliding",
            Family::Penetration => "below the floor",
            Family::Float => "floating",
            Family::Spikes => "velocity spikes and jerk",
            Family::Limits => "joint limits",
            Family::SelfContact => "limbs inside the body",
            Family::Residual => "force the ground cannot give",
            Family::Balance => "balance",
            Family::Reaction => "ground force",
            Family::Effort => "effort",
            Family::Tracking => "distance from the source",
        }
    }

    /// Exact definition of the numbers. H is the standing height, a = H / 1.75 m, BW the body weight.
    pub fn definition(self) -> &'static str {
        match self {
            Family::Ground => {
                "The plane y = g. By default g is the 5th percentile over frames of the lowest foot point (heel or \
                 ball; of a body without feet, its lowest point). Where the feet rest on a plane that \
                 rises by less than 2° along more than 1 m·a of way, as floors of captures do, the ground rises so, and g is its \
                 height in the middle."
            }
            Family::Skate => {
                "mm/s: horizontal path of the contact points per second of contact. foot: the slide of whole feet and hands, \
                 per frame the smallest horizontal step of those of its points that are in contact; what rolls or turns about a \
                 point that stays has none. mm/frame: mean of \
                 |Δp| · (2 − 2^(h / 2.5 cm·a)) over the foot points lower than h = 2.5 cm·a, horizontal step Δp per frame."
            }
            Family::Penetration => {
                "Depth of the body's shapes below the ground: mean over all frames, deepest, share of frames deeper than \
                 10 mm."
            }
            Family::Float => {
                "Frames in which nothing touches the ground although the centre of mass does not fall (its acceleration is \
                 above −0.5 g): mean height of the body's lowest point in them, and their share."
            }
            Family::Spikes => {
                "Spikes: frames in which the angular velocity of a joint against its parent jumps by more than 5 rad/s and \
                 by more than 4 times the median jump of the half second around. Jerk: third difference of joint positions."
            }
            Family::Limits => {
                "Share of joint-frames more than 1° outside of the figure's joint limits, and the worst excess. Limits are \
                 those of people by role, not widened to the clip."
            }
            Family::SelfContact => {
                "Deepest overlap of segments that may touch (no neighbours, none that overlap as the figure stands), and \
                 share of frames deeper than 10 mm."
            }
            Family::Residual => {
                "The wrench on the root that ground forces cannot supply: what the motion asks for (Newton–Euler on \
                 differences of the poses) less the best forces inside the friction cones at the points in contact. Force \
                 over body weight, torque about the root joint over BW · H. It depends on how accelerations are smoothed; \
                 the cut-off is printed."
            }
            Family::Balance => {
                "Horizontal distance from the zero-moment point to the polygon around the points in contact, 0 inside; \
                 frames in contact that carry at least a fifth of the body weight."
            }
            Family::Reaction => {
                "Vertical force that the motion asks of the ground, m (g + ÿ) of the centre of mass, over body weight. The \
                 mean of anything periodic is 1."
            }
            Family::Effort => {
                "Torques of the joints by recursive Newton–Euler with the contact forces of the residual: peak and mean over \
                 joints and frames. Power: sum over joints of |torque · angular velocity|, mean over frames. Cost: that work \
                 per metre of horizontal way of the centre of mass."
            }
            Family::Tracking => {
                "Distance of joints from where the source has them: mean, mean with the root joints laid together, 95th \
                 percentile. Mean angle between the joints' rotations against their parents. Mean difference of second \
                 differences of the positions."
            }
        }
    }
}

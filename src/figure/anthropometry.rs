//! Distribution of mass over the segments of a human body.
//!
//! P. de Leva, *Adjustments to Zatsiorsky–Seluyanov's segment inertia parameters*, Journal of Biomechanics 29(9),
//! 1223–1230 (1996), table 4: mass as a share of the body, centre of mass as a share of the segment's length from its
//! upper end, radii of gyration about the two cross axes and the long axis as shares of that length. Its head takes in the
//! neck and its foot the toes; where a skeleton has them apart, the neck gets 1.2 % of the body and the toes 0.27 %.
//!
//! Lengths of parts that a skeleton does not show are shares of standing height ([`proportions`](crate::motion::proportions)).

use crate::math::Real;

/// Column of the anthropometric table that segment masses are taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Table {
    /// Proportions of adult men.
    #[default]
    Male,
    /// Proportions of adult women.
    Female,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Share of the body's mass.
    pub mass: Real,
    /// Centre of mass as a share of the length, from the upper end.
    pub centre: Real,
    /// Radii of gyration across (mean of both cross axes) and along, shares of the length.
    pub radii: [Real; 2],
}

/// The table's rows that are used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    /// Head with neck.
    pub head: Real,
    /// Lower, middle, upper trunk: mass.
    pub trunk: [Real; 3],
    pub upper_arm: Row,
    pub forearm: Row,
    pub hand: Real,
    pub thigh: Row,
    pub shank: Row,
    pub foot: Row,
}

/// Cuts of the trunk as shares of the way from the hip line to the base of the neck: navel and lower end of the
/// breastbone (the same table's lengths, 145.7, 215.5 and 170.7 mm for men).
pub(super) const TRUNK_CUTS: [Real; 2] = [0.274, 0.679];
pub(super) const NECK: Real = 0.012;
pub(super) const TOES: Real = 0.0027;
pub(super) const CLAVICLE: Real = 0.01;

/// Shares of standing height.
pub(super) mod lengths {
    use crate::math::Real;
    pub use crate::motion::proportions::*;
    /// Distance from the crown down to the centre of mass of the head (de Leva: 59.76 % of 203.3 mm at 1741 mm).
    pub const CROWN_TO_CENTRE: Real = 0.0698;
    /// Distance from the wrist to the centre of mass of the hand (de Leva: 79 % of 86.2 mm at 1741 mm).
    pub const WRIST_TO_CENTRE: Real = 0.0391;
    pub const CLAVICLE: Real = 0.1;
}

impl Table {
    pub(super) fn body(self) -> Body {
        let row = |mass, centre, across, along| Row { mass, centre, radii: [across, along] };
        match self {
            Table::Male => Body {
                head: 0.0694,
                trunk: [0.1117, 0.1633, 0.1596],
                upper_arm: row(0.0271, 0.5772, 0.277, 0.158),
                forearm: row(0.0162, 0.4574, 0.2705, 0.121),
                hand: 0.0061,
                thigh: row(0.1416, 0.4095, 0.329, 0.149),
                shank: row(0.0433, 0.4459, 0.252, 0.103),
                foot: row(0.0137, 0.4415, 0.251, 0.124),
            },
            Table::Female => Body {
                head: 0.0668,
                trunk: [0.1247, 0.1465, 0.1545],
                upper_arm: row(0.0255, 0.5754, 0.269, 0.148),
                forearm: row(0.0138, 0.4559, 0.259, 0.094),
                hand: 0.0056,
                thigh: row(0.1478, 0.3612, 0.3665, 0.162),
                shank: row(0.0481, 0.4416, 0.269, 0.093),
                foot: row(0.0129, 0.4014, 0.289, 0.139),
            },
        }
    }
}

/// The mass of a body of ordinary build, kg: a body-mass index of 22 for grown people, falling to 16 for small
/// children (below 1.1 m).
pub(super) fn usual_mass(height: Real) -> Real {
    let grown = ((height - 1.1) / 0.4).clamp(0.0, 1.0);
    (16.0 + 6.0 * grown) * height * height
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table's own check: all segments together are the body, to its rounding.
    #[test]
    fn shares_of_the_table_sum_to_one() {
        for table in [Table::Male, Table::Female] {
            let b = table.body();
            let limbs = b.upper_arm.mass + b.forearm.mass + b.hand + b.thigh.mass + b.shank.mass + b.foot.mass;
            let sum = b.head + b.trunk.iter().sum::<Real>() + 2.0 * limbs;
            assert!((sum - 1.0).abs() < 2e-4, "{table:?}: {sum}");
        }
    }
}

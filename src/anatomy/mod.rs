//! One posture in which all skeletons can be compared, whatever their rest poses.

mod axis_convention;
pub(crate) mod evidence;
pub(crate) mod reference;

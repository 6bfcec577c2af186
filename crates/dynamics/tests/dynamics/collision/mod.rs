//! Contacts of colliders: distances against closed forms, manifolds of known situations, order and filters, and queries
//! between steps.

mod distances;
mod filters;
mod manifolds;
mod queries;
mod scene;
mod shapes;
mod surfaces;
mod sweeping;

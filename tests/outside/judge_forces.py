"""Another engine's opinion on a filtered clip: MuJoCo's inverse dynamics of the written poses and the predicted forces.

    python judge_forces.py SINEW CLIP [--mean BW] [--max BW] [--slope DEG | --stairs] [--friction MU]

runs `SINEW filter CLIP --report` on the ground that is named, builds the figure as a MuJoCo model (free root, ball joints, masses and inertias as told),
puts it through the poses, and asks which wrench on the root the motion needs beside the predicted ground forces. Velocities and
accelerations are differences of the poses at the rate of the clip. Fails when that wrench is, on average, more than
`--mean` body weights (0.01), or anywhere more than `--max` (0.05); when the places of the forces do not lie on one plane of the
named slope (on stairs: on treads a rise apart); and when a force is outside of the friction cone of that ground.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

GRAVITY = 9.81


def model_of(segments):
    """The figure as a tree; body frames are those of the joints."""
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, -GRAVITY, 0.0]
    spec.option.timestep = 1e-3
    bodies = []
    for segment in segments:
        parent = segment["parent"]
        above = spec.worldbody if parent is None else bodies[parent]
        place = [0.0, 0.0, 0.0] if parent is None else segment["joint_in_parent"]
        body = above.add_body(name=f"segment {len(bodies)}", pos=place)
        body.mass = segment["mass_kg"]
        body.ipos = segment["centre"]
        body.fullinertia = segment["inertia"]
        body.explicitinertial = True
        kind = mujoco.mjtJoint.mjJNT_FREE if parent is None else mujoco.mjtJoint.mjJNT_BALL
        body.add_joint(name=f"joint {len(bodies)}", type=kind)
        bodies.append(body)
    return spec.compile()


def times(p, q):
    """Product of quaternions w, x, y, z."""
    out = np.zeros(4)
    mujoco.mju_mulQuat(out, p, q)
    return out


def coordinates(model, segments, frame):
    """qpos of a frame: place and turn of the root, turns of all others against their parents."""
    qpos = np.zeros(model.nq)
    for k, segment in enumerate(segments):
        start = model.jnt_qposadr[k]
        turn = np.array(frame[k][3:])
        if segment["parent"] is None:
            qpos[start : start + 3] = frame[k][:3]
            qpos[start + 3 : start + 7] = turn
        else:
            above = np.array(frame[segment["parent"]][3:]) * [1, -1, -1, -1]
            qpos[start : start + 4] = times(above, turn)
    mujoco.mj_normalizeQuat(model, qpos)
    return qpos


def between(model, step, before, after):
    velocity = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, velocity, step, before, after)
    return velocity


def root_wrenches(curves):
    """For each inner frame: force and torque on the root that nothing supplies, N and N·m."""
    segments, rate = curves["segments"], curves["rate_hz"]
    model = model_of(segments)
    data = mujoco.MjData(model)
    step = 1.0 / rate
    poses = [coordinates(model, segments, frame) for frame in curves["segment_frames_xyz_wxyz"]]
    worst_gap, wrenches = 0.0, []
    for t in range(1, len(poses) - 1):
        before, after = between(model, step, poses[t - 1], poses[t]), between(model, step, poses[t], poses[t + 1])
        data.qpos[:] = poses[t]
        data.qvel[:] = 0.5 * (before + after)
        data.qacc[:] = (after - before) / step
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        told = np.array([frame[:3] for frame in curves["segment_frames_xyz_wxyz"][t]])
        worst_gap = max(worst_gap, np.abs(data.xpos[1:] - told).max())
        data.xfrc_applied[:] = 0.0
        applied = np.zeros(model.nv)
        for force in curves["contact_forces"][t]:
            vector, at = np.array(force["force_n"]), np.array(force["at"])
            mujoco.mj_applyFT(model, data, vector, np.zeros(3), at, force["segment"] + 1, applied)
        mujoco.mj_inverse(model, data)
        # The root's torque is told in its own axes; its length is that in the world's.
        wrenches.append((data.qfrc_inverse - applied)[:6].copy())
    return np.array(wrenches), worst_gap


def judge_places(curves, friction, slope=None, rise=None):
    """Checks that forces push where there is ground, out of it and within its friction; gives the largest stray, m and 1."""
    forces = [force for frame in curves["contact_forces"] for force in frame]
    places = np.array([force["at"] for force in forces])
    vectors = np.array([force["force_n"] for force in forces])
    if rise is None:
        # The plane through all places, and how steep it is.
        middle = places.mean(axis=0)
        normal = np.linalg.svd(places - middle, full_matrices=False)[2][2]
        normal = normal * np.sign(normal[1])
        stray = np.abs((places - middle) @ normal).max()
        steep = np.degrees(np.arccos(min(1.0, normal[1])))
        if abs(steep - abs(slope)) > 0.05:
            sys.exit(f"the ground under the feet is {steep:.2f} degrees steep, not {abs(slope)}")
    else:
        normal = np.array([0.0, 1.0, 0.0])
        treads = (places[:, 1] - places[0, 1]) / rise
        stray = np.abs(treads - treads.round()).max() * rise
        if treads.round().max() - treads.round().min() < 2:
            sys.exit("nobody takes these stairs")
    push = vectors @ normal
    drag = np.linalg.norm(vectors - np.outer(push, normal), axis=1)
    # The cone is rounded to the weight of a coin: forces are found by a barrier that keeps all of them above 0.
    return stray, (drag - friction * push).max()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sinew")
    parser.add_argument("clip")
    parser.add_argument("--mean", type=float, default=0.01, help="largest mean wrench, body weights")
    parser.add_argument("--max", type=float, default=0.05, help="largest wrench of any frame, body weights")
    parser.add_argument("--friction", type=float, default=0.8)
    ground = parser.add_mutually_exclusive_group()
    ground.add_argument("--slope", type=float, metavar="DEG")
    ground.add_argument("--stairs", action="store_true")
    return parser.parse_args()


def main():
    told_by = arguments()
    ground = ["--friction", str(told_by.friction)]
    if told_by.slope is not None:
        ground += ["--slope", str(told_by.slope)]
    if told_by.stairs:
        ground += ["--stairs"]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [told_by.sinew, "filter", told_by.clip, "--report", str(report), *ground]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        told = json.loads(report.read_text())
    weight = told["mass_kg"] * GRAVITY
    height = told["basis"]["after"]["height_m"]
    wrenches, gap = root_wrenches(told["curves"])
    force = np.linalg.norm(wrenches[:, :3], axis=1) / weight
    torque = np.linalg.norm(wrenches[:, 3:], axis=1) / (weight * height)
    print(
        f"{Path(told_by.clip).name} {' '.join(ground[2:])}: root force mean {force.mean():.5f} max {force.max():.5f} BW, "
        f"torque mean {torque.mean():.5f} max {torque.max():.5f} BW·H, joints {1e3 * gap:.3f} mm apart"
    )
    slope = None if told_by.stairs else (told_by.slope or 0.0)
    stray, beyond = judge_places(told["curves"], told_by.friction, slope, 0.17 if told_by.stairs else None)
    print(f"  forces push at most {1e3 * stray:.4f} mm off the ground, and {beyond:.4f} N beyond its friction")
    if not (force.mean() <= told_by.mean and force.max() <= told_by.max):
        sys.exit(f"MuJoCo disagrees: at most {told_by.mean} mean and {told_by.max} max were expected")
    if stray > 1e-6 or beyond > 1e-3:
        sys.exit("forces come from where there is no ground, or the ground cannot give them")


if __name__ == "__main__":
    main()

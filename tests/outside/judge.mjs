// Converts every clip and character of the data folder with sinew and lets others judge the result.
//
//   node judge.mjs SINEW DATA WORK
//
// SINEW is the binary, DATA the project's data folder, WORK a folder for what is made. Exit 1 with a line per
// fault. The laws:
//   1. every GLB that sinew makes passes the Khronos validator with 0 errors and 0 warnings;
//      scenes that `sinew run` writes among them;
//   2. three.js puts the joints of the made file where it puts those of the original, to 0.1 mm.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import validator from 'gltf-validator';
import { openScene, positionsAt } from './three_scene.mjs';

const TOLERANCE = 1e-4; // metres
const MOMENTS = 24; // frames compared per clip
const [sinew, data, work] = process.argv.slice(2);
// What an earlier run left is not overwritten by sinew.
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

const faults = [];
let judged = 0;

const run = (...args) => execFileSync(sinew, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const info = (file) => JSON.parse(run('info', '--json', file));
const files = (folder, extension) =>
  readdirSync(join(data, folder)).filter((name) => extname(name) === extension).map((name) => join(data, folder, name)).sort();

async function validate(file) {
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(file)), { uri: basename(file) });
  if (issues.numErrors + issues.numWarnings > 0) {
    faults.push(`${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings by the glTF validator`);
    for (const { code, pointer, message } of issues.messages.slice(0, 5)) faults.push(`    ${code} ${pointer ?? ''} ${message}`);
  }
}

// What three.js says about a BVH file, in metres and Y up. Its loader adds the root's OFFSET to the position
// channels, whatever the file means, and knows no units.
function toMetres(position, facts, rootOffset) {
  const [x, y, z] = position.map((value, axis) => (value - rootOffset[axis]) * facts.unit_m);
  return { '+Y': [x, y, z], '-Y': [x, -y, -z], '+Z': [x, z, -y], '-Z': [x, -z, y], '+X': [-y, x, z], '-X': [y, -x, z] }[facts.up];
}

function bvhRootOffset(file, facts) {
  const meaning = facts.guesses.find((guess) => guess.what === 'root offset')?.chosen ?? 'replace';
  if (meaning !== 'replace') return [0, 0, 0];
  const offset = readFileSync(file, 'utf8').match(/OFFSET\s+(\S+)\s+(\S+)\s+(\S+)/i);
  return offset.slice(1).map(Number);
}

async function opened(file) {
  const scene = await openScene(file);
  const facts = info(file);
  const offset = extname(file) === '.bvh' ? bvhRootOffset(file, facts) : null;
  const at = (clip, time) => {
    const found = positionsAt(scene, clip, time);
    if (offset) for (const [name, position] of found) found.set(name, toMetres(position, facts, offset));
    return found;
  };
  return { scene, facts, at };
}

/** Compares the joints of two files by name, clip by clip. */
async function compare(originalFile, madeFile) {
  const original = await opened(originalFile);
  const made = await opened(madeFile);
  for (const [index, facts] of original.facts.clips.entries()) {
    const clip = original.scene.clips[index];
    const twin = extname(originalFile) === '.bvh' ? made.scene.clips[0] : made.scene.clips.find((other) => other.name === clip.name);
    if (!twin) {
      faults.push(`${madeFile}: the clip ${clip.name} of ${originalFile} is missing`);
      continue;
    }
    let worst = { distance: 0 };
    for (let moment = 0; moment < MOMENTS; moment += 1) {
      const last = Math.max(facts.frames - 1, 1);
      const frame = Math.round((moment * (facts.frames - 1)) / (MOMENTS - 1));
      // A file may round its frame time; each clip is asked at its own time of the frame.
      const expected = original.at(clip, (clip.duration * frame) / last);
      const found = made.at(twin, (twin.duration * frame) / last);
      for (const { name } of original.facts.skeleton) {
        const [a, b] = [expected.get(name), found.get(name)];
        const distance = a && b ? Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) : Infinity;
        if (!(distance <= worst.distance)) worst = { distance, name, frame };
      }
    }
    judged += 1;
    const line = `${originalFile} → ${basename(madeFile)}, ${facts.name || 'clip'}: ${(worst.distance * 1000).toFixed(4)} mm`;
    console.log(line);
    if (!(worst.distance <= TOLERANCE)) faults.push(`${line} at ${worst.name}, frame ${worst.frame}`);
  }
}

for (const file of [...files('clips', '.bvh'), ...files('characters', '.glb')]) {
  const made = join(work, `${basename(file, extname(file))}.glb`);
  run('convert', file, '-o', made);
  await validate(made);
  await compare(file, made);
  if (extname(file) === '.bvh') {
    const again = join(work, basename(file));
    run('convert', made, '-o', again);
    await compare(again, made);
  }
}
// Scenes: simple solids, a skinned figure beside them, things that come and go, a camera that follows.
for (const scene of ['mobile', 'obstacles', 'basket', 'windmill', 'fat_man', 'falling_objects']) {
  const made = join(work, `scene_${scene}.glb`);
  run('run', scene, '--for', '1.2', '-o', made);
  await validate(made);
  const { clips } = await openScene(made);
  if (clips.length !== 1) faults.push(`${made}: three.js finds ${clips.length} clips, not one`);
}
if (judged === 0) faults.push(`${data}: nothing to judge`);
for (const fault of faults) console.error(fault);
console.log(`${judged} clips judged, ${faults.length === 0 ? 'no fault' : 'with faults'}`);
process.exit(faults.length === 0 ? 0 : 1);

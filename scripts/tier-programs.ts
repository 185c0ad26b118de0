/**
 * Builds or installs every program that the tiers of `.ci/run` need on this day, in the order in which they need them. It runs in the background while tiers
 * that need none are played. A program that cannot be had is reported here, and by the tier that misses it.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APPLIERS, appliersOfE2e } from './e2e-appliers.ts';
import { ensureBinaries, ensureFish, ensureNginx, ensurePrometheus, ensureZsh } from './e2e-binaries.ts';
import { ensureEnvoy } from './e2e-envoy.ts';
import { ensureFlagger } from './e2e-flagger.ts';
import { ensureGitopsStatus, ensureHelm } from './e2e-go-tool.ts';
import { nodeProgram } from './executable/node-package.ts';
import { chosenPlatforms } from './executable/platforms.ts';
import { ensureNodeImages, sampledNodeImages } from './node/images.ts';
import { ensureNodePrograms } from './node/programs.ts';
import { refusal } from './node/refusal.ts';
import { ensurePlane, planesOfTheDay } from './planes.ts';

type Say = (line: string) => void;

const ci = join(import.meta.dirname, '..', '.ci');
const say: Say = (line) => void process.stdout.write(`${line}\n`);

/** Versions of Node that `.ci/package-smoke` runs the package on. */
function fetchNodes(): void {
  const versions = readFileSync(join(ci, 'node-versions.txt'), 'utf8').match(/^\d.*$/gm) ?? [];
  for (const name of chosenPlatforms([])) for (const version of versions) nodeProgram(name, version);
}

const needed: readonly (readonly [string, (say: Say) => unknown])[] = [
  ['the versions of Node', fetchNodes],
  ['Chromium', () => spawnSync('bash', [join(ci, 'browser'), 'install'], { stdio: ['ignore', 'inherit', 'inherit'] })],
  ['Prometheus', ensurePrometheus],
  ['nginx', ensureNginx],
  ['zsh', ensureZsh],
  ['fish', ensureFish],
  ['Envoy', ensureEnvoy],
  ['the control plane', ensureBinaries],
  ['helm', ensureHelm],
  ['what GitOps tools make of a status', ensureGitopsStatus],
  ...appliersOfE2e().map((name) => [`the tool ${name}`, APPLIERS[name]] as const),
  ...planesOfTheDay(Date.now()).map((plane) => [`the plane ${plane}`, () => ensurePlane(plane, say)] as const),
  ...(refusal() === undefined
    ? ([
        ['the programs of a real node', ensureNodePrograms],
        ['the images of a real node', (each: Say) => ensureNodeImages(sampledNodeImages, each)],
      ] as const)
    : []),
  ['Flagger', ensureFlagger],
];

const startedMs = performance.now();
const seconds = (): number => Math.round((performance.now() - startedMs) / 1_000);
for (const [name, ensure] of needed) {
  try {
    await ensure(say);
    say(`${name}: ready after ${seconds()} s`);
  } catch (error) {
    say(`${name}: not to be had after ${seconds()} s. ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes the picture of docs/comparison.md from a simulated release; with `--check`, fails when the committed one differs. */
import { join } from 'node:path';
import { count, duration, percent } from '../src/engine/comparison/words.ts';
import { svgOfRelease } from './comparison/picture.ts';
import { play } from './comparison/simulated-release.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';

const source = 'scripts/generate-comparison.ts';
const release = { seed: 1, perSecond: 100, weight: 10, canary: 0.005, primary: 0.0005 };
const moments = play(release, 20 * 60);
const decided = moments.find(({ judgement }) => judgement.verdict === 'bad');
if (decided === undefined) throw new Error('the simulated release is not found bad');

const { counts, seconds } = decided;
const says = [
  `Bad after ${duration(seconds)}:`,
  `canary ${count(counts.canary.failures)} of ${count(counts.canary.requests)},`,
  `primary ${count(counts.primary.failures)} of ${count(counts.primary.requests)}`,
];
const description = `Simulated with seed ${release.seed}: ${release.perSecond} requests a second, ${release.weight}% of them to a canary that fails ${percent(release.canary)}; the primary fails ${percent(release.primary)}. The bands are the intervals of both rates. They narrow with each request; after ${duration(seconds)} the canary is found bad. Its success rate stays above 99%.`;
const picture = {
  title: 'A version that fails ten times as often, 10% of 100 requests a second',
  description,
  decision: { seconds, says },
};

const path = join(import.meta.dirname, '..', 'docs', 'comparison', 'picture.svg');
export const generate: Generate = () => [{ path, text: svgOfRelease(moments, picture, source), source }];

if (import.meta.main) await runAlone(generate);

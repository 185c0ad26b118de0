import { seededRandom } from '../../src/embedded/mesh/random.ts';
import { capture } from './capture.ts';
import { clock } from './clock.ts';
import { concealment } from './concealment.ts';
import { crossNamespace } from './cross-namespace.ts';
import { dashboard } from './dashboard.ts';
import { deletion } from './deletion.ts';
import { egress } from './egress.ts';
import { files } from './files.ts';
import { forged } from './forged.ts';
import { hidden } from './hidden.ts';
import { loadTester } from './loadtester.ts';
import { outputs } from './outputs.ts';
import { policy } from './policy.ts';
import { rate } from './rate.ts';
import type { AttackClass } from './run/attack.ts';
import { scaling } from './scaling.ts';
import { sizes } from './sizes.ts';
import { templates } from './templates.ts';
import { verbs } from './verbs.ts';

export const classes: readonly AttackClass[] = [
  templates,
  sizes,
  forged,
  crossNamespace,
  egress,
  concealment,
  outputs,
  dashboard,
  verbs,
  capture,
  scaling,
  deletion,
  clock,
  rate,
  loadTester,
  files,
  hidden,
  policy,
];

export const playableOnEmbedded = classes.filter(({ needs }) => needs === undefined);

/** A sample of these classes. `ATTACK_SHARE=1` is all of them, `ATTACK_SEED=9` another sample, and `ATTACK=EGR` chooses among all. */
export function chosenOf(all: readonly AttackClass[], usualShare: number): { classes: AttackClass[]; seed: number } {
  const { ATTACK, ATTACK_SHARE = ATTACK ? 1 : usualShare, ATTACK_SEED = 14 } = process.env;
  const seed = Number(ATTACK_SEED);
  return { classes: sampleOf(all, Number(ATTACK_SHARE), seed), seed };
}

/** Every class with this share of its attacks, chosen by the seed; at least one of each. */
function sampleOf(all: readonly AttackClass[], share: number, seed: number): AttackClass[] {
  const random = seededRandom(seed);
  return all.map((one) => {
    const ranked = one.attacks.map((attack) => ({ attack, rank: random() })).toSorted((a, b) => a.rank - b.rank);
    const kept = new Set(ranked.slice(0, Math.max(1, Math.ceil(share * ranked.length))).map(({ attack }) => attack));
    return { ...one, attacks: one.attacks.filter((attack) => kept.has(attack)) };
  });
}

import { expect, it } from 'vitest';
import { releasing } from '../../../test/fakes/releasing.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { Phase } from '../../api/phase.ts';
import { type Routes, weight } from '../../api/routes.ts';
import { type Fallback, fallbackOf } from './refused-edit.ts';

const header = [{ headers: { user: { exact: 'a' } } }];
const refusal = { reason: 'InvalidSpec', message: 'bad' } as const;
const weighted = (percent: number): Routes => ({ kind: 'weighted', canary: weight(percent) });

/** The fallback of a release at 20% whose spec is refused, and of which the controller knows only its status. */
async function fallback(phase: Phase, step: string, routesBy: (canary: Canary) => Routes | undefined): Promise<Fallback | undefined> {
  const { canary } = releasing({ match: header });
  const { status } = canary;
  const release = status?.release && { ...status.release, step, routes: weighted(20) };
  const raw = JSON.parse(JSON.stringify({ ...canary, status: { ...status, phase, release } })) as KubeObject;
  const router = { watches: () => [], readRoutes: routesBy };
  const deps = {
    clock: { nowMs: () => 1_000_000 },
    accepted: async () => [],
    anchors: { originalSpec: async () => undefined },
    view: {},
    admit: { guess: async (one: KubeObject) => ({ canary: one, router }) },
  };
  return fallbackOf(raw, refusal, undefined, deps as never, new AbortController().signal);
}

it.each(Phase.options)(
  'E65: an edit that is refused in %s is run by what traffic needs to go home, where any may have moved',
  async (phase) => {
    const found = await fallback(phase, 'analysing', () => weighted(20));
    if (['', 'Initializing', 'Waiting'].includes(phase)) expect(found).toBeUndefined();
    else expect(found?.refused).toMatchObject({ reason: 'InvalidSpec', uncheckedUntilMs: 1_060_000 });
    expect(await fallback(phase, 'resting', () => weighted(20))).toBeUndefined();
  },
);

const isMatched = ({ spec }: Canary): boolean => spec.analysis.match !== undefined;

it.each([
  { finds: 'the recorded routes with the users of the spec', routes: { matched: weighted(20), plain: weighted(50) }, keepsUsers: true },
  { finds: 'the recorded routes without them', routes: { matched: weighted(50), plain: weighted(20) }, keepsUsers: false },
  { finds: 'other routes by both', routes: { matched: weighted(50), plain: weighted(60) }, keepsUsers: true },
  { finds: 'other routes without them alone', routes: { plain: weighted(60) }, keepsUsers: false },
  { finds: 'none', routes: {}, keepsUsers: true },
])('E65: a possible spec that finds $finds is used', async ({ routes, keepsUsers }) => {
  const { matched, plain }: { matched?: Routes; plain?: Routes } = routes;
  const found = await fallback('Progressing', 'analysing', (canary) => (isMatched(canary) ? matched : plain));
  expect(found && isMatched(found.canary)).toBe(keepsUsers);
});

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { aCanary, initialized, World } from '../../../test/fakes/world.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { summaryOf } from '../../reading/canary-reading.ts';
import type { CanarySummary } from '../../reading/documents/canary-documents.ts';
import { CanaryList } from '../output/documents.ts';
import { Output, type OutputFlags } from '../output/output.ts';
import { listAnswer, phaseText } from './list-command.ts';

/** A Canary at 20%, an idle Canary, a Canary that no controller has reconciled, and a Canary whose spec is a text. */
function items() {
  const released = initialized(aCanary({ stepWeight: 20 }));
  released.pushUntil('s1:b', ({ canary }) => canary.status?.canaryWeight === 20);
  const broken = { ...aCanary(), metadata: { name: 'broken', namespace: 'test' }, spec: 'none' };
  return [released.canary, initialized().canary, new World().canary, broken].map((canary) => summaryOf(asStored(canary)));
}

const asStored = (canary: object): KubeObject => JSON.parse(JSON.stringify(canary));

async function rendered(flags: OutputFlags, ofAll = false): Promise<string> {
  const streams = { out: { write: () => undefined }, err: { write: () => undefined } };
  return new Output(flags, {}, streams).render(listAnswer(items(), ofAll, { nowMs: 1_130_000 }));
}

describe('serin list', () => {
  it('shows phase, traffic and failed checks in 80 columns', async () => {
    const lines = (await rendered({}, true)).trimEnd().split('\n');
    expect(lines).toEqual([
      'NAMESPACE  NAME     PHASE        CANARY TRAFFIC    STEP    FAILED  SINCE',
      'test       podinfo  Progressing  [##--------] 20%  1 of 5  0 of 3  2m',
      'test       podinfo  Initialized  [----------] 0%   -       0 of 3  2m',
      'test       podinfo  unseen       [----------] 0%   -       0 of 3  -',
      'test       broken   unseen       [----------] 0%   -       0       -',
    ]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
  it.each([
    [{}, 'Progressing'],
    [{ suspended: true }, 'Progressing (suspended)'],
    [{ suspended: true, aside: true }, 'Progressing (left to another controller)'],
    [{ aside: true, deleting: true }, 'Progressing (being deleted)'],
  ])('DF825: marks the phase of a Canary with %j', (about, shown) => {
    expect(phaseText({ phase: 'Progressing', suspended: false, ...about } as CanarySummary)).toBe(shown);
  });
  it('DF825: reads that from the annotation', () => {
    const canary = aCanary({});
    expect(summaryOf(asStored(canary))).not.toHaveProperty('aside');
    canary.metadata.annotations = { 'serin.dev/left-to-another-controller': '2026-11-29T22:00:00Z' };
    expect(summaryOf(asStored(canary))).toMatchObject({ aside: true });
  });
  it('-o wide adds target, provider, images and sentence', async () => {
    expect(await rendered({ output: 'wide' })).toMatch(
      /^NAME .* TARGET +PROVIDER +IMAGES +MESSAGE\n.* Deployment\/podinfo +- +- +Checks the canary every 10s/,
    );
  });
  it('-o name is what kubectl takes', async () => {
    expect(await rendered({ output: 'name' })).toBe(`${'canary.flagger.app/podinfo\n'.repeat(3)}canary.flagger.app/broken\n`);
  });
  it.each(['json', 'yaml'] as const)('-o %s is the document of the schema', async (output) => {
    const list = CanaryList.parse(parse(await rendered({ output })));
    expect(list.items[0]).toMatchObject({ phase: 'Progressing', traffic: { kind: 'weighted', primary: 80, canary: 20 }, threshold: 3 });
  });
});

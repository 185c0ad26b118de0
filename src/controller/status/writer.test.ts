import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { mergeJson } from '../../base/json-merge.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { HealingBrake } from '../objects/healing-brake.ts';
import { draftStatus } from './draft.ts';
import { SentencePause } from './sentence-pause.ts';
import { StatusWriter } from './writer.ts';

const { signal } = new AbortController();
const condition = (type: string, message: string) => ({ type, status: 'True', reason: type, message }) as const;
/** Another writer's condition, larger than the limit of a whole status. */
const foreign = condition('Foreign', 'x'.repeat(300_000));

/** Writes the status of an idle Canary that had these conditions; returns what it was stored with, and the messages of the events. */
async function written(...conditions: ReturnType<typeof condition>[]): Promise<{ stored: string | undefined; events: string[] }> {
  const world = initialized(aCanary());
  const { status } = world.canary;
  if (!status) throw new Error('not initialized');
  const canary: Canary = { ...world.canary, status: { ...status, conditions: [...(status.conditions ?? []), ...conditions] } };
  const events: string[] = [];
  const patch = async (_: unknown, change: object) => mergeJson(canary, change) as KubeObject;
  const deps = {
    config: { kstatus: false },
    ...{ writer: 'w1', clock: handClock(), clockAheadMs: () => 0, cluster: { patch }, metrics: { phaseChanged: () => undefined } },
    view: { find: () => ({ object: canary }), learn: () => undefined },
    announceOn: (_: unknown, { message }: { message: string }) => void events.push(message),
  } as unknown as ControllerDeps;
  const brake = new HealingBrake();
  const outcome = await new StatusWriter(deps).write(canary, world.facts(), [], {
    brake,
    warnings: [],
    acceptedGeneration: undefined,
    willWrite: () => undefined,
    signal,
  });
  const after = 'canary' in outcome ? outcome.canary.status?.conditions : [];
  return { stored: after?.find(({ type }) => type === 'StatusTruncated')?.message, events };
}

it('DF605: a status that is stored without a part has one event, and another one only when another part is left out', async () => {
  const { stored = '', events } = await written(foreign);
  expect(stored).toContain('is stored without the end of long texts');
  expect(events).toEqual([stored]);
  expect(await written(foreign, condition('StatusTruncated', stored))).toEqual({ stored, events: [] });
  expect(await written(foreign, condition('StatusTruncated', 'is stored without another part'))).toEqual({ stored, events: [stored] });
  expect(await written(foreign, condition('Other', stored))).toEqual({ stored, events: [stored] });
});

it('DF605: a part that does not fit is not written again, as long as the rest is stored', () => {
  const world = initialized(aCanary());
  const { status } = world.canary;
  if (!status) throw new Error('not initialized');
  const canary: Canary = { ...world.canary, status: { ...status, conditions: [...(status.conditions ?? []), foreign] } };
  const draft = (stored: object) => {
    const around = {
      stored,
      signature: { writer: 'w1' },
      brake: new HealingBrake(),
      sentence: new SentencePause(),
      warnings: [],
      kstatus: false,
    };
    return draftStatus(canary, world.facts(), undefined, around);
  };
  const first = draft(status);
  expect([first?.patch, first?.truncated]).toEqual([expect.anything(), expect.stringContaining('the end of long texts')]);
  const stored = first?.signed ?? {};
  expect(draft(stored)).toEqual({ phase: 'Initialized', status: { ...first?.status, release: first?.signed?.release } });
});

import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ApiError } from '../../kube/errors.ts';
import { type ConditionUpdate, ProviderConditions } from './provider-conditions.ts';

const answering = (status: 'True' | 'False', message = 'm'): ConditionUpdate => ({
  type: 'Answering',
  status,
  reason: status === 'True' ? 'Answered' : 'Unanswered',
  message,
});
const template = (conditions?: object[]): KubeObject => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'MetricTemplate',
  metadata: { name: 'errors', namespace: 'test', uid: 'u', generation: 3, resourceVersion: '7' },
  spec: {},
  ...(conditions && { status: { conditions } }),
});

/** An API server that stores, or answers as the test says; and a clock that only the test turns. */
function deps({ refuses, prunes = false, leads = true }: { refuses?: ApiError; prunes?: boolean; leads?: boolean } = {}) {
  const clock = handClock(1_000_000_000_000);
  const patches: unknown[] = [];
  const warned: object[] = [];
  let stored = template();
  const conditions = new ProviderConditions({
    cluster: {
      async patch(_, patch, options) {
        expect(options?.subresource).toBe('status');
        patches.push(patch);
        if (refuses) throw refuses;
        return { ...template(), ...(prunes ? {} : { status: (patch as KubeObject).status }) };
      },
    },
    clock,
    log: { debug: () => undefined, info: () => undefined, warn: (fields) => warned.push(fields), error: () => undefined },
    mayWrite: () => leads,
    learn: (object) => {
      stored = object;
    },
  });
  const turn = async (ms: number) => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { conditions, patches, warned, turn, stored: () => stored, timers: () => clock.pending };
}

it('a sooner write of an object replaces its waiting one, and writes both conditions at once', async () => {
  const { conditions, patches, turn, timers, stored } = deps();
  conditions.report(template(), answering('True'));
  await turn(0);
  conditions.report(stored(), answering('False', 'down'));
  await turn(1_000);
  conditions.report(stored(), { type: 'Valid', status: 'True', reason: 'Valid', message: '' });
  expect(timers()).toBe(1);
  await turn(0);
  expect([patches.length, timers()]).toEqual([2, 0]);
  expect(raw(patches[1] as object).status.conditions).toMatchObject([
    { type: 'Answering', status: 'False' },
    { type: 'Valid', status: 'True' },
  ]);
});

it('a condition is written with the version that it was made for, and others stay', async () => {
  const { conditions, patches, turn } = deps();
  const other = { type: 'Valid', status: 'True', reason: 'Valid', message: '' };
  conditions.report(template([other]), answering('False', 'down'));
  await turn(0);
  expect(patches).toEqual([
    {
      metadata: { resourceVersion: '7' },
      status: {
        conditions: [
          other,
          {
            ...answering('False', 'down'),
            lastUpdateTime: '2001-09-09T01:46:40Z',
            lastTransitionTime: '2001-09-09T01:46:40Z',
            observedGeneration: 3,
          },
        ],
      },
    },
  ]);
});

it('I8: a stored condition is not written again, and another sentence only after ten minutes', async () => {
  const { conditions, patches, turn, stored } = deps();
  conditions.report(template(), answering('False', 'down'));
  await turn(0);
  for (const message of ['down', 'down in other words', 'down again']) {
    conditions.report(stored(), answering('False', message));
    await turn(61_000);
  }
  expect(patches).toHaveLength(1);
  await turn(600_000);
  conditions.report(stored(), answering('False', 'down for long'));
  await turn(0);
  expect(patches).toHaveLength(2);
});

it('a backend that comes and goes is written once a minute at most, with its state at that time', async () => {
  const { conditions, patches, turn, stored, timers } = deps();
  conditions.report(template(), answering('False'));
  await turn(0);
  for (const status of ['True', 'False', 'True'] as const) {
    conditions.report(stored(), answering(status));
    await turn(10_000);
  }
  expect(patches).toHaveLength(1);
  await turn(30_000);
  expect(patches).toHaveLength(2);
  expect(raw(stored()).status?.conditions).toMatchObject([{ type: 'Answering', status: 'True' }]);
  conditions.report(stored(), answering('False'));
  conditions.report(stored(), answering('True'));
  await turn(60_000);
  expect(patches, 'back as it was').toHaveLength(2);
  conditions.report(stored(), answering('False'));
  conditions.stop();
  expect(timers()).toBe(0);
});

it.each([
  ['a CRD that keeps no conditions', { prunes: true }, /CRD/],
  [
    'a missing permission',
    { refuses: new ApiError('no', { status: 403, reason: 'Forbidden' }) },
    /permission to patch metrictemplates\/status/,
  ],
])('%s is logged once, and nothing is tried again', async (_, how, why) => {
  const { conditions, patches, warned, turn } = deps(how);
  for (const uid of ['a', 'b', 'c']) {
    const object = template();
    conditions.report({ ...object, metadata: { ...object.metadata, uid } }, answering('True'));
    await turn(0);
  }
  expect(patches).toHaveLength(1);
  expect(warned).toEqual([{ kind: 'MetricTemplate', reason: expect.stringMatching(why) }]);
});

it.each([
  ['a CRD without a status', new ApiError('no', { status: 404, reason: 'NotFound' }), 1],
  ['a conflict', new ApiError('no', { status: 409, reason: 'Conflict' }), 2],
])('%s harms no release', async (_, refuses, tries) => {
  const { conditions, patches, warned, turn } = deps({ refuses });
  for (const status of ['True', 'False'] as const) {
    conditions.report(template(), answering(status));
    await turn(61_000);
  }
  expect(patches).toHaveLength(tries);
  expect(warned).toEqual([]);
});

it('I9: a process that does not lead writes nothing', async () => {
  const { conditions, patches, turn } = deps({ leads: false });
  conditions.report(template(), answering('True'));
  await turn(0);
  expect(patches).toEqual([]);
});

it('a new condition does not wait for another condition that was written a moment ago', async () => {
  const { conditions, patches, turn, stored } = deps();
  conditions.report(template(), { type: 'Valid', status: 'True', reason: 'Valid', message: '' });
  await turn(0);
  conditions.report(stored(), { type: 'Valid', status: 'False', reason: 'InvalidSpec', message: '' });
  conditions.report(stored(), answering('True'));
  await turn(0);
  expect(patches).toHaveLength(2);
  expect(raw(stored()).status?.conditions).toMatchObject([
    { type: 'Valid', status: 'False' },
    { type: 'Answering', status: 'True' },
  ]);
});

it('a condition that met a conflict is written with the next version at once', async () => {
  const { conditions, patches, turn } = deps({ refuses: new ApiError('no', { status: 409, reason: 'Conflict' }) });
  conditions.report(template(), answering('True'));
  await turn(0);
  conditions.report(template(), answering('True'));
  await turn(0);
  expect(patches).toHaveLength(2);
});

import { expect } from 'vitest';
import { Verb } from '../../src/api/verb-request.ts';
import { raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
import type { Tenant } from './run/tenant.ts';

const DAY_MS = 86_400_000;
const at = (shiftMs = 0) => new Date(Date.now() + shiftMs).toISOString();
const ask = (tenant: Tenant, text: string) => tenant.edit(tenant.canaryRef, { metadata: { annotations: { 'serin.dev/request': text } } });
const answers = async ({ field, canaryRef }: Tenant): Promise<{ id: string; outcome: string }[]> =>
  raw(await field.client.get(canaryRef))?.status?.release?.requests ?? [];
/** A release that does not end by itself, with these requests. */
const during =
  (...texts: ((tenant: Tenant) => string)[]) =>
  async (tenant: Tenant) => {
    await tenant.release({ iterations: 1000, stepWeight: undefined, maxWeight: undefined });
    await tenant.until('a release', ({ phase }) => phase === 'Progressing');
    for (const text of texts) await ask(tenant, text(tenant));
  };
const refusedThen = {
  async holds(tenant: Tenant) {
    await tenant.until('a refusal', ({ events }) => events.some((event) => event.startsWith('RequestRejected')));
    expect((await answers(tenant)).map(({ outcome }) => outcome)).not.toContain('carriedOut');
    expect(tenant.says().phase).toBe('Progressing');
  },
};

export const verbs: AttackClass = {
  name: 'verbs',
  title: 'requests by annotation, where no admission policy holds them',
  attacks: numbered('VRB', [
    attack(
      'issue 14',
      'a promotion that is dated an hour ahead',
      refusedThen,
      during(() => `promote a1 ${at(3_600_000)} ann`),
    ),
    attack(
      'issue 14',
      'a promotion that is dated in the year 9999',
      refusedThen,
      during(() => 'promote a1 9999-12-31T23:59:59Z ann'),
    ),
    attack(
      'CWE-345',
      'a promotion of yesterday',
      refusedThen,
      during(() => `promote a1 ${at(-DAY_MS)} ann`),
    ),
    attack(
      'CWE-681',
      'a promotion of 1970',
      refusedThen,
      during(() => 'promote a1 1970-01-01T00:00:00Z ann'),
    ),
    attack(
      'CWE-681',
      'a promotion at no time',
      refusedThen,
      during(() => 'promote a1 NaN ann'),
    ),
    attack(
      'CWE-20',
      'a verb that does not exist',
      refusedThen,
      during(() => `delete a1 ${at()} ann`),
    ),
    attack(
      'CWE-1321',
      'a verb of the prototype',
      refusedThen,
      during(() => `constructor a1 ${at()} ann`),
    ),
    attack(
      'CWE-1007',
      'a verb in capitals',
      refusedThen,
      during(() => `PROMOTE a1 ${at()} ann`),
    ),
    attack(
      'CWE-1007',
      'a verb with a letter of another alphabet',
      refusedThen,
      during(() => `promоte a1 ${at()} ann`),
    ),
    attack(
      'CWE-22',
      'an id that is a path',
      refusedThen,
      during(() => `promote ../a ${at()} ann`),
    ),
    attack(
      'CWE-770',
      'a name of 200 KB',
      refusedThen,
      during(() => `promote a1 ${at()} ${'x'.repeat(200_000)}`),
    ),
    attack(
      'CWE-1333',
      'a request of 200 KB of spaces',
      refusedThen,
      during(() => ' '.repeat(200_000)),
    ),
    attack(
      'CWE-20',
      'a request without a name',
      refusedThen,
      during(() => `promote a1 ${at()} `),
    ),
    attack(
      'CWE-345',
      'the same rollback a second time, at the next release',
      {
        async holds(tenant) {
          expect((await answers(tenant)).filter(({ id }) => id === 'r1')).toHaveLength(1);
        },
      },
      async (tenant) => {
        await during(() => `rollback r1 ${at()} ann`)(tenant);
        await tenant.until('an end', ({ phase }) => phase === 'Failed');
        await tenant.push('3');
        await tenant.until('a release', ({ phase }) => phase === 'Progressing');
        await ask(tenant, `rollback r1 ${at()} bob`);
        await tenant.edit(tenant.canaryRef, { metadata: { annotations: { seen: 'yes' } } });
      },
    ),
    attack(
      'CWE-400',
      'sixty requests, as fast as they can be written',
      {
        async holds(tenant) {
          expect((await answers(tenant)).length).toBeLessThanOrEqual(10);
        },
      },
      during(...Array.from({ length: 60 }, (_, n) => () => `${Verb.options[n % 4 === 3 ? 2 : 3]} s${n} ${at()} ann`)),
    ),
    attack(
      'CVE-2021-25735',
      'a Canary that is created with a promotion',
      {
        async holds(tenant) {
          await tenant.until('a refusal', ({ events }) => events.some((event) => event.startsWith('RequestRejected')));
        },
      },
      async (tenant) => {
        const canary = tenant.canary({ iterations: 1000, stepWeight: undefined, maxWeight: undefined });
        canary.metadata.annotations = { 'serin.dev/request': `promote a1 ${at()} ann` };
        await tenant.make(aDeployment(tenant.namespace, tenant.name), canary);
        await tenant.isReady();
      },
    ),
    attack('CWE-345', 'an answer that is forged before the request', harmless, async (tenant) => {
      await tenant.app();
      await tenant.isReady();
      await tenant.edit(
        tenant.canaryRef,
        { status: { release: { requests: [{ id: 'a1', outcome: 'carriedOut', atMs: 1e300, by: '__proto__' }, 'x', null] } } },
        { subresource: 'status' },
      );
      await ask(tenant, `promote a1 ${at()} ann`);
    }),
  ]),
  uncovered: ['requests in the name of another user: without the policy each editor can write any name (docs/verbs.md).'],
};

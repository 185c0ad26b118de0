import { expect } from 'vitest';
import { Verb } from '../../src/api/verb-request.ts';
import { raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type AttackClass, numbered } from './run/attack.ts';
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
    {
      what: 'a promotion that is dated an hour ahead',
      from: 'issue 14',
      do: during(() => `promote a1 ${at(3_600_000)} ann`),
      expects: refusedThen,
    },
    {
      what: 'a promotion that is dated in the year 9999',
      from: 'issue 14',
      do: during(() => 'promote a1 9999-12-31T23:59:59Z ann'),
      expects: refusedThen,
    },
    { what: 'a promotion of yesterday', from: 'CWE-345', do: during(() => `promote a1 ${at(-DAY_MS)} ann`), expects: refusedThen },
    { what: 'a promotion of 1970', from: 'CWE-681', do: during(() => 'promote a1 1970-01-01T00:00:00Z ann'), expects: refusedThen },
    { what: 'a promotion at no time', from: 'CWE-681', do: during(() => 'promote a1 NaN ann'), expects: refusedThen },
    { what: 'a verb that does not exist', from: 'CWE-20', do: during(() => `delete a1 ${at()} ann`), expects: refusedThen },
    { what: 'a verb of the prototype', from: 'CWE-1321', do: during(() => `constructor a1 ${at()} ann`), expects: refusedThen },
    { what: 'a verb in capitals', from: 'CWE-1007', do: during(() => `PROMOTE a1 ${at()} ann`), expects: refusedThen },
    {
      what: 'a verb with a letter of another alphabet',
      from: 'CWE-1007',
      do: during(() => `promоte a1 ${at()} ann`),
      expects: refusedThen,
    },
    { what: 'an id that is a path', from: 'CWE-22', do: during(() => `promote ../a ${at()} ann`), expects: refusedThen },
    { what: 'a name of 200 KB', from: 'CWE-770', do: during(() => `promote a1 ${at()} ${'x'.repeat(200_000)}`), expects: refusedThen },
    { what: 'a request of 200 KB of spaces', from: 'CWE-1333', do: during(() => ' '.repeat(200_000)), expects: refusedThen },
    { what: 'a request without a name', from: 'CWE-20', do: during(() => `promote a1 ${at()} `), expects: refusedThen },
    {
      what: 'the same rollback a second time, at the next release',
      from: 'CWE-345',
      async do(tenant) {
        await during(() => `rollback r1 ${at()} ann`)(tenant);
        await tenant.until('an end', ({ phase }) => phase === 'Failed');
        await tenant.push('3');
        await tenant.until('a release', ({ phase }) => phase === 'Progressing');
        await ask(tenant, `rollback r1 ${at()} bob`);
        await tenant.edit(tenant.canaryRef, { metadata: { annotations: { seen: 'yes' } } });
      },
      expects: {
        async holds(tenant) {
          expect((await answers(tenant)).filter(({ id }) => id === 'r1')).toHaveLength(1);
        },
      },
    },
    {
      what: 'sixty requests, as fast as they can be written',
      from: 'CWE-400',
      do: during(...Array.from({ length: 60 }, (_, n) => () => `${Verb.options[n % 4 === 3 ? 2 : 3]} s${n} ${at()} ann`)),
      expects: {
        async holds(tenant) {
          expect((await answers(tenant)).length).toBeLessThanOrEqual(10);
        },
      },
    },
    {
      what: 'a Canary that is created with a promotion',
      from: 'CVE-2021-25735',
      async do(tenant) {
        const canary = tenant.canary({ iterations: 1000, stepWeight: undefined, maxWeight: undefined });
        canary.metadata.annotations = { 'serin.dev/request': `promote a1 ${at()} ann` };
        await tenant.make(aDeployment(tenant.namespace, tenant.name), canary);
        await tenant.isReady();
      },
      expects: {
        async holds(tenant) {
          await tenant.until('a refusal', ({ events }) => events.some((event) => event.startsWith('RequestRejected')));
        },
      },
    },
    {
      what: 'an answer that is forged before the request',
      from: 'CWE-345',
      async do(tenant) {
        await tenant.app();
        await tenant.isReady();
        await tenant.edit(
          tenant.canaryRef,
          { status: { release: { requests: [{ id: 'a1', outcome: 'carriedOut', atMs: 1e300, by: '__proto__' }, 'x', null] } } },
          { subresource: 'status' },
        );
        await ask(tenant, `promote a1 ${at()} ann`);
      },
      expects: { harmless: true },
    },
  ]),
  uncovered: ['requests in the name of another user: without the policy each editor can write any name (docs/verbs.md).'],
};

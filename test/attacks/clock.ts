import { type Attack, type AttackClass, numbered } from './run/attack.ts';
import { json } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

const harmless: Pick<Attack, 'expects'> = { expects: { harmless: true } };
const interval = (text: string, field = 'interval') => ({
  what: `an interval of "${text}"`,
  from: 'CWE-681' as const,
  do: (tenant: Tenant) => tenant.app({ interval: text }),
  expects: { names: field },
});
const metric = { name: 'm', query: 'up', thresholdRange: { min: 0 } };
const status = (patch: object) => async (tenant: Tenant) => {
  await tenant.app();
  await tenant.isReady();
  await tenant.edit(tenant.canaryRef, { status: patch }, { subresource: 'status' });
  await tenant.push('2');
};

export const clock: AttackClass = {
  name: 'clock',
  title: 'times, dates and numbers',
  isRestarted: true,
  attacks: numbered('CLK', [
    interval('-1s'),
    interval('NaNs'),
    interval('∞'),
    interval('1e9h'),
    interval('9999999999999999999h'),
    interval('h'.repeat(1000)),
    interval('٣s'),
    { what: 'an interval of 292 years', from: 'CWE-681', do: (tenant) => tenant.release({ interval: '2562047h' }), ...harmless },
    { what: 'an interval of no time', from: 'CWE-400', do: (tenant) => tenant.release({ interval: '0s' }), ...harmless },
    { what: 'an interval of a nanosecond', from: 'CWE-400', do: (tenant) => tenant.release({ interval: '1ns' }), ...harmless },
    {
      what: 'a progress deadline of no time',
      from: 'crd',
      do: (tenant) => tenant.release({}, { progressDeadlineSeconds: 0 }),
      ...harmless,
    },
    {
      what: 'a progress deadline in the past',
      from: 'crd',
      do: (tenant) => tenant.app({}, { progressDeadlineSeconds: -1 }),
      expects: { harmless: true },
    },
    {
      what: 'a progress deadline beyond all timers',
      from: 'CWE-681',
      do: (tenant) => tenant.release({}, { progressDeadlineSeconds: 1e15 }),
      ...harmless,
    },
    { what: 'a threshold beyond all numbers', from: 'CWE-681', do: (tenant) => tenant.release({ threshold: 1e300 }), ...harmless },
    {
      what: 'iterations beyond all numbers',
      from: 'CWE-681',
      do: (tenant) => tenant.release({ iterations: 1e300, stepWeight: undefined, maxWeight: undefined }),
      ...harmless,
    },
    { what: 'a webhook that may take a year', from: 'CWE-400', do: (tenant) => tenant.hooked({ timeout: '8760h' }), ...harmless },
    { what: 'a webhook that may take no time', from: 'crd', do: (tenant) => tenant.hooked({ timeout: '0s' }), ...harmless },
    {
      what: 'a webhook with a billion tries',
      from: 'CWE-400',
      async do(tenant) {
        tenant.field.own.answers(`/${tenant.name}`, json({}, 503, { 'retry-after': '0' }));
        await tenant.hooked({ retries: 1_000_000_000, timeout: '2s' });
      },
      ...harmless,
    },
    {
      what: 'a webhook that says to come back in the year 9999',
      from: 'CWE-681',
      async do(tenant) {
        tenant.field.own.answers(`/${tenant.name}`, json({}, 429, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }));
        await tenant.hooked({ retries: 3 });
      },
      ...harmless,
    },
    {
      what: 'a delay of a thousand years before the first check',
      from: 'CWE-681',
      do: (tenant) => tenant.release({ metrics: [{ ...metric, initialDelay: '8760000h' }] }),
      ...harmless,
    },
    {
      what: 'a quantile outside',
      from: 'CWE-681',
      do: (tenant) => tenant.app({ metrics: [{ name: 'request-duration', quantile: 7, thresholdRange: { max: 1 } }] }),
      expects: { names: 'quantile' },
    },
    { what: 'a window of a million years', from: 'CWE-681', do: (tenant) => tenant.measured({ window: '8760000000h' }), ...harmless },
    {
      what: 'a timeout of a template that is negative',
      from: 'CWE-681',
      do: (tenant) => tenant.measured({ provider: { timeout: '-5s' } }),
      expects: { names: 'timeout' },
    },
    {
      what: 'a cookie that lasts for ever',
      from: 'CWE-681',
      do: (tenant) =>
        tenant.app({ stepWeight: 50, maxWeight: 50, sessionAffinity: { cookieName: 'a', maxAge: 1e300 } }, { provider: 'istio' }),
      expects: { names: 'maxAge' },
    },
    { what: 'a transition in 1970', from: 'CWE-681', do: status({ lastTransitionTime: '1970-01-01T00:00:00Z' }), ...harmless },
    { what: 'a transition in the year 9999', from: 'CWE-681', do: status({ lastTransitionTime: '9999-12-31T23:59:59Z' }), ...harmless },
    {
      what: 'a release that began at no time',
      from: 'CWE-681',
      do: status({ release: { startedAtMs: -1e300, stepAtMs: 8.64e15 + 1, wakeAtMs: 1e300 } }),
      ...harmless,
    },
  ]),
  uncovered: ['the clock of the node: a lease and a release under clocks that jump are in src/kube/lease-invariants.simulated.test.ts.'],
};

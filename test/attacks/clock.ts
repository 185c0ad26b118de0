import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
import { json } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

const interval = (text: string, field = 'interval') =>
  attack('CWE-681' as const, `an interval of "${text}"`, { names: field }, (tenant: Tenant) => tenant.app({ interval: text }));
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
    attack('CWE-681', 'an interval of 292 years', harmless, (tenant) => tenant.release({ interval: '2562047h' })),
    attack('CWE-400', 'an interval of no time', harmless, (tenant) => tenant.release({ interval: '0s' })),
    attack('CWE-400', 'an interval of a nanosecond', harmless, (tenant) => tenant.release({ interval: '1ns' })),
    attack('crd', 'a progress deadline of no time', harmless, (tenant) => tenant.release({}, { progressDeadlineSeconds: 0 })),
    attack('crd', 'a progress deadline in the past', harmless, (tenant) => tenant.app({}, { progressDeadlineSeconds: -1 })),
    attack('CWE-681', 'a progress deadline beyond all timers', harmless, (tenant) => tenant.release({}, { progressDeadlineSeconds: 1e15 })),
    attack('CWE-681', 'a threshold beyond all numbers', harmless, (tenant) => tenant.release({ threshold: 1e300 })),
    attack('CWE-681', 'iterations beyond all numbers', harmless, (tenant) =>
      tenant.release({ iterations: 1e300, stepWeight: undefined, maxWeight: undefined }),
    ),
    attack('CWE-400', 'a webhook that may take a year', harmless, (tenant) => tenant.hooked({ timeout: '8760h' })),
    attack('crd', 'a webhook that may take no time', harmless, (tenant) => tenant.hooked({ timeout: '0s' })),
    attack('CWE-400', 'a webhook with a billion tries', harmless, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, json({}, 503, { 'retry-after': '0' }));
      await tenant.hooked({ retries: 1_000_000_000, timeout: '2s' });
    }),
    attack('CWE-681', 'a webhook that says to come back in the year 9999', harmless, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, json({}, 429, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }));
      await tenant.hooked({ retries: 3 });
    }),
    attack('CWE-681', 'a delay of a thousand years before the first check', harmless, (tenant) =>
      tenant.release({ metrics: [{ ...metric, initialDelay: '8760000h' }] }),
    ),
    attack('CWE-681', 'a quantile outside', { names: 'quantile' }, (tenant) =>
      tenant.app({ metrics: [{ name: 'request-duration', quantile: 7, thresholdRange: { max: 1 } }] }),
    ),
    attack('CWE-681', 'a window of a million years', harmless, (tenant) => tenant.measured({ window: '8760000000h' })),
    attack('CWE-681', 'a timeout of a template that is negative', { names: 'timeout' }, (tenant) =>
      tenant.measured({ provider: { timeout: '-5s' } }),
    ),
    attack('CWE-681', 'a cookie that lasts for ever', { names: 'maxAge' }, (tenant) =>
      tenant.app({ stepWeight: 50, maxWeight: 50, sessionAffinity: { cookieName: 'a', maxAge: 1e300 } }, { provider: 'istio' }),
    ),
    attack('CWE-681', 'a transition in 1970', harmless, status({ lastTransitionTime: '1970-01-01T00:00:00Z' })),
    attack('CWE-681', 'a transition in the year 9999', harmless, status({ lastTransitionTime: '9999-12-31T23:59:59Z' })),
    attack(
      'CWE-681',
      'a release that began at no time',
      harmless,
      status({ release: { startedAtMs: -1e300, stepAtMs: 8.64e15 + 1, wakeAtMs: 1e300 } }),
    ),
  ]),
  uncovered: ['the clock of the node: a lease and a release under clocks that jump are in src/kube/lease-invariants.simulated.test.ts.'],
};

import { expect, it } from 'vitest';
import { inWords, type Summary, smallestStep } from './summary.ts';

const whole = { 'patch canaries/status': 1, 'patch virtualservices': 1, 'create events': 1 };
const times = (count: number, extra: Record<string, number> = {}) =>
  Object.fromEntries(Object.entries({ ...whole, ...extra }).map(([what, one]) => [what, one * count]));

it('a step costs what lies between two weights, not what a late route write makes of it', () => {
  const waypoints = [
    { weight: 0, iterations: 0, requests: {} },
    { weight: 20, iterations: 0, requests: { 'patch canaries/status': 1 } },
    { weight: 40, iterations: 0, requests: { ...times(2), 'patch virtualservices': 2 } },
    { weight: 60, iterations: 0, requests: times(3) },
    { weight: 0, iterations: 0, requests: times(9) },
  ];
  expect(smallestStep(waypoints)).toEqual(whole);
});

it('without a mesh a step is a check that passed', () => {
  const status = (count: number) => ({ 'patch canaries/status': count, 'create events': count });
  const waypoints = [1, 2].map((iterations) => ({ weight: 0, iterations, requests: status(iterations) }));
  expect(smallestStep(waypoints)).toEqual(status(1));
});

it('a failed demo ends with the reason and the log, and shows no figures that it does not have', () => {
  const summary: Summary = {
    provider: 'istio',
    ok: false,
    failure: 'the controller ended by itself (exit code 1)',
    releases: [],
    kill: { downMs: 0, weightBefore: 0, weightAfter: 0, iterationsBefore: 0, iterationsAfter: 0 },
    requestsLost: 0,
    apiRequests: { atRestIn2s: {}, perStep: {} },
    seconds: 3,
    log: '/tmp/serin-demo/controller.log',
  };
  const lines = inWords(summary, true);
  expect(lines.slice(-2)).toEqual([
    'Failed: the controller ended by itself (exit code 1)',
    'The controller’s log: /tmp/serin-demo/controller.log',
  ]);
  expect(lines.join('\n')).not.toMatch(/verdict|kill -9|while idle/);
});

it.each([
  [true, 'npm run demo -- --keep'],
  [false, 'serin demo --keep'],
])('a demo that ended well names what can be run where it was started (checkout: %s)', (isFromCheckout, next) => {
  const summary: Summary = {
    provider: 'istio',
    ok: true,
    releases: [],
    kill: { downMs: 0, weightBefore: 0, weightAfter: 0, iterationsBefore: 0, iterationsAfter: 0 },
    requestsLost: 0,
    apiRequests: { atRestIn2s: {}, perStep: {} },
    seconds: 3,
  };
  const text = inWords(summary, isFromCheckout).join('\n');
  expect(text).toContain(`  ${next} `);
  expect(text.includes('npm run')).toBe(isFromCheckout);
});

import { expect, it } from 'vitest';
import { inWords, type ReleaseResult, type Summary, smallestStep, unexpectedEnd } from './summary.ts';

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
  const lines = inWords(summary);
  expect(lines.slice(-2)).toEqual([
    'Failed: the controller ended by itself (exit code 1)',
    'The controller’s log: /tmp/serin-demo/controller.log',
  ]);
  expect(lines.join('\n')).not.toMatch(/verdict|kill -9|while idle/);
});

it('without a mesh the shown step is not a step that also promotes', () => {
  const checked = { 'patch canaries/status': 1, 'create events': 1 };
  const waypoints = [
    { weight: 0, iterations: 1, requests: {} },
    { weight: 0, iterations: 2, requests: checked },
    { weight: 0, iterations: 3, requests: { 'patch canaries/status': 4, 'create events': 3, 'patch services': 1 } },
  ];
  expect(smallestStep(waypoints)).toEqual(checked);
});

it('the shown step is not a step in which the controller was started again', () => {
  const started = { 'patch canaries/status': 1, 'create events': 1, 'list canaries': 1, 'get /api/v1': 1 };
  const waypoints = [
    { weight: 0, iterations: 1, requests: {} },
    { weight: 0, iterations: 2, requests: started },
    { weight: 0, iterations: 3, requests: { ...started, 'patch canaries/status': 2, 'create events': 2 } },
  ];
  expect(smallestStep(waypoints)).toEqual({ 'patch canaries/status': 1, 'create events': 1 });
});

it('long reasons and many requests take several lines of a usual terminal', () => {
  const release = { version: '3', expected: 'Failed', verdict: 'Failed', seconds: 8, exposure: { requests: 0, errors: 0 } } as const;
  const why = `the canary was not ready within 8 s: ${'Deployment podinfo: 0 of 3 needed pods are available '.repeat(3).trim()}`;
  const perStep = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`watch resource-${index}`, 1]));
  const lines = inWords({
    provider: 'kubernetes',
    ok: true,
    releases: [{ ...release, why }],
    kill: { downMs: 0, weightBefore: 0, weightAfter: 0, iterationsBefore: 0, iterationsAfter: 0 },
    requestsLost: 0,
    apiRequests: { atRestIn2s: {}, perStep },
    seconds: 3,
  });
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(79);
  const words = lines.map((line) => line.trim()).join(' ');
  expect(words).toContain(`why 3    ${why}`);
  expect(words).toContain('1 watch resource-11');
});

const released = (version: string, expected: ReleaseResult['expected'], verdict: string): ReleaseResult => ({
  ...{ version, expected, verdict, why: '', seconds: 9, exposure: { requests: 1, errors: 0 } },
});

it.each([
  { what: 'both ended as expected', ends: ['Succeeded', 'Failed'], failure: undefined },
  {
    what: 'the good version was rolled back',
    ends: ['Failed', 'Failed'],
    failure: /^version 2 was rolled back, and should have been promoted: .* a busy machine.* try again when it is idle$/,
  },
  {
    what: 'the bad version was promoted',
    ends: ['Succeeded', 'Succeeded'],
    failure: /^version 3 was promoted, and should have been rolled back$/,
  },
])('$what: the demo says which version ended otherwise, and what to do', ({ ends: [good = '', bad = ''], failure }) => {
  const text = unexpectedEnd([released('2', 'Succeeded', good), released('3', 'Failed', bad)]);
  expect(failure === undefined ? text === undefined : failure.test(text ?? '')).toBe(true);
});

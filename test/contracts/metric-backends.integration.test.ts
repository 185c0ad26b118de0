import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backendFor, backends } from '../../src/metrics/providers/index.ts';
import type { Measurement, MetricProvider } from '../../src/metrics/providers/metric-provider.ts';
import type { SampleChoice } from '../../src/metrics/samples.ts';
import { answersOf, STREAMED } from '../integration/credentials/echo-server.ts';
import { templates } from '../integration/credentials/templates.ts';
import { type FakeBackend, type Scenario, type SeenRequest, sourceOf } from './metric-backends/backend-case.ts';
import { allCases, backendCases } from './metric-backends/index.ts';

const signal = new AbortController().signal;

it('every backend has a case', () => {
  expect(Object.keys(backendCases).sort()).toEqual(Object.keys(backends).sort());
});

describe.each(allCases)('metric backend $title', ({ type, known }) => {
  let fake: FakeBackend;
  beforeAll(async () => {
    fake = await known.start();
  });
  afterAll(() => fake.stop());

  const { name } = known;
  const make = (choice?: SampleChoice, changes: object = {}): MetricProvider => {
    const made = backendFor({ ...sourceOf(known, type, fake.address, choice), ...changes });
    if ('problem' in made) throw new Error(made.problem);
    return made;
  };
  const asked = async (scenario: Scenario, choice?: SampleChoice, changes?: object): Promise<Measurement> => {
    fake.answersWith(scenario);
    fake.requests.splice(0);
    return make(choice, changes).runQuery(known.query, signal);
  };
  const noData = { kind: 'noData', reason: expect.any(String) };
  const unlike = (field: 'isDocumented' | 'isProbe', request: SeenRequest) =>
    `${field} of test/contracts/metric-backends/${type}.ts refuses this request of the backend: ${JSON.stringify(request)}`;

  it('sends the documented request and reads the value', async () => {
    expect(await asked('value')).toEqual({ kind: 'value', value: known.value ?? 7 });
    expect(fake.requests).not.toEqual([]);
    for (const request of fake.requests) expect(known.isDocumented(request), unlike('isDocumented', request)).toBe(true);
  });

  const { leftOut = {} } = known;
  for (const [scenario, reason] of Object.entries(leftOut))
    it(`knows no answer of the kind ${scenario}: ${reason}`, () => expect(reason.length).toBeGreaterThan(10));
  const isKnown = (scenario: Scenario): boolean => leftOut[scenario] === undefined;

  if (isKnown('noData'))
    it('distinguishes no data from zero', async () => {
      expect(await asked('noData', { strictNoData: true })).toEqual(noData);
    });

  const today = {
    null: known.null ?? 'noData',
    empty: known.empty ?? 'noData',
    NaN: known.NaN ?? 'noData',
    stale: known.stale ?? 'noData',
  };
  for (const [scenario, result] of Object.entries(today) as ['null' | 'empty' | 'NaN' | 'stale', number | string][]) {
    if (typeof result === 'string' && !['noData', 'kept'].includes(result)) {
      it(`knows no answer of the kind ${scenario}: ${result}`, () => expect(result.length).toBeGreaterThan(10));
      continue;
    }
    it(`takes ${scenario} for ${result} by default, and for no data where the template wants that`, async () => {
      const none = scenario === 'NaN' ? { ...noData, isNaN: true } : noData;
      const expected = result === 'noData' ? none : { kind: 'value', value: result === 'kept' ? Number.NaN : result };
      expect(await asked(scenario)).toEqual(expected);
      expect(await asked(scenario, { strictNoData: true })).toEqual(none);
    });
  }

  if (isKnown('severalSeries'))
    it('handles several series knowingly', async () => {
      const { ofSeveral } = known;
      const measured = await asked('severalSeries');
      if (ofSeveral === 'noData') expect(measured).toEqual(noData);
      else if (typeof ofSeveral === 'number') expect(measured).toEqual({ kind: 'value', value: ofSeveral });
      else expect(measured).toEqual({ kind: 'error', reason: expect.stringMatching(ofSeveral ?? /no rule/) });
    });

  const failures: [Scenario, RegExp][] = [
    ['refused', known.refusalShown ?? /answered 400/],
    ['badCredentials', /40[13]/],
    ['down', /50[03]/],
    ['cutOff', /cannot be queried|ended/],
    ['wrongJson', /\(no (JSON|CSV)\)/],
    ['otherJson', /without a query result|without _value/],
    ['hugeBody', /longer than 1 MiB/],
    ['redirect', /redirects to another address|302/],
  ];
  it.each(failures.filter(([scenario]) => isKnown(scenario)))('an answer that is %s is an error, in words', async (scenario, words) => {
    const code = scenario === 'refused' && known.refusalCode ? { code: known.refusalCode } : {};
    expect(await asked(scenario)).toEqual({ kind: 'error', reason: expect.stringMatching(words), ...code });
  });

  it('an answer that does not come is an error after its time, which names the backend, and an aborted one at once', async () => {
    const late = new RegExp(`^${name}.* within 100 ms`);
    expect(await asked('slow', {}, { timeoutMs: 100 })).toEqual({ kind: 'error', reason: expect.stringMatching(late) });
    fake.answersWith('slow');
    expect(await make().runQuery(known.query, AbortSignal.abort())).toEqual({ kind: 'error', reason: expect.stringMatching(/cancelled/) });
  });

  it('is online when it answers, and says why not', async () => {
    // A request that was given up can still be on its way to the former one.
    await fake.stop();
    fake = await known.start();
    fake.answersWith('value');
    expect(await make().isOnline(signal)).toBeUndefined();
    expect(fake.requests).not.toEqual([]);
    for (const request of fake.requests) expect(known.isProbe(request), unlike('isProbe', request)).toBe(true);
    fake.answersWith('down');
    expect(await make().isOnline(signal)).toEqual(expect.stringContaining(name));
  });

  it('shows no credential, in any error', async () => {
    const scenarios: Scenario[] = ['refused', 'badCredentials', 'down', 'cutOff', 'wrongJson', 'otherJson', 'redirect'];
    const answers = [];
    for (const scenario of scenarios) answers.push(await asked(scenario));
    await fake.stop();
    answers.push(await make().runQuery(known.query, signal), await make().isOnline(signal));
    fake = await known.start();
    const text = JSON.stringify(answers);
    for (const secret of [...known.planted, 'planted-page']) expect(text).not.toContain(secret);
  });

  it('treats a Secret that is only for TLS as no Secret', () => {
    const { secretRef: _, ...provider } = sourceOf(known, type, fake.address).provider;
    const made = (changes: object) => backendFor({ ...sourceOf(known, type, fake.address), ...changes });
    const tlsOnly = { secret: { 'tls.crt': 'a certificate', 'tls.key': 'its key' } };
    expect('problem' in made(tlsOnly)).toBe('problem' in made({ provider, secret: undefined }));
  });

  it('names the missing keys of a Secret', () => {
    const { secret = {} } = known.source;
    for (const key of Object.keys(secret).filter((one) => !known.optionalKeys?.includes(one))) {
      const { [key]: _, ...rest } = secret;
      const made = backendFor({ ...sourceOf(known, type, fake.address), secret: rest });
      expect(made).toEqual({ problem: expect.stringMatching(new RegExp(`shop/keys.*${key}`)) });
    }
  });
});

it.each(Object.entries(templates).filter(([, { type }]) => !STREAMED.includes(type)))(
  'the server that echoes credentials has a good answer of %s, and a refusal in its own form',
  async (_, { known }) => {
    const { good, refusal } = await answersOf(known);
    expect(good).not.toBe('');
    expect(refusal('a "word"')).toContain(known.refusalShown ? 'a \\"word\\"' : 'a "word"');
  },
);

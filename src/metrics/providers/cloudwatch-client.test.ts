import { afterEach, expect, it, vi } from 'vitest';
import { getMetricData } from './cloudwatch-client.ts';

afterEach(() => vi.unstubAllEnvs());

it('I15: with the identity of the controller each namespace sends requests by its own egress policy and turns', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'key');
  const asked: string[] = [];
  const ask = (namespace: string) => {
    const egress = () => {
      asked.push(namespace);
      return { problem: 'not here' };
    };
    const input = { MetricDataQueries: [], StartTime: new Date(0), EndTime: new Date(0) };
    const abortSignal = AbortSignal.timeout(60_000);
    return getMetricData(input, {
      region: 'eu-west-1',
      keys: undefined,
      address: undefined,
      abortSignal,
      transport: { timeoutMs: 60_000, egress },
    });
  };
  await expect(ask('hostile')).rejects.toThrow('not here');
  await expect(ask('neighbour')).rejects.toThrow('not here');
  expect(asked).toEqual(['hostile', 'neighbour']);
});

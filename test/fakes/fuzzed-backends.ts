import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { type MetricProviderType, metricProviders } from '../../src/api/metric-template.ts';
import { parseJson } from '../../src/base/json.ts';
import { backendFor } from '../../src/metrics/providers/index.ts';
import { type BackendCase, bodiesOf, sourceOf } from '../contracts/metric-backends/backend-case.ts';
import { backendCases } from '../contracts/metric-backends/index.ts';
import { changed, hostileJson, hostileText } from './hostile-values.ts';

/** Their answers have readers of their own: `readFrame`, and the client of AWS. */
const READ_ELSEWHERE: readonly MetricProviderType[] = ['splunk', 'cloudwatch'];

interface Played {
  status: number;
  body: string;
}

export interface FuzzedBackend {
  feed: fc.Arbitrary<unknown>;
  ask(value: unknown): Promise<unknown>;
  stop(): void;
}

export const fuzzedBackends = metricProviders.filter((type) => !READ_ELSEWHERE.includes(type));

/** A backend whose server answers with any fed input. */
export async function startBackend(type: MetricProviderType): Promise<FuzzedBackend> {
  let next: Played = { status: 200, body: '' };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(next.status, { 'content-type': 'application/json' }).end(next.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const known = backendCases[type];
  const made = backendFor(sourceOf(known, type, `http://127.0.0.1:${port}`));
  if ('problem' in made) throw new Error(made.problem);
  const json = fc.oneof(changed(await answersOf(known)), hostileJson).map((value) => JSON.stringify(value) ?? '');
  return {
    feed: fc.record({ status: fc.constantFrom(200, 200, 200, 400, 404), body: fc.oneof({ weight: 4, arbitrary: json }, hostileText) }),
    async ask(value) {
      next = value as Played;
      return made.runQuery(known.query, AbortSignal.timeout(60_000));
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The good answer and the refusal of the contract case, without texts that are not JSON. */
const answersOf = async (known: BackendCase): Promise<object[]> =>
  Object.values(await bodiesOf(known)).flatMap((body) => {
    const answer = parseJson(body);
    return typeof answer === 'object' && answer !== null ? [answer] : [];
  });

import { createServer } from 'node:http';
import { nowMs, world } from '../world.ts';

/** A value of the single series that is found; otherwise a refusal with this status and text. */
export type Measured = number | { status: number; error: string };

export interface MeasuredServer {
  url(check: string): string;
  answers(check: string, measured: Measured): void;
  stop(): Promise<void>;
}

/** Speaks Prometheus' API; each address has one answer to every query, by default 100. */
export async function startMeasuredServer(): Promise<MeasuredServer> {
  const known = new Map<string, Measured>();
  const server = createServer((request, response) => {
    const measured = known.get((request.url ?? '').split('/')[1] ?? '') ?? 100;
    request.resume();
    if (typeof measured !== 'number') {
      response.writeHead(measured.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: 'error', errorType: 'bad_data', error: measured.error }));
      return;
    }
    const result = [{ metric: {}, value: [nowMs() / 1000, String(measured)] }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  });
  const listener = await world().network.listen(server);
  return {
    url: (check) => `${listener.url}/${check}`,
    answers: (check, measured) => void known.set(check, measured),
    stop: () => listener.close(true),
  };
}

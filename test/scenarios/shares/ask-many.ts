import { type Agent, request } from 'node:http';
import { world } from '../world.ts';

export interface Answers {
  /** Answers by the version of the pod, or by what the proxy said instead. */
  byVersion: Record<string, number>;
  /** Answers by the cookies set in them, `name=value` and whether they are to be deleted. */
  byCookie: Record<string, number>;
}

const IN_FLIGHT = 24;

/** Sends this number of requests, some at a time; users are new unless the headers identify them. */
export async function askMany(
  { url, host, headers }: { url: string; host: string; headers: Record<string, string> },
  requests: number,
): Promise<Answers> {
  const agent = world().network.agent({ keepAlive: true });
  const answers: Answers = { byVersion: {}, byCookie: {} };
  let left = requests;
  const user = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await askOnce(url, { ...headers, host }, agent, answers);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, user));
  agent.destroy();
  return answers;
}

function askOnce(url: string, headers: Record<string, string>, agent: Agent, { byVersion, byCookie }: Answers): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers, agent }, (answer) => {
      const { statusCode, headers: got } = answer;
      bump(byVersion, String(got['x-serin-version'] ?? `${statusCode} ${got['x-serin-proxy-error'] ?? ''}`));
      for (const cookie of got['set-cookie'] ?? []) bump(byCookie, cookieOf(cookie));
      answer.resume();
      answer.once('end', resolve);
      answer.once('error', reject);
    });
    call.once('error', reject);
    call.end();
  });
}

function cookieOf(setCookie: string): string {
  const [pair = '', ...attributes] = setCookie.split(/; ?/);
  const isDeleted = attributes.some((attribute) => /^max-age=(0|-\d+)$/i.test(attribute));
  return isDeleted ? `${pair} deleted` : pair;
}

function bump(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

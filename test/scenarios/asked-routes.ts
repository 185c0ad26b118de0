import { request } from 'node:http';
import type { Raw } from '../fakes/raw.ts';
import type { SplitApp } from './shares/split-app.ts';
import { world } from './world.ts';

export interface Asked {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
}

/** What comes back. `version` and `pod` are those of the pod, which also says what reached it. */
export interface Expected {
  status?: number;
  version?: '1' | '2';
  /** As the pod received it. */
  path?: string;
  /** Headers that the pod received; undefined: it did not. */
  received?: Record<string, string | undefined>;
  /** Headers of the answer. */
  answered?: Record<string, string | undefined>;
}

/** Of an answer the fields that a row speaks of. */
export function only(answer: Required<Expected>, expected: Expected): Expected {
  const some = (all: Record<string, string | undefined>, wanted: object) =>
    Object.fromEntries(Object.keys(wanted).map((name) => [name, all[name]]));
  return Object.fromEntries(
    Object.entries(expected).map(([field, wanted]) => {
      const value = answer[field as keyof Expected];
      return [field, typeof wanted === 'object' ? some(value as Record<string, string>, wanted) : value];
    }),
  );
}

export function ask(target: SplitApp['target'], { path = '/', method = 'GET', headers = {} }: Asked): Promise<Required<Expected>> {
  const agent = world().network.agent();
  return new Promise((resolve, reject) => {
    const call = request(target.url, { agent, path, method, headers: { ...target.headers, ...headers, host: target.host } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.once('end', () => {
        const body: Raw = text.startsWith('{') ? JSON.parse(text) : {};
        const answered = answer.headers as Record<string, string | undefined>;
        resolve({
          status: answer.statusCode ?? 0,
          version: answered['x-serin-version'] as '1',
          path: body.path,
          received: Object.fromEntries(
            Object.entries(body.headers ?? {}).map(([name, value]) => [name, String(value).replaceAll(', ', ',')]),
          ),
          answered,
        });
      });
      answer.once('error', reject);
    });
    call.once('error', reject);
    call.end();
  });
}

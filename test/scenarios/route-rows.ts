import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Routes, weight } from '../../src/api/routes.ts';
import type { Raw } from '../fakes/raw.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { type Pods, SplitApp } from './shares/split-app.ts';
import { world } from './world.ts';

export interface Asked {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
}

/** Expected answer. `version` is the version of the pod, which also reports the request that it received. */
export interface Expected {
  status?: number;
  version?: '1' | '2';
  /** As the pod received it. */
  path?: string;
  /** Container port that it came in by. */
  port?: number;
  /** Headers that the pod received, `undefined` for a header that it must not receive. */
  received?: Record<string, string | undefined>;
  /** Headers of the answer. */
  answered?: Record<string, string | undefined>;
}

/** Settings of a user in `spec.service` and `analysis.match`, and their effect on requests. */
export interface Row {
  what: string;
  service?: object;
  routes?: Routes;
  pods?: Pods;
  asks: readonly (readonly [Asked, Expected])[];
}

/** Each request after the settings has its answer. */
export const row = (what: string, given: Omit<Row, 'what' | 'asks'>, ...asks: Row['asks']): Row => ({ what, ...given, asks });
export const v1: Expected = { version: '1' };
export const v2: Expected = { version: '2' };
export const notFound: Expected = { status: 404 };

export const primary: Routes = { kind: 'weighted', canary: weight(0) };
export const insider = (condition: object): Routes => ({
  kind: 'matched',
  match: [{ headers: { 'x-canary': condition as { exact: string } } }],
});
export const by = (value: string): Asked => ({ headers: { 'x-canary': value } });

/** Each row is an application of its own in this existing namespace. */
export function playRows(environmentOf: () => ShareEnvironment, fixture: ProviderFixture, rows: readonly Row[], namespace: string): void {
  describe.concurrent(fixture.provider, () => {
    it.each(rows.map((row, index) => ({ ...row, index })))('$what', async ({ service = {}, routes = primary, pods = {}, asks, index }) => {
      const asked: ProviderFixture = { ...fixture, service: (app) => ({ ...fixture.service?.(app), ...service }) };
      const app = await SplitApp.run(environmentOf(), asked, { name: `r${index}`, namespace }, { pods });
      await app.route(routes);
      const got = await Promise.all(asks.map(([each]) => ask(app.target, each)));
      expect(got.map((answer, each) => only(answer, asks[each]?.[1] ?? {}))).toEqual(asks.map(([, expected]) => expected));
    });
  });
}

/** Reduces an answer to the fields that are expected. */
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

export const ask = (target: SplitApp['target'], asked: Asked): Promise<Required<Expected>> =>
  askAt(target.url, { ...target.headers, host: target.host }, asked);

/** One request, with these headers besides its own. */
export function askAt(url: string, headers: Record<string, string>, asked: Asked): Promise<Required<Expected>> {
  const { path = '/', method = 'GET' } = asked;
  const agent = world().network.agent();
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, path, method, headers: { ...headers, ...asked.headers } }, (answer) => {
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
          port: body.port,
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

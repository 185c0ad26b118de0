import { request } from 'node:http';
import type { Raw } from '../../fakes/raw.ts';
import { world } from '../world.ts';
import { CLIENT, GATEWAY, GATEWAY_NAME, type IstioEnvironment } from './places.ts';
import type { Asked, Expected } from './row.ts';

export interface Target {
  url: string;
  headers: Record<string, string>;
}

const HTTP = 80;

/** Where a request goes in, and what tells the embedded mesh whence it comes. */
export function targetOf({ mesh, entries }: IstioEnvironment, { host = '', port = HTTP, isOutside = false }: Asked): Target {
  const { namespace, labels } = isOutside ? GATEWAY : CLIENT;
  return {
    url: (isOutside ? entries?.gateway : entries?.client(port)) ?? mesh.url(0),
    headers: {
      host: port === HTTP ? host : `${host}:${port}`,
      'x-serin-namespace': namespace,
      'x-serin-source-labels': String(new URLSearchParams(labels)),
      ...(isOutside && { 'x-serin-gateway': GATEWAY_NAME }),
    },
  };
}

export function ask(environment: IstioEnvironment, asked: Asked): Promise<Required<Expected>> {
  const { path = '/', method = 'GET' } = asked;
  const { url, headers } = targetOf(environment, asked);
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

/** Of an answer the fields that are expected. */
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

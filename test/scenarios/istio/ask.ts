import { askAt, type Expected } from '../route-rows.ts';
import { CLIENT, GATEWAY, GATEWAY_NAME, type IstioEnvironment } from './places.ts';
import type { Asked } from './row.ts';

export interface Target {
  url: string;
  headers: Record<string, string>;
}

const HTTP = 80;

/** Entry of a request, and headers that show its origin to the embedded mesh. */
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
  const { url, headers } = targetOf(environment, asked);
  return askAt(url, headers, asked);
}

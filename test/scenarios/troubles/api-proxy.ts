import { createServer, request as requestOverHttp } from 'node:http';
import { request as requestOverHttps } from 'node:https';
import { parse, stringify } from 'yaml';
import { sharedAgent, world } from '../world.ts';

interface KubeConfigFile {
  clusters: [{ name: string; cluster: { server: string; 'certificate-authority-data'?: string } }];
}

/** A refusal in place of the API server's own answer; undefined lets the request through. */
export type Refuse = (method: string, path: string) => RefusalKind | undefined;

/** A status code; `quota`: 403 as a ResourceQuota named `small` has it. */
export type RefusalKind = 403 | 404 | 422 | 'quota';

export interface ApiProxy {
  /** Kubeconfig of the same user through this proxy. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

/** Proxies requests between the controller and the API server of a kubeconfig, so that one namespace can lack a permission, and all a CRD. */
export async function startApiProxy(kubeconfig: string, refuse: Refuse): Promise<ApiProxy> {
  const config: KubeConfigFile = parse(kubeconfig);
  const [{ cluster }] = config.clusters;
  const { server: apiUrl, 'certificate-authority-data': caData } = cluster;
  const ca = caData === undefined ? undefined : Buffer.from(caData, 'base64');
  const request = apiUrl.startsWith('https:') ? requestOverHttps : requestOverHttp;
  const server = createServer((incoming, answer) => {
    const { method = 'GET', url = '/' } = incoming;
    const refusal = refuse(method, url);
    if (refusal !== undefined) {
      const code = refusal === 'quota' ? 403 : refusal;
      const { reason, message } = wordsOf(refusal, method, url);
      answer.writeHead(code, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code }));
      return;
    }
    const onward = request(
      `${apiUrl}${url}`,
      { method, headers: incoming.headers, ...(ca ? { ca } : { agent: sharedAgent() }) },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        answer.flushHeaders();
        response.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  const listener = await world().network.listen(server);
  return {
    kubeconfig: stringify({ ...config, clusters: [{ ...config.clusters[0], cluster: { server: listener.url } }] }),
    stop: () => listener.close(true),
  };
}

function wordsOf(code: RefusalKind, method: string, url: string): { reason: string; message: string } {
  const [path = url] = url.split('?');
  if (code === 'quota')
    return {
      reason: 'Forbidden',
      message: `${path} is forbidden: exceeded quota: small, requested: services=1, used: services=2, limited: services=2`,
    };
  if (code === 403) return { reason: 'Forbidden', message: `User "serin" cannot ${method.toLowerCase()} ${path}` };
  if (code === 422) return { reason: 'Invalid', message: `${path}: denied by policy of the team` };
  return { reason: 'NotFound', message: 'the server could not find the requested resource' };
}

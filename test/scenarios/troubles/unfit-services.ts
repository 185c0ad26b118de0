import type { Endpoints } from '../../../src/routers/service-fit.ts';

/** A Canary for port 80, the containers of its target and the Service that it finds. */
export interface FitCase {
  title: string;
  /** Laid over a Canary for port 80. */
  canary?: object;
  ports?: object[];
  sidecars?: object[];
  /** Fields of the apex Service, absent if it does not exist. */
  live?: object;
  isOurs?: boolean;
  isPrimary?: boolean;
  endpoints?: Endpoints;
  /** Field in the refusal, absent if the Service fits. */
  path?: string;
  message?: RegExp;
}

export const web = { name: 'web', containerPort: 9898 };
export const metrics = { name: 'metrics', containerPort: 9797 };
export const dns = { name: 'dns', containerPort: 53, protocol: 'UDP' };
export const serving: Endpoints = { ready: 2, ports: ['http'] };
export const service = (...ports: object[]) => ({ type: 'ClusterIP', selector: { app: 'shop' }, ports });
const [name, number, headless, kind] = ['spec.service.targetPort', 'spec.service.targetPort', 'spec.service.headless', 'spec.service.name'];

/** Ports that do not fit: each is refused with its field, and with what fits. */
export const unfitServices: readonly (FitCase & { path: string })[] = [
  { title: 'a name that no container has', canary: { targetPort: 'http' }, ports: [web], path: name, message: /"http".*web 9898\/TCP/ },
  { title: 'a name, and no container declares a port', canary: { targetPort: 'http' }, ports: [], path: name, message: /declare none/ },
  { title: 'a name of a UDP port', canary: { targetPort: 'dns' }, ports: [dns, web], path: name, message: /53\/UDP/ },
  {
    title: 'a name of an SCTP port',
    canary: { targetPort: 'web' },
    ports: [{ ...web, protocol: 'SCTP' }],
    path: name,
    message: /9898\/SCTP/,
  },
  { title: 'a name with more to it', canary: { targetPort: 'web2' }, ports: [web], path: name },
  { title: 'a name that is only begun', canary: { targetPort: 'we' }, ports: [web], path: name },
  {
    title: 'a name of a metrics port that is gone',
    canary: { targetPort: 'admin', portDiscovery: true },
    ports: [web, metrics],
    path: name,
  },
  { title: 'a name of a container', canary: { targetPort: 'shop' }, ports: [web], path: name },
  {
    title: 'a name of an init container that ends',
    canary: { targetPort: 'init' },
    ports: [web],
    sidecars: [{ name: 'x', ports: [{ name: 'init', containerPort: 1 }] }],
    path: name,
  },
  {
    title: 'a name that the Service has under another target',
    canary: { targetPort: 'http' },
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 'web' }),
    endpoints: serving,
    path: name,
  },
  {
    title: 'a name of a sidecar that serves nothing',
    canary: { targetPort: 'proxy' },
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 'proxy' }),
    endpoints: { ready: 0, ports: [] },
    path: name,
  },
  {
    title: 'a name of a sidecar that serves another port',
    canary: { targetPort: 'proxy' },
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 'proxy' }),
    endpoints: { ready: 2, ports: ['other'] },
    path: name,
  },
  {
    title: 'a name that the primary does not have',
    canary: { targetPort: 'api' },
    ports: [web],
    isPrimary: true,
    path: name,
    message: /shop-primary.*which serves/,
  },
  {
    title: 'no targetPort, where the Service leads elsewhere',
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 9898 }),
    path: number,
    message: /leads to 9898.*would lead to 80/,
  },
  {
    title: 'no targetPort, where the Service leads to a name',
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 'web' }),
    endpoints: serving,
    path: number,
  },
  {
    title: 'a number that no container declares',
    canary: { targetPort: 8080 },
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 9898 }),
    path: number,
  },
  {
    title: 'a number in quotes that no container declares',
    canary: { targetPort: '8080' },
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 9898 }),
    path: number,
  },
  {
    title: 'a number that only a UDP port has',
    canary: { targetPort: 53 },
    ports: [dns, web],
    live: service({ name: 'http', port: 80, targetPort: 9898 }),
    path: number,
  },
  {
    title: 'a number, where the port has no name yet',
    canary: { targetPort: 8080 },
    ports: [web],
    live: service({ port: 80, targetPort: 9898 }),
    path: number,
  },
  {
    title: 'a number, where the Service leads to an undeclared one',
    canary: { targetPort: 8080 },
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 9000 }),
    path: number,
  },
  { title: 'a number, by the name of the port', ports: [web], live: service({ name: 'http', port: 8080, targetPort: 9898 }), path: number },
  {
    title: 'a number of a Service of ours',
    canary: { targetPort: 8080 },
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 9898 }),
    isOurs: true,
    path: number,
  },
  {
    title: 'a name that stands for another port',
    canary: { portName: 'http', targetPort: 9797 },
    ports: [web, metrics],
    live: service({ name: 'http', port: 8080, targetPort: 9898 }),
    path: 'spec.service.portName',
    message: /8080.*9898.*9797/,
  },
  {
    title: 'a portName that stands for another port',
    canary: { portName: 'api', targetPort: 'metrics' },
    ports: [web, metrics],
    live: service({ name: 'api', port: 8080, targetPort: 'web' }),
    path: 'spec.service.portName',
  },
  {
    title: 'headless over a cluster IP',
    canary: { headless: true, targetPort: 'web' },
    ports: [web],
    live: { ...service({ port: 80 }), clusterIP: '10.0.0.1' },
    path: headless,
    message: /set service.headless to false/,
  },
  {
    title: 'headless over a node port',
    canary: { headless: true },
    ports: [],
    live: { ...service({ port: 80 }), type: 'NodePort', clusterIP: '10.0.0.1' },
    path: headless,
  },
  {
    title: 'headless over a load balancer',
    canary: { headless: true },
    ports: [],
    live: { ...service({ port: 80 }), type: 'LoadBalancer', clusterIP: '10.0.0.1' },
    path: headless,
  },
  {
    title: 'a cluster IP over a headless Service of ours',
    ports: [],
    live: { ...service({ port: 80 }), clusterIP: 'None' },
    isOurs: true,
    path: headless,
  },
  {
    title: 'an external name',
    canary: { targetPort: 'web' },
    ports: [web],
    live: { type: 'ExternalName', externalName: 'shop.example.com' },
    path: kind,
    message: /ExternalName.*shop\.example\.com/,
  },
  {
    title: 'an external name with ports',
    ports: [],
    live: { type: 'ExternalName', externalName: 'x.test', ports: [{ name: 'http', port: 80 }] },
    path: kind,
  },
  {
    title: 'endpoints written by hand',
    ports: [],
    live: { type: 'ClusterIP', ports: [{ name: 'http', port: 80 }] },
    endpoints: serving,
    path: kind,
    message: /no selector/,
  },
  {
    title: 'endpoints written by hand, without cluster IP',
    ports: [],
    live: { clusterIP: 'None', selector: {}, ports: [{ port: 80 }] },
    endpoints: serving,
    path: kind,
  },
];

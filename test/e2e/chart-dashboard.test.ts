import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { CHARTS, type Helm, isInstalled, startHelm } from './helm.ts';

const URL = 'https://serin.example.org';
const from = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }];

describe('the dashboard in the chart of Serin', () => {
  let helm: Helm;
  beforeAll(async () => {
    helm = await startHelm();
  });
  afterAll(() => helm?.stop());

  /** Service, port of the container, and rule of the network policy. */
  const ingressOf = async (values: object) => {
    const objects = (await helm.render('serin', { podMonitor: { enabled: false }, ...values })).filter(isInstalled);
    const of = (kind: string) => objects.filter((object) => object.kind === kind);
    const [{ spec: { template = {} } = {} } = {}] = of('Deployment').map(raw);
    const [{ spec: { ingress = [] } = {} } = {}] = of('NetworkPolicy').map(raw);
    return {
      services: of('Service').map(({ metadata }) => metadata.name),
      ports: template.spec.containers[0].ports.map(({ containerPort }: { containerPort: number }) => containerPort),
      rules: ingress.filter(({ ports }: { ports: { port: number }[] }) => ports.some(({ port }) => port === 8090 || port === 8091)),
    };
  };
  const CLOSED = { services: [], ports: [8080], rules: [] };

  it('with an address the network policy admits the named peers to it, and no one else', async () => {
    expect(await ingressOf({ dashboardUrl: URL, dashboard: { enabled: true, from } })).toEqual({
      ...{ services: ['serin-dashboard'], ports: [8080, 8090] },
      rules: [{ ports: [{ port: 8090, protocol: 'TCP' }], from }],
    });
  });

  it.each([
    ['without an address', { dashboard: { enabled: true } }],
    ['without an address, for named peers', { dashboard: { enabled: true, from } }],
    ['with the address of a port-forward', { dashboardUrl: 'http://localhost:8090', dashboard: { enabled: true } }],
    ['where it is off', { dashboardUrl: URL, dashboard: { from } }],
  ])('%s it has neither Service nor port nor rule', async (_, values) => {
    expect(await ingressOf(values)).toEqual(CLOSED);
  });

  it('without a network policy no peers need to be named', async () => {
    expect(await ingressOf({ dashboardUrl: URL, dashboard: { enabled: true }, networkPolicy: { enabled: false } })).toMatchObject({
      services: ['serin-dashboard'],
    });
  });

  it.each([
    ['an address without peers', { dashboardUrl: URL, dashboard: { enabled: true } }, /dashboard\.from: with dashboardUrl it must name/],
    ['a peer that says nothing', { dashboardUrl: URL, dashboard: { enabled: true, from: [{}] } }, /from/],
    ['a peer with an unknown field', { dashboardUrl: URL, dashboard: { enabled: true, from: [{ pods: {} }] } }, /from/],
    ['HTTPS of a local name', { dashboardUrl: 'https://localhost:8090', dashboard: { enabled: true } }, /must begin with http:/],
    [
      'HTTP of another name',
      { dashboardUrl: 'http://localhost.example.org', dashboard: { enabled: true, from } },
      /must begin with https:/,
    ],
  ])('%s is refused with what to set', async (_, values, message) => {
    const ran = await helm.run('template', 'serin', join(CHARTS, 'serin'), '--values', helm.valuesFile(values));
    expect(ran.code).not.toBe(0);
    expect(ran.complained).toMatch(message);
  });

  it('the notes forward the port of the loopback address, of one pod', async () => {
    const flags = ['--dry-run=client', '--values', helm.valuesFile({ dashboard: { enabled: true } }), '--namespace', 'ops'];
    const { said } = await helm.run('install', 'serin', join(CHARTS, 'serin'), ...flags);
    expect(said).toContain('kubectl -n ops port-forward deployment/serin 8090:8091');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aCanary } from '../../test/contracts/routers-cases.ts';
import { raw } from '../../test/fakes/raw.ts';
import { dns, type FitCase, metrics, service, serving, unfitServices, web } from '../../test/scenarios/troubles/unfit-services.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { ownerAnnotation } from '../api/names.ts';
import { unfitService } from './service-fit.ts';
import { discoverPorts, renderServices } from './services.ts';

const fit: readonly FitCase[] = [
  { title: 'a name that a container has', canary: { targetPort: 'web' }, ports: [web] },
  {
    title: 'a name of a native sidecar',
    canary: { targetPort: 'proxy' },
    ports: [web],
    sidecars: [{ name: 'x', restartPolicy: 'Always', ports: [{ name: 'proxy', containerPort: 1 }] }],
  },
  {
    title: 'a name of an injected sidecar that serves',
    canary: { targetPort: 'proxy' },
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 'proxy' }),
    endpoints: serving,
  },
  { title: 'a name that two containers have', canary: { targetPort: 'web' }, ports: [web, { ...web, containerPort: 1 }] },
  { title: 'a number that no container declares, and no Service', canary: { targetPort: 8080 }, ports: [web] },
  {
    title: 'a number, where no port is declared at all',
    canary: { targetPort: 8080 },
    ports: [],
    live: service({ name: 'http', port: 80, targetPort: 9898 }),
    endpoints: serving,
  },
  {
    title: 'a number that the Service leads to already',
    canary: { targetPort: 8080 },
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 8080 }),
    endpoints: serving,
  },
  {
    title: 'a number that a container declares',
    canary: { targetPort: 9797 },
    ports: [web, metrics],
    live: service({ name: 'http', port: 80, targetPort: 9898 }),
    endpoints: serving,
  },
  {
    title: 'a number, where the Service serves nothing',
    canary: { targetPort: 8080 },
    ports: [web],
    live: service({ name: 'http', port: 80, targetPort: 9898 }),
    endpoints: { ready: 0, ports: [] },
  },
  {
    title: 'a port beside those of the Service',
    canary: { targetPort: 8080 },
    ports: [web],
    live: service({ name: 'api', port: 8080, targetPort: 9898 }),
    endpoints: serving,
  },
  {
    title: 'the same port under another number',
    canary: { targetPort: 'web' },
    ports: [web],
    live: service({ name: 'http', port: 8080, targetPort: 9898 }),
    endpoints: serving,
  },
  {
    title: 'a port of no name beside one that has the default name',
    canary: { targetPort: 9797 },
    ports: [web, metrics],
    live: service({ name: 'http', port: 8080, targetPort: 9898 }),
    endpoints: serving,
  },
  {
    title: 'a UDP port of the same number',
    canary: { targetPort: 'web' },
    ports: [web, dns],
    live: service({ name: 'dns', port: 80, targetPort: 'dns', protocol: 'UDP' }),
    endpoints: serving,
  },
  {
    title: 'a headless Service of the user’s',
    canary: { targetPort: 'web' },
    ports: [web],
    live: { ...service({ port: 80 }), clusterIP: 'None' },
    endpoints: serving,
  },
  {
    title: 'no selector, and no endpoints',
    ports: [],
    live: { type: 'ClusterIP', ports: [{ port: 80 }] },
    endpoints: { ready: 0, ports: [] },
  },
  {
    title: 'a selector that was taken from a Service of ours',
    ports: [],
    live: { type: 'ClusterIP', ports: [{ name: 'http', port: 80 }] },
    isOurs: true,
    endpoints: serving,
  },
];

function answerTo({ canary = {}, ports = [], sidecars = [], live, isOurs, isPrimary, endpoints }: FitCase) {
  const pods = podsWith(ports, { name: isPrimary ? 'shop-primary' : 'shop', sidecars });
  const apex = live && aService(live, isOurs ? { [ownerAnnotation]: 'c-1' } : {});
  return unfitService(aCanary({ service: { port: 80, ...canary } }), { pods, current: { ...(apex && { apex }) }, endpoints });
}

function podsWith(ports: readonly object[], { name = 'shop', sidecars = [] }: { name?: string; sidecars?: object[] } = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'prod' },
    spec: { template: { spec: { containers: [{ name: 'shop', ports }], initContainers: sidecars } } },
  };
}

function aService(spec: object, annotations: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop', namespace: 'prod', annotations }, spec };
}

describe('I14: a Service that would lose its endpoints is refused, with the field', () => {
  it('the table has thirty', () => expect(unfitServices.length).toBeGreaterThanOrEqual(30));
  it.each(unfitServices)('$title: $path', (one) => {
    const answer = answerTo(one);
    expect(answer?.path).toBe(one.path);
    expect(answer?.message).toMatch(one.message ?? /./);
  });
  it.each(fit)('and not $title', (one) => expect(answerTo(one)).toBeUndefined());
});

const aNumber = fc.constantFrom(80, 8080, 9797, 9898);
const aName = fc.constantFrom('http', 'web', 'metrics');
const aTarget = fc.oneof(aNumber, aName);
const aProtocol = fc.constantFrom('TCP', 'UDP');
const containers = fc.uniqueArray(fc.record({ name: aName, containerPort: aNumber, protocol: aProtocol }), {
  selector: ({ name }) => name,
});
const ports = fc.uniqueArray(fc.record({ name: aName, port: aNumber, targetPort: aTarget, protocol: aProtocol }), {
  minLength: 1,
  comparator: (one, other) => one.name === other.name || (one.port === other.port && one.protocol === other.protocol),
});
const asked = fc.record({ port: aNumber, portName: aName, targetPort: aTarget, portDiscovery: fc.boolean() }, { requiredKeys: ['port'] });

describe('Services that fit', () => {
  interface Found {
    name: string;
    port: number;
    targetPort: number | string;
    protocol: string;
  }
  /** Result of the EndpointSlices: the container port of each port of a Service. */
  const led = (declared: readonly { name: string; containerPort: number; protocol: string }[], found: readonly Found[]) =>
    new Map(
      found.flatMap(({ port, protocol, targetPort }) => {
        const number =
          typeof targetPort === 'number'
            ? targetPort
            : declared.find((one) => one.name === targetPort && one.protocol === protocol)?.containerPort;
        return number === undefined ? [] : [[`${port}/${protocol}`, number] as const];
      }),
    );

  it('I14: keeps each port of the Service that led to pods, and moves none to a number that they do not declare', () => {
    fc.assert(
      fc.property(containers, ports, asked, (declared, before, wanted) => {
        const canary = aCanary({ service: { targetPort: undefined, ...wanted } });
        const apex = aService(service(...before));
        const pods = podsWith(declared);
        if (unfitService(canary, { pods, current: { apex }, endpoints: serving })) return;
        const selector = { key: 'app', target: 'shop', primary: 'shop-primary' };
        const rendered = renderServices(canary, { selector, ports: discoverPorts(canary, pods, apex) }, { apex }, { apexOnPrimary: true });
        if ('error' in rendered) throw new Error(rendered.error);
        const after = raw(rendered.write.find(({ metadata }) => metadata.name === 'shop'))?.spec.ports;
        const [was, is] = [led(declared, before), led(declared, after)];
        for (const [port, number] of was) {
          const now = is.get(port);
          expect(now, `${port} leads nowhere`).toBeDefined();
          const numbers = declared.filter(({ protocol }) => port.endsWith(protocol)).map(({ containerPort }) => containerPort);
          if (now !== number && numbers.length > 0) expect(numbers).toContain(now);
        }
        expect(new Set(after.map(({ name }: Found) => name)).size).toBe(after.length);
        expect(is.get(`${wanted.port}/TCP`), 'the Canary’s own port leads nowhere').toBeDefined();
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { refOf } from '../../../src/api/kube-object.ts';
import { internalWrite } from '../../../src/embedded/apiserver/write-context.ts';
import { handClock } from '../../fakes/clock.ts';
import { ModelServer } from '../../fakes/model/server.ts';
import type { Raw } from '../../fakes/raw.ts';
import { type Kind, kinds } from './kinds.ts';

/** Kinds whose primary is an object of its own. */
const kindsWithPrimary = kinds.filter(({ lacks }) => lacks.primaryObject === undefined);
const MARK = 'leftover';

/** Fields that an API server knows, and that the template under promotion does not have. */
const podExtras: Readonly<Record<string, (primary: KubeObject) => void>> = {
  'an env var': ({ spec }: Raw) => spec.template.spec.containers[0].env.push({ name: MARK, value: '1' }),
  'a container': ({ spec }: Raw) => spec.template.spec.containers.push({ name: MARK, image: 'helper:1' }),
  'a volume': ({ spec }: Raw) => {
    spec.template.spec.volumes = [{ name: MARK, emptyDir: {} }];
  },
  'a port': ({ spec }: Raw) => spec.template.spec.containers[0].ports.push({ name: MARK, containerPort: 9999 }),
  'an annotation': ({ spec }: Raw) => {
    spec.template.metadata.annotations[MARK] = '1';
  },
  'a node selector': ({ spec }: Raw) => {
    spec.template.spec.nodeSelector = { [MARK]: '1' };
  },
  'a rollout field': ({ spec }: Raw) => {
    spec.minReadySeconds = 7;
  },
};
const serviceExtras: Readonly<Record<string, (primary: KubeObject) => void>> = {
  'a port': ({ spec }: Raw) => spec.ports.push({ name: MARK, port: 9999, targetPort: 9999, protocol: 'TCP' }),
  'a selector label': ({ spec }: Raw) => {
    spec.selector = { ...spec.selector, [MARK]: '1' };
  },
  'addresses that are not ready': ({ spec }: Raw) => {
    spec.publishNotReadyAddresses = true;
  },
};
const extrasOf = ({ name }: Kind) => (name === 'Service' ? serviceExtras : podExtras);

/** Without the invented fields, which the API server of these tests prunes from its own kinds. */
function plain(kind: Kind): KubeObject {
  const { apiVersion, kind: type, metadata } = kind.target;
  const labels = { app: 'shop', track: 'live' };
  const containers = [
    { name: 'web', image: 'shop:2', env: [{ name: 'MODE', value: 'new' }], ports: [{ name: 'http', containerPort: 8080 }] },
  ];
  const template = { metadata: { labels, annotations: { scrape: 'true' } }, spec: { containers } };
  const pods = { selector: { matchLabels: labels }, template };
  const service = { selector: { app: 'shop', version: '2' }, ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }] };
  return { apiVersion, kind: type, metadata: { name: metadata.name, namespace: 'prod' }, spec: type === 'Service' ? service : pods };
}

function prepare(kind: Kind) {
  const server = new ModelServer(handClock());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod' } });
  const target = server.create(plain(kind));
  const made = kind.workload.renderPrimary(kind.canary, target, kind.options);
  const promote = (): KubeObject => {
    const primary = server.find(refOf(made));
    if (primary === undefined) throw new Error('the primary is there');
    const patch = kind.workload.promotionPatch(primary, kind.workload.primaryTemplate(kind.canary, target, kind.options));
    const resource = server.resource(primary.apiVersion, primary.kind);
    return server.api.patch(resource, 'prod', primary.metadata.name, 'json', patch as never, { ...internalWrite, manager: 'serin' });
  };
  const rendered = kind.workload.primaryTemplate(kind.canary, target, kind.options);
  return { server, made, promote, rendered };
}

const cases = kindsWithPrimary.flatMap((kind) =>
  Object.entries(extrasOf(kind)).map(([what, add]) => ({ kind, name: kind.name, what, add })),
);

describe('fields of the old primary after a promotion', () => {
  it.each(cases)('Writes: $name: $what that another manager has PUT is gone with the next promotion', ({ kind, add }) => {
    const { server, made, promote, rendered } = prepare(kind);
    const foreign = structuredClone(made);
    add(foreign);
    const before = server.putAs('flagger', foreign);
    expect(kind.workload.templateMatches(before, rendered)).toBeDefined();
    const answer = promote();
    expect(kind.workload.templateMatches(answer, rendered)).toBeUndefined();
    expect(JSON.stringify(answer.spec)).not.toContain(MARK);
    server.stop();
  });

  it.each(cases)('Writes: $name: $what added by kubectl edit is gone with the next promotion', ({ kind, add }) => {
    const { server, made, promote, rendered } = prepare(kind);
    server.putAs('flagger', made);
    promote();
    const edited = structuredClone(server.find(refOf(made)) ?? made);
    add(edited);
    server.putAs('kubectl-edit', edited);
    const answer = promote();
    expect(kind.workload.templateMatches(answer, rendered)).toBeUndefined();
    expect(JSON.stringify(answer.spec)).not.toContain(MARK);
    server.stop();
  });

  it.each(cases)('Writes: $name: $what that the server puts back is named, so that traffic stays', ({ kind, add }) => {
    const { server, made, promote, rendered } = prepare(kind);
    const foreign = structuredClone(made);
    add(foreign);
    const before = server.putAs('flagger', foreign);
    const answer = promote();
    add(answer);
    expect(kind.workload.templateMatches(answer, rendered, before)).toMatch(/^spec\./);
    server.stop();
  });

  it.each(cases)("Writes: $name: $what that was not there before the write is the server's, and not a leftover", ({ kind, add }) => {
    const { server, made, promote, rendered } = prepare(kind);
    const before = structuredClone(server.putAs('flagger', made));
    const answer = promote();
    add(answer);
    expect(kind.workload.templateMatches(answer, rendered, before)).toBeUndefined();
    expect(kind.workload.templateMatches(answer, rendered)).toBeDefined();
    server.stop();
  });
});

import { describe, expect, it, vi } from 'vitest';
import { anchorRef } from '../../../test/fakes/model/damage.ts';
import { aDeployment, canaryRef, type ModelLab, NAMESPACE, primaryRef } from '../../../test/fakes/model/lab.ts';
import { forgedAnchor, HOSTILE, neighbour, twoTenants } from '../../../test/fakes/model/two-tenants.ts';
import { GRACE_MS } from '../../../test/fakes/model/uninstalling.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import { providers } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ApiError } from '../../kube/errors.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const skipped = (lab: ModelLab) => lab.logged.filter(({ msg }) => msg.includes('anchor is skipped'));

/** Serin starts, and the neighbour's next release ends as always. */
async function releases(lab: ModelLab, version = '3'): Promise<void> {
  lab.start();
  await lab.pass(15_000);
  lab.push(version);
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000)).toBe(true);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
}

describe('an anchor that another tenant has forged', () => {
  it.each([
    { forged: 'the target', targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone' } },
    { forged: 'a target that runs', targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: primaryRef.name } },
    { forged: 'nothing but the uid', targetRef: undefined },
  ])('is not believed when it names a Canary of another namespace, and $forged', async ({ targetRef }) => {
    const lab = await twoTenants();
    const before = neighbour(lab);
    lab.server.create(
      forgedAnchor(lab, ({ metadata, data }: Raw) => {
        metadata.annotations = { 'serin.dev/canary-uid': 'forged' };
        data.canaryUid = data.canary.metadata.uid = 'forged';
        if (targetRef) data.canary.spec.targetRef = targetRef;
      }),
    );
    await releases(lab);
    await lab.pass(2 * GRACE_MS);
    expect(neighbour(lab)).toEqual(before);
    expect(lab.answering()).toEqual([primaryRef.name]);
    expect(lab.lost).toEqual([]);
  });

  it('keeps no other tenant from keeping its application on deletion', async () => {
    const lab = await twoTenants();
    const copied = 'copied';
    lab.server.create(
      forgedAnchor(lab, ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, 'serin.dev/keep-on-uninstall': copied };
      }),
    );
    lab.server.patch(canaryRef, { metadata: { annotations: { 'serin.dev/keep-on-uninstall': 'true' } } });
    lab.start();
    await lab.pass(60_000);
    expect(lab.server.find(anchorRef)?.metadata.annotations).toMatchObject({ 'serin.dev/keep-on-uninstall': copied });
  });

  const unreadable: { what: string; change: (anchor: KubeObject) => void }[] = [
    { what: 'no spec', change: ({ data }: Raw) => void delete data.canary.spec },
    { what: 'no data', change: (anchor) => void delete anchor.data },
    { what: 'null as its Canary', change: ({ data }: Raw) => void Object.assign(data, { canary: null }) },
    { what: 'a text as its Canary', change: ({ data }: Raw) => void Object.assign(data, { canary: 'podinfo' }) },
    { what: 'a Canary without metadata', change: ({ data }: Raw) => void delete data.canary.metadata },
    { what: 'an empty uid', change: ({ data }: Raw) => void Object.assign(data.canary.metadata, { uid: '' }) },
    { what: 'a name that is a number', change: ({ data }: Raw) => void Object.assign(data.canary.metadata, { name: 7 }) },
    { what: 'labels that are numbers', change: ({ data }: Raw) => void Object.assign(data.canary.metadata, { labels: { a: 1 } }) },
    { what: 'a target without a name', change: ({ data }: Raw) => void Object.assign(data.canary.spec, { targetRef: {} }) },
    { what: 'null as the target', change: ({ data }: Raw) => void Object.assign(data.canary.spec, { targetRef: null }) },
    { what: 'a kind of another world', change: ({ data }: Raw) => void Object.assign(data.canary.spec.targetRef, { kind: '__proto__' }) },
    {
      what: 'a scaler of another kind',
      change: ({ data }: Raw) => void Object.assign(data.canary.spec, { autoscalerRef: { kind: 'constructor' } }),
    },
    { what: 'no service', change: ({ data }: Raw) => void delete data.canary.spec.service },
    { what: 'a service that is a list', change: ({ data }: Raw) => void Object.assign(data.canary.spec, { service: [] }) },
    { what: 'an unknown provider', change: ({ data }: Raw) => void Object.assign(data.canary.spec, { provider: 'constructor' }) },
    { what: 'no original replicas', change: ({ data }: Raw) => void Object.assign(data, { target: 'x' }) },
    { what: 'a name that is not its own', change: ({ data }: Raw) => void Object.assign(data.canary.metadata, { name: 'other' }) },
    { what: 'a uid that is not its own', change: ({ data }: Raw) => void Object.assign(data.canary.metadata, { uid: 'other' }) },
    { what: 'a mark that is not its own', change: ({ metadata }) => void delete metadata.annotations },
  ];
  it.each(unreadable)('with $what is skipped and reported once, and stops no one else', async ({ change }) => {
    const lab = await twoTenants();
    const before = neighbour(lab);
    lab.server.create(forgedAnchor(lab, change));
    await releases(lab);
    expect(neighbour(lab)).toEqual(before);
    expect(skipped(lab)).toEqual([expect.objectContaining({ anchor: `${HOSTILE}/${anchorRef.name}` })]);
    expect(lab.lost).toEqual([]);
  });

  it('with a prototype in its data changes no object of the process', async () => {
    const lab = await twoTenants();
    lab.server.create(
      forgedAnchor(lab, (anchor) => {
        anchor.data = JSON.parse(
          JSON.stringify(anchor.data).replace(
            '"spec":{',
            '"spec":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
          ),
        );
        Object.defineProperty(raw(anchor).data.target, '__proto__', { value: { polluted: true }, enumerable: true });
      }),
    );
    await releases(lab);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('of any provider, target and scaler, with objects of other namespaces in its spec, harms no one else', async () => {
    const lab = await twoTenants();
    const before = neighbour(lab);
    const kinds = ['Deployment', 'DaemonSet', 'Service'] as const;
    const all = providers.flatMap((provider) => kinds.map((kind) => ({ provider, kind })));
    for (const [nth, { provider, kind }] of all.entries()) {
      const forged = forgedAnchor(
        lab,
        ({ metadata, data }: Raw) => {
          const { spec } = data.canary;
          data.canary.metadata.name = `app-${nth}`;
          metadata.labels = { ...metadata.labels, 'serin.dev/canary': `app-${nth}` };
          Object.assign(spec, {
            provider,
            targetRef: { apiVersion: nth % 2 === 0 ? 'v1' : 'serving.knative.dev/v1', kind, name: 'podinfo' },
            autoscalerRef: { apiVersion: 'x', kind: nth % 2 === 0 ? 'HorizontalPodAutoscaler' : 'ScaledObject', name: '../../x' },
            upstreamRef: { apiVersion: 'gloo.solo.io/v1', kind: 'Upstream', name: 'x', namespace: NAMESPACE },
            ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'podinfo', namespace: NAMESPACE },
          });
          spec.service = { ...spec.service, name: 'podinfo.test', namespace: NAMESPACE, hosts: ['podinfo.test'] };
        },
        `app-${nth}-serin-anchor`,
      );
      lab.server.create(forged);
    }
    await releases(lab);
    await lab.pass(GRACE_MS);
    expect(neighbour(lab)).toEqual(before);
    expect(lab.writes.filter(({ ref }) => ref.namespace !== HOSTILE && ref.namespace !== NAMESPACE)).toEqual([]);
    expect(lab.lost).toEqual([]);
  });

  it('whose application can never be restored costs no more than a few requests a minute', async () => {
    const lab = await twoTenants();
    lab.server.create(forgedAnchor(lab));
    const { metadata, ...target } = aDeployment('1');
    lab.server.create({
      ...target,
      metadata: { ...metadata, namespace: HOSTILE },
      spec: { ...raw(target).spec, replicas: 0 },
    } as KubeObject);
    const refused = new ApiError('denied by a webhook of the tenant', { status: 403, reason: 'Forbidden' });
    let attempts = 0;
    lab.refuse = ({ ref }) => {
      if (ref.namespace !== HOSTILE) return;
      attempts += 1;
      throw refused;
    };
    await releases(lab);
    const before = attempts;
    await lab.pass(600_000);
    expect(before).toBeGreaterThan(0);
    expect(attempts - before).toBeLessThanOrEqual(11);
    expect(lab.lost).toEqual([]);
  });

  it('is reported once, however many there are and however often Serin looks', async () => {
    const lab = await twoTenants();
    for (let nth = 0; nth < 50; nth += 1) lab.server.create(forgedAnchor(lab, (anchor) => void delete anchor.data, `forged-${nth}`));
    await releases(lab);
    expect(skipped(lab)).toHaveLength(50);
  });
});

it('a ControllerRevision in place of its anchor is reported on the Canary, by name', async () => {
  const lab = await twoTenants();
  lab.start();
  const taken = { ...anchorRef, name: 'other-serin-anchor' };
  const { name, namespace, ...kind } = taken;
  lab.server.create({ ...kind, metadata: { name, namespace }, revision: 0, data: { theirs: true } });
  const app = lab.server.find(canaryRef);
  lab.server.create({ ...kind, kind: 'Deployment', metadata: { name: 'other', namespace }, spec: deploymentSpec });
  lab.server.create({
    apiVersion: canaryRef.apiVersion,
    kind: 'Canary',
    metadata: { name: 'other', namespace: NAMESPACE },
    spec: { ...raw(app)?.spec, targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' } },
  });
  await lab.pass(60_000);
  expect(raw(lab.canary('other'))?.status?.conditions).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining(`ControllerRevision ${taken.name} exists and is not ours`) }),
  );
  expect(lab.answering()).toEqual([primaryRef.name]);
});

const deploymentSpec = {
  replicas: 1,
  selector: { matchLabels: { app: 'other' } },
  template: {
    metadata: { labels: { app: 'other' } },
    spec: { containers: [{ name: 'web', image: '1', ports: [{ name: 'http', containerPort: 9898 }] }] },
  },
};

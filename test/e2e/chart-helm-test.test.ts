import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { withServer } from '../fakes/test-server.ts';
import { type Helm, isInstalled, runProgram, startHelm } from './helm.ts';

const HOOK = 'helm.sh/hook';

describe('helm test of the chart of Serin', () => {
  let helm: Helm;
  beforeAll(async () => {
    helm = await startHelm();
  });
  afterAll(() => helm?.stop());

  const hooksOf = async (values: object = {}): Promise<KubeObject[]> =>
    (await helm.render('serin', values)).filter((object) => !isInstalled(object));
  const ofKind = (objects: readonly KubeObject[], kind: string) => raw(objects.find((object) => object.kind === kind));

  it('is a Service of its own and then a pod; both are deleted after a success, and a pod that failed stays until the next test', async () => {
    const hooks = await hooksOf();
    expect(hooks.map(({ kind, metadata }) => ({ kind, name: metadata.name, annotations: metadata.annotations }))).toEqual([
      {
        kind: 'Service',
        name: 'serin-test',
        annotations: {
          [HOOK]: 'test',
          'helm.sh/hook-weight': '-1',
          'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded,hook-failed',
        },
      },
      {
        kind: 'Pod',
        name: 'serin-test',
        annotations: { [HOOK]: 'test', 'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded' },
      },
    ]);
  });

  it('its pod has no rights, and the security context, image and nodes of the controller', async () => {
    const values = {
      imagePullSecrets: [{ name: 'registry' }],
      podSecurityContext: { fsGroup: 7 },
      nodeSelector: { zone: 'a' },
      tolerations: [{ operator: 'Exists' }],
    };
    const objects = await helm.render('serin', values);
    const pod = ofKind(objects, 'Pod')?.spec;
    const controller = ofKind(objects, 'Deployment')?.spec.template.spec;
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false, restartPolicy: 'Never' });
    expect(Object.keys(pod)).not.toEqual(expect.arrayContaining(['serviceAccountName']));
    expect(Object.keys(pod)).not.toEqual(expect.arrayContaining(['volumes']));
    for (const field of ['imagePullSecrets', 'securityContext', 'nodeSelector', 'tolerations'])
      expect(pod[field], field).toEqual(controller[field]);
    for (const field of ['image', 'imagePullPolicy', 'securityContext', 'resources'])
      expect(pod.containers[0][field], field).toEqual(controller.containers[0][field]);
    expect(pod.containers[0].securityContext).toMatchObject({ runAsNonRoot: true, readOnlyRootFilesystem: true });
  });

  it('its Service selects the pods of the controller, and nothing that selects these selects its own pod', async () => {
    const objects = await helm.render('serin', { nameOverride: 'delivery' });
    const { matchLabels } = ofKind(objects, 'Deployment')?.spec.selector ?? {};
    const service = ofKind(objects, 'Service');
    expect(service?.spec).toMatchObject({ selector: matchLabels, ports: [{ port: 8080, targetPort: 'http' }] });
    const labels: Record<string, string> = ofKind(objects, 'Pod')?.metadata.labels;
    expect(Object.entries(matchLabels).every(([key, value]) => labels[key] === value)).toBe(false);
  });

  it.each([
    { what: 'a long name', values: { fullnameOverride: 'a'.repeat(63) } },
    { what: 'a long name with a hyphen where it is cut', values: { fullnameOverride: `${'a'.repeat(57)}-${'b'.repeat(5)}` } },
  ])('$what: its name is one of a Service, and the address is that of the Service', async ({ values }) => {
    const hooks = await hooksOf(values);
    const { name } = ofKind(hooks, 'Service')?.metadata ?? {};
    expect(name).toMatch(/^(?=.{1,63}$)a+-test$/);
    expect(ofKind(hooks, 'Pod')?.spec.containers[0].args).toContain(`http://${name}.serin:8080/readyz`);
  });

  it('where a NetworkPolicy admits only some clients, its pod is admitted too, for as long as the test runs', async () => {
    const from = [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }];
    const objects = await helm.render('serin', { networkPolicy: { enabled: true, from } });
    const [lasting, ...policies] = objects.filter(({ kind }) => kind === 'NetworkPolicy').map(raw);
    expect(lasting?.spec.ingress).toMatchObject([{ from }]);
    expect(policies).toHaveLength(1);
    expect(policies[0]?.metadata).toMatchObject({
      name: 'serin-test',
      annotations: { [HOOK]: 'test', 'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded,hook-failed' },
    });
    expect(policies[0]?.spec).toEqual({
      podSelector: lasting?.spec.podSelector,
      policyTypes: ['Ingress'],
      ingress: [
        {
          ports: [{ port: 8080, protocol: 'TCP' }],
          from: [{ podSelector: { matchLabels: ofKind(objects, 'Pod')?.metadata.labels } }],
        },
      ],
    });
    expect((await hooksOf({ networkPolicy: { enabled: true, from: [] } })).map(({ kind }) => kind)).toEqual(['Service', 'Pod']);
    expect((await hooksOf({ networkPolicy: { enabled: false, from } })).map(({ kind }) => kind)).toEqual(['Service', 'Pod']);
  });

  describe('what its container runs', () => {
    /** The command of the pod with another address, and as many seconds to wait for an answer. */
    const ran = async (url: string, seconds: number) => {
      const { command, args } = ofKind(await hooksOf(), 'Pod')?.spec.containers[0] ?? {};
      expect(command).toEqual(['node']);
      const own = args.map((each: string) => each.replace(/^http:.*/, url).replace(/^\d+$/, String(seconds)));
      expect(own).toContain(url);
      return runProgram(process.execPath, own);
    };

    it('ends with 0 when the controller is ready, also if it was not at once', () =>
      withServer(
        (_, response, count) => void (count === 1 ? response.writeHead(503).end('the leader is not known\n') : response.end('ok\n')),
        async (url, seen) => {
          const said = `${url}/readyz: 503 the leader is not known\n${url}/readyz: 200 ok\n`;
          expect(await ran(`${url}/readyz`, 60)).toEqual({ code: 0, said, complained: '' });
          expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /readyz', 'GET /readyz']);
        },
      ));

    it('ends with 1 when it is not ready in time, with the last answer and the command that shows why', () =>
      withServer(
        (_, response) => void response.writeHead(503).end('the API server does not answer\n'),
        async (url) => {
          const said = `${url}/readyz: 503 the API server does not answer\n`;
          const complained = 'Serin is not ready: kubectl -n serin logs deployment/serin\n';
          expect(await ran(`${url}/readyz`, 0)).toEqual({ code: 1, said, complained });
        },
      ));

    it('ends with 1 when nothing answers, with the reason', async () => {
      let closed = '';
      await withServer(
        () => undefined,
        async (url) => {
          closed = url;
        },
      );
      const { code, said } = await ran(`${closed}/readyz`, 0);
      expect({ code, said }).toEqual({ code: 1, said: `${closed}/readyz: ECONNREFUSED\n` });
    });
  });
});

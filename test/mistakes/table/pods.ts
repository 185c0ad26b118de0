import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { READY_PATH } from '../kubelet/fault.ts';
import { containerOf, IMAGE, nextVersion } from '../manifests.ts';
import type { Mistake, MistakeFixture } from '../mistake.ts';
import { correctContainer, newVersionOnly, setOfCanary, setOfDeployment } from './corrections.ts';

const create = ({ environment }: MistakeFixture, object: object): Promise<unknown> => environment.cluster.create(object as KubeObject);
const settings = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace },
  data: { LEVEL: 'info' },
});
const registryLogin = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/dockerconfigjson',
  metadata: { name: 'registry-login', namespace },
  stringData: { '.dockerconfigjson': '{"auths":{"registry.example.com":{"auth":"bWU6bWU="}}}' },
});

/** Versions whose pods do not become ready. */
export const podMistakes: readonly Mistake[] = [
  {
    id: 'image-missing',
    what: 'a tag that the registry does not have',
    names:
      /ghcr\.io\/example\/web:2\.0\.O[^\n]{0,160}(not found|pulled)|(pulled|pulling|not found)[^\n]{0,160}ghcr\.io\/example\/web:2\.0\.O/i,
    code: /ImageUnavailable/,
    pushes: (manifests) => nextVersion(manifests, '2.0.O'),
    remedies: [correctContainer('image', `${IMAGE}:2.0.0`, /correct the image/)],
  },
  {
    id: 'pull-secret-missing',
    hasGoodVersion: true,
    what: 'imagePullSecrets names a Secret that does not exist',
    names:
      /registry-login|registry\.example\.com\/team\/web:2\.0\.0[^\n]{0,160}(denied|authoriz|credential)|(credential|pull access|imagePullSecret)[^\n]{0,160}registry\.example\.com/i,
    code: /ImageUnavailable/,
    pushes(manifests) {
      containerOf(manifests).image = 'registry.example.com/team/web:2.0.0';
      raw(manifests.deployment).spec.template.spec.imagePullSecrets = [{ name: 'registry-login' }];
    },
    remedies: [
      {
        says: /registry-login|credentials? (for|of) (its|the) registry/,
        do: (fixture, namespace) => create(fixture, registryLogin(namespace)),
      },
      newVersionOnly,
    ],
  },
  {
    id: 'env-missing',
    what: 'the new version needs an environment variable, and crashes',
    names: /DATABASE_URL/,
    code: /CrashLoop/,
    pushes: (manifests) => nextVersion(manifests, '2.0.0-database'),
    remedies: [correctContainer('env', [{ name: 'DATABASE_URL', value: 'postgres://db/shop' }], /push a version that starts/)],
  },
  {
    id: 'out-of-memory',
    what: 'a memory limit that the new version exceeds',
    names: /(out of memory|OOMKilled|memory limit)[^\n]{0,160}|web[^\n]{0,160}(OOMKilled|out of memory)/i,
    code: /OutOfMemory/,
    pushes(manifests) {
      nextVersion(manifests, '2.0.0-large');
      containerOf(manifests).resources = { limits: { memory: '32Mi' } };
    },
    remedies: [correctContainer('resources', { limits: { memory: '128Mi' } }, /memory limit/)],
  },
  {
    id: 'probe-path',
    what: 'the readiness probe asks for a path that the application does not have',
    names: /readiness ?probe/i,
    code: /ProbeFails/,
    pushes(manifests) {
      nextVersion(manifests);
      containerOf(manifests).readinessProbe.httpGet.path = '/ready';
    },
    remedies: [correctContainer('readinessProbe.httpGet.path', READY_PATH, /readinessProbe/)],
  },
  {
    id: 'config-forgotten',
    what: 'a ConfigMap that was not applied',
    names: /configmap[^\n]{0,40}settings[^\n]{0,160}(not found|not exist|missing)/i,
    code: /ConfigNotFound|ConfigUnavailable|ContainerConfig/,
    validates: 'live',
    isEndless: true,
    pushes(manifests) {
      nextVersion(manifests);
      containerOf(manifests).envFrom = [{ configMapRef: { name: 'settings' } }];
    },
    remedies: [
      { says: /create (ConfigMap settings|it|what the container reads)/, do: (fixture, namespace) => create(fixture, settings(namespace)) },
    ],
  },
  {
    id: 'wrong-secret',
    what: 'a Secret without the key that the container reads',
    names: /(key|couldn't find)[^\n]{0,160}\burl\b[^\n]{0,160}database/i,
    code: /ContainerConfig/,
    pushes(manifests, _, namespace) {
      nextVersion(manifests);
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'database', namespace },
        stringData: { URL: 'postgres://db/shop' },
      };
      manifests.more.push(secret as KubeObject);
      containerOf(manifests).env = [{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'database', key: 'url' } } }];
    },
    remedies: [
      correctContainer(
        'env',
        [{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'database', key: 'URL' } } }],
        /create what the container reads, or correct its reference/,
      ),
    ],
  },
  {
    id: 'unschedulable',
    what: 'a request for more CPU than any node has',
    names: /Insufficient cpu|requests?\.cpu/i,
    code: /Unschedulable/,
    pushes(manifests) {
      nextVersion(manifests);
      containerOf(manifests).resources = { requests: { cpu: '128' } };
    },
    remedies: [correctContainer('resources', { requests: { cpu: '100m' } }, /requests/)],
  },
  {
    id: 'rollout-halted',
    hasGoodVersion: true,
    what: 'the Deployment was left paused',
    names: /Deployment \S*web\b[^\n]{0,160}paused|spec\.paused|kubectl rollout resume/i,
    code: /RolloutPaused/,
    validates: 'files',
    pushes(manifests) {
      nextVersion(manifests);
      raw(manifests.deployment).spec.paused = true;
    },
    remedies: [
      { says: /spec\.paused|rollout resume/, do: (fixture, namespace) => setOfDeployment(fixture, namespace, 'spec.paused', false) },
      newVersionOnly,
    ],
  },
  {
    id: 'account-missing',
    hasGoodVersion: true,
    what: 'a ServiceAccount that does not exist, so that the pods are refused',
    names: /serviceaccount[^\n]{0,160}builder[^\n]{0,160}not found/i,
    code: /PodsRefused/,
    pushes(manifests) {
      nextVersion(manifests);
      raw(manifests.deployment).spec.template.spec.serviceAccountName = 'builder';
    },
    remedies: [
      {
        says: /create (ServiceAccount )?"?builder|correct the field that the admission rule names|admission/,
        do: (fixture, namespace) => create(fixture, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'builder', namespace } }),
      },
      newVersionOnly,
    ],
  },
  {
    id: 'no-room',
    hasGoodVersion: true,
    what: 'a ResourceQuota without room for the pods of the new version',
    only: 'real',
    names: /exceeded quota[^\n]{0,160}few-pods|quota[^\n]{0,160}few-pods/i,
    code: /PodsRefused|QuotaExceeded/,
    pushes(manifests, _, namespace) {
      nextVersion(manifests);
      manifests.more.push({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'few-pods', namespace },
        spec: { hard: { pods: '1' } },
      } as KubeObject);
    },
    remedies: [
      {
        says: /quota/,
        do: ({ environment }, namespace) =>
          environment.cluster.patch(
            { apiVersion: 'v1', kind: 'ResourceQuota', name: 'few-pods', namespace },
            { spec: { hard: { pods: '9' } } },
          ),
      },
      newVersionOnly,
    ],
  },
  {
    id: 'deadline-too-short',
    hasGoodVersion: true,
    what: 'progressDeadlineSeconds is shorter than the start of the application',
    names: /progressDeadlineSeconds|progress deadline/i,
    code: /NotReadyInTime|PodsStarting|ProbeFails|PodsNotReady|DeadlineExceeded/,
    arrives(manifests) {
      raw(manifests.canary).spec.progressDeadlineSeconds = 3;
    },
    pushes(manifests) {
      nextVersion(manifests);
      containerOf(manifests).env = [{ name: 'READY_AFTER_MS', value: '9000' }];
    },
    remedies: [
      { says: /progressDeadlineSeconds/, do: (fixture, namespace) => setOfCanary(fixture, namespace, 'spec.progressDeadlineSeconds', 60) },
      newVersionOnly,
    ],
  },
];

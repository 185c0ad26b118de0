import { describe, expect, it } from 'vitest';
import { wayOf } from '../../../test/fakes/stalled-release.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { admit } from '../../controller/admission/admission.ts';
import { ControllerConfig } from '../../controller/config.ts';
import { snapshotOf } from '../../reading/snapshot.ts';
import { whyOf } from '../../reading/why/diagnose.ts';
import { storedValue } from '../../reading/why/finding.ts';

type Fields = Record<string, unknown>;
const config = ControllerConfig.parse({ noCrossNamespaceRefs: true });

function plan(): KubeObject {
  const metrics = [{ name: 'request-success-rate', thresholdRange: { min: 99 }, interval: '1m' }];
  const webhooks = [{ name: 'smoke', type: 'pre-rollout' as const, url: 'http://tester/' }];
  return JSON.parse(JSON.stringify(aCanary({ stepWeight: 10, maxWeight: 50, metrics, webhooks }, { service: { port: 80 } })));
}

/** The controller's record: a condition for a Canary that it refuses, and nothing for a Canary that it runs. */
function judged(raw: KubeObject, rival?: string): KubeObject {
  const verdict = admit(raw, { config, olderRival: () => rival });
  if ('canary' in verdict) return raw;
  const condition = { type: 'Accepted', status: 'False', ...verdict };
  return { ...raw, status: { phase: 'Initializing', canaryWeight: 0, failedChecks: 0, iterations: 0, conditions: [condition] } };
}

function set(raw: KubeObject, path: string, value: unknown): KubeObject {
  const changed = structuredClone(raw);
  const steps = path.split(/[.[\]]+/).filter(Boolean);
  const last = steps.pop() ?? '';
  let place = changed as Fields;
  for (const step of steps) {
    place[step] ??= {};
    place = place[step] as Fields;
  }
  if (value === undefined) delete place[last];
  else place[last] = value;
  return changed;
}

interface Wrong {
  /** The field that is set, and its wrong value; `named` is the field to correct, if it is another. */
  field: string;
  bad: unknown;
  named?: string;
  cause?: string;
  action?: RegExp;
}

const METRIC = 'spec.analysis.metrics[0]';

/** Each is one stall: nothing starts until the field is corrected. */
const wrongs: readonly Wrong[] = [
  { field: 'spec.targetRef', bad: undefined, action: /an object/ },
  { field: 'spec.targetRef.name', bad: 'Pod_Info', action: /lower-case letters/ },
  { field: 'spec.targetRef.name', bad: '', action: /at least 1/ },
  { field: 'spec.targetRef.kind', bad: 'StatefulSet', action: /one of DaemonSet, Deployment, Service/ },
  { field: 'spec.targetRef.apiVersion', bad: 'batch/v1', named: 'spec.targetRef', action: /use a Deployment or DaemonSet of apps\/v1/ },
  { field: 'spec.service', bad: undefined, action: /an object/ },
  { field: 'spec.service.port', bad: 'eighty', action: /a (whole )?number/ },
  { field: 'spec.service.port', bad: 70_000 },
  { field: 'spec.service.targetPort', bad: 70_000, action: /use 1 to 65535/ },
  { field: 'spec.service.name', bad: 'POD' },
  { field: 'spec.analysis', bad: undefined, action: /an object/ },
  { field: 'spec.analysis.interval', bad: 'soon', action: /30s or 1m/ },
  { field: 'spec.analysis.threshold', bad: 'three', action: /a (whole )?number/ },
  { field: 'spec.analysis.stepWeight', bad: 0, action: /set it from 1 to 100/ },
  { field: 'spec.analysis.stepWeight', bad: undefined, named: 'spec.analysis', action: /set stepWeight or stepWeights/ },
  { field: 'spec.analysis.stepWeights', bad: [10, 20], named: 'spec.analysis', action: /keep one of them/ },
  { field: 'spec.analysis.iterations', bad: 'many' },
  { field: METRIC, bad: { name: 'errors' }, action: /set templateRef/ },
  { field: `${METRIC}.thresholdRange`, bad: { min: 2, max: 1 }, action: /exchange them/ },
  { field: `${METRIC}.quantile`, bad: 0.5, action: /into the query of this metric/ },
  { field: `${METRIC}.baseline`, bad: {}, action: /set minRatio or maxRatio/ },
  { field: `${METRIC}.baseline`, bad: { minRatio: 2, maxRatio: 1 }, action: /exchange them/ },
  { field: `${METRIC}.interval`, bad: 'minutely' },
  {
    field: `${METRIC}.templateRef`,
    bad: { name: 'errors', namespace: 'ops' },
    named: `${METRIC}.templateRef.namespace`,
    cause: 'CrossNamespaceRef',
  },
  {
    field: 'spec.service.hosts',
    bad: ['podinfo', 'api.other'],
    named: 'spec.service.hosts[1]',
    cause: 'CrossNamespaceRef',
    action: /--allowed-hosts=test=api\.other/,
  },
  { field: 'spec.analysis.webhooks[0].url', bad: 'tester', action: /must be an http or https address, as in http:/ },
  { field: 'spec.analysis.webhooks[0].type', bad: 'sometimes', action: /one of/ },
  {
    field: 'spec.analysis.sessionAffinity',
    bad: { cookieName: '' },
    named: 'spec.analysis.sessionAffinity.cookieName',
    action: /name the cookie/,
  },
  {
    field: 'spec.analysis.sessionAffinity',
    bad: { cookieName: 'a', primaryCookieName: 'a' },
    named: 'spec.analysis.sessionAffinity.primaryCookieName',
    action: /give it another name/,
  },
  { field: 'spec.provider', bad: 'magic', action: /one of apisix/ },
  { field: 'spec.ingressRef', bad: 'none' },
  { field: 'spec.skipAnalysis', bad: 'yes', action: /true or false/ },
  { field: 'spec.suspend', bad: 'yes', action: /true or false/ },
  { field: 'spec.suspend', bad: true, cause: 'Suspended', action: /set spec.suspend to false/ },
  { field: 'spec.progressDeadlineSeconds', bad: 1.5 },
  { field: 'spec.autoscalerRef', bad: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' }, named: 'spec.autoscalerRef.name' },
];

describe('serin why of a Canary that is refused', () => {
  it.each(wrongs)(
    'names $field when it is $bad, and putting it right clears it',
    ({ field, bad, named = field, cause = 'InvalidSpec', action }) => {
      const why = whyOf(snapshotOf(judged(set(plan(), field, bad))));
      expect(why.diagnosis.cause).toBe(cause);
      expect(why.waits).toBe(true);
      const [proof] = why.diagnosis.proof;
      expect(proof).toMatchObject({ kind: 'Canary', name: 'podinfo', namespace: 'test', field: named });
      if (action) expect(why.diagnosis.action).toMatch(action);
      const way = cause === 'Suspended' ? `run kubectl patch canary podinfo -n test` : `set Canary podinfo ${named}`;
      expect(wayOf(why.diagnosis)?.slice(0, way.length)).toBe(way);
      // Restore only the field that the proof names.
      const wrongHere = set(plan(), field, bad);
      const sound = field.startsWith(named) || named.startsWith(field) ? set(wrongHere, field, storedValue(plan(), field)) : wrongHere;
      expect(whyOf(snapshotOf(judged(sound))).diagnosis.cause).toBe('Unseen');
    },
  );

  it.each([
    {
      what: 'a field that the provider cannot express',
      fields: {
        provider: 'gatewayapi:v1',
        service: { port: 80, appProtocol: 'grpc', rewrite: { uri: '/' }, gatewayRefs: [{ name: 'edge' }], hosts: ['podinfo.test.svc'] },
      },
      field: 'spec.service.rewrite',
      action: 'correct the spec: spec.service.rewrite: cannot be said in a GRPCRoute: remove it',
    },
    {
      what: 'the field of the remedy, where the whole strategy is rejected',
      fields: { provider: 'istio', service: { port: 80, delegation: true, hosts: ['example.com'] } },
      field: 'spec.service.hosts',
      action:
        'correct the spec: spec.provider: a delegate VirtualService has neither: remove service.hosts and service.gateways, or service.delegation',
    },
  ])('names $what, and taking it out clears it', ({ fields, field, action }) => {
    const bad = set(set(plan(), 'spec.service', fields.service), 'spec.provider', fields.provider);
    const { diagnosis } = whyOf(snapshotOf(judged(bad)));
    expect(diagnosis).toMatchObject({ cause: 'UnsupportedByProvider', action });
    expect(diagnosis.proof[0]).toMatchObject({ kind: 'Canary', field });
    expect(wayOf(diagnosis)).toBe(`set Canary podinfo ${field}`);
    expect(whyOf(snapshotOf(judged(set(bad, field, undefined)))).diagnosis.cause).toBe('Unseen');
  });

  it('names the provider where another one is the remedy', () => {
    const analysis = { interval: '1m', threshold: 1, iterations: 5, match: [{ headers: { a: { exact: 'b' } } }] };
    const bad = set(set(plan(), 'spec.analysis', analysis), 'spec.provider', 'knative');
    const target = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'podinfo' };
    const { diagnosis } = whyOf(snapshotOf(judged(set(bad, 'spec.targetRef', target))));
    expect(diagnosis).toMatchObject({ cause: 'UnsupportedByProvider', proof: [{ field: 'spec.provider', value: 'knative' }, {}] });
  });

  it('names the older Canary, which serves: the younger one is to be removed', () => {
    const why = whyOf(snapshotOf(judged(plan(), 'test/elder')));
    expect(why.diagnosis).toMatchObject({ cause: 'TargetTaken', action: 'remove this Canary, or let it release another target' });
    expect(wayOf(why.diagnosis)).toBe('remove Canary podinfo');
    expect(why.diagnosis.proof.map(({ value }) => value).join()).toContain('test/elder');
    expect(whyOf(snapshotOf(judged(plan()))).diagnosis.cause).toBe('Unseen');
  });
});

describe('I17: a Canary that is refused for another object', () => {
  const object = { apiVersion: 'v1', kind: 'Service', name: 'web', namespace: 'test' };
  const refused = { reason: 'EndpointsWouldBeLost', message: 'Service web: …', field: 'spec.selector', object };
  const whyIn = (status: object) => {
    const conditions = [{ type: 'Accepted', status: 'False', ...refused }];
    const raw = { ...plan(), status: { canaryWeight: 0, failedChecks: 0, iterations: 0, conditions, ...status } };
    return whyOf(snapshotOf(raw)).diagnosis;
  };

  it('as it arrives names that one as what is to be changed', () => {
    expect(whyIn({ phase: 'Initializing' }).change).toEqual({
      verb: 'set',
      kind: 'Service',
      name: 'web',
      namespace: 'test',
      field: 'spec.selector',
    });
  });

  it('names the Canary as the change when an edit of it is refused', () => {
    const { release } = initialized().canary.status ?? {};
    const { change, proof } = whyIn({ phase: 'Initialized', release });
    expect(change).toMatchObject({ verb: 'set', kind: 'Canary', name: 'podinfo', field: 'spec' });
    expect(proof[0]?.value).toBe('Service web: …');
  });
});

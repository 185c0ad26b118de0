import { describeEach, pushed, type Stall, verdict } from '../../../test/fakes/stalled-release.ts';
import { aCanary, initialized, withHooks } from '../../../test/fakes/world.ts';
import type { Verdict } from '../../api/canary-status.ts';
import type { Cause } from '../../api/codes/codes.ts';

const hooked = (...types: Parameters<typeof withHooks>) => initialized(aCanary({ stepWeight: 20, threshold: 50, ...withHooks(...types) }));

/** A gate of one type, held at its moment. */
function gate(
  type: 'confirm-rollout' | 'pre-rollout' | 'confirm-traffic-increase' | 'confirm-promotion' | 'rollout',
  cause: Cause,
  action: RegExp,
): Stall {
  return {
    title: `the ${type} hook says no`,
    arrange() {
      const world = hooked(type);
      world.behaviour.hooks[type] = 'refused';
      world.pushUntil('s1:b', ({ canary }) => canary.status?.release?.reason?.startsWith(`${type}: `) === true);
      return { world };
    },
    cause,
    proof: ['Canary', 'status.release.reason'],
    action,
    mend({ world }) {
      world.behaviour.hooks[type] = 'passed';
      world.tickUntil(({ canary }) => canary.status?.release?.reason === undefined);
    },
  };
}

/** A check of the canary that does not pass. */
function checked(title: string, one: Verdict, analysis: object, cause: Cause, action: RegExp, way?: string): Stall {
  return {
    title,
    arrange() {
      const world = initialized(
        aCanary({ stepWeight: 20, threshold: 50, metrics: [{ name: 'errors', thresholdRange: { max: 1 } }], ...analysis }),
      );
      world.behaviour.verdicts = [one];
      pushed(world, ({ release }) => (release.verdicts ?? []).length > 0 && release.reason !== undefined);
      return { world };
    },
    cause,
    proof: ['Canary', /^status\.release\.verdicts\[0\]/],
    action,
    ...(way === undefined ? {} : { way }),
    mend({ world }) {
      world.behaviour.verdicts = [verdict({ verdict: 'passed', value: 0 })];
      world.tickUntil(({ canary }) => canary.status?.release?.verdicts?.[0]?.verdict === 'passed');
    },
  };
}

const templated = { metrics: [{ name: 'errors', templateRef: { name: 'errors', namespace: 'ops' }, thresholdRange: { max: 1 } }] };

const errors = (namespace: string) => ({ apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate', name: 'errors', namespace });
const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', name, namespace: 'ops' });

const stalls: readonly Stall[] = [
  gate('confirm-rollout', 'GateClosed', /ask the owner of the gate confirm-rollout to open it/),
  gate('pre-rollout', 'HookRejected', /ask the owner of pre-rollout to let it pass/),
  gate('confirm-traffic-increase', 'GateClosed', /ask the owner of the gate .* to open it/),
  gate('confirm-promotion', 'GateClosed', /ask the owner of the gate .* to open it/),
  gate('rollout', 'HookRejected', /ask the owner of .* to let it pass/),
  checked(
    'a value out of its range',
    verdict({ value: 3, limit: 'at most 1', reason: 'errors is 3' }),
    {},
    'CheckFailed',
    /push a version that passes errors/,
    'set Deployment podinfo spec.template',
  ),
  checked(
    'a backend that does not answer',
    verdict({ verdict: 'unmeasured', reason: 'connection refused' }),
    {},
    'Unmeasured',
    /ask the owner of the metrics/,
  ),
  checked(
    'a backend that does not answer, held',
    verdict({ verdict: 'unmeasured', reason: '502 of the backend' }),
    { unmeasured: 'hold' },
    'Unmeasured',
    /ask the owner of the metrics/,
  ),
  checked(
    'a query that finds nothing',
    verdict({ verdict: 'unmeasured', code: 'NoTraffic', reason: 'the query found no series' }),
    {},
    'NoTraffic',
    /send requests/,
  ),
  checked(
    'too few requests',
    verdict({ verdict: 'unmeasured', code: 'NoTraffic', reason: '3 requests are too few' }),
    { unmeasured: 'hold' },
    'NoTraffic',
    /send requests/,
  ),
  checked(
    'a MetricTemplate that is missing',
    verdict({ verdict: 'unmeasured', code: 'TemplateNotFound', object: errors('test'), reason: 'MetricTemplate test/errors: not found' }),
    {},
    'TemplateNotFound',
    /create the MetricTemplate/,
    'create MetricTemplate errors',
  ),
  checked(
    'a MetricTemplate whose query cannot be read',
    verdict({
      verdict: 'unmeasured',
      code: 'QueryInvalid',
      object: errors('ops'),
      field: 'spec.query',
      reason: 'query template 1:5, in {{ tarrget }}: function "tarrget" is not defined',
    }),
    templated,
    'QueryInvalid',
    /correct the query of errors: query template 1:5/,
    'set MetricTemplate errors spec.query',
  ),
  checked(
    'a query that Prometheus refuses',
    verdict({
      verdict: 'unmeasured',
      code: 'QueryInvalid',
      field: 'spec.analysis.metrics[0].query',
      reason: 'Prometheus answered 400: bad_data: parse error',
    }),
    { metrics: [{ name: 'errors', query: 'sum(', thresholdRange: { max: 1 } }] },
    'QueryInvalid',
    /parse error/,
    'set Canary podinfo spec.analysis.metrics[0].query',
  ),
  checked(
    'a MetricTemplate with a window of the wrong type',
    verdict({
      verdict: 'unmeasured',
      code: 'QueryInvalid',
      object: errors('ops'),
      field: 'spec.window',
      reason: 'MetricTemplate ops/errors: spec.window is of the wrong type',
    }),
    templated,
    'QueryInvalid',
    /correct spec\.window of MetricTemplate errors/,
    'set MetricTemplate errors spec.window',
  ),
  checked(
    'credentials that are not there',
    verdict({
      verdict: 'unmeasured',
      code: 'SecretNotFound',
      object: secret('token'),
      reason: 'MetricTemplate ops/errors: Secret ops/token not found',
    }),
    templated,
    'Unmeasured',
    /create the Secret/,
    'create Secret token',
  ),
  checked(
    'DF614: a Secret that is not marked for the field',
    verdict({
      verdict: 'unmeasured',
      code: 'SecretRejected',
      object: secret('empty'),
      reason: 'MetricTemplate ops/errors: Secret ops/empty is not allowed for spec.provider.secretRef: it',
    }),
    templated,
    'Unmeasured',
    /allow the Secret, or name another: .*ops\/empty/,
  ),
  checked(
    'a template whose backend does not answer',
    verdict({ verdict: 'unmeasured', reason: 'no answer from metrics.example' }),
    templated,
    'Unmeasured',
    /correct the address or credentials of errors/,
    'set MetricTemplate errors spec.provider.address',
  ),
];

describeEach('a release that its hooks and checks hold', stalls);

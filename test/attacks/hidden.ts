import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { asideAnnotation } from '../../src/api/names.ts';
import { program } from '../fakes/program.ts';
import { raw } from '../fakes/raw.ts';
import { peopleFileOf } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type AttackClass, attack, numbered } from './run/attack.ts';
import { sample } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

const run = promisify(execFile);

/** The operator's view of a Canary in `serin list`. */
const listed = async ({ field: { environment }, namespace, name }: Tenant): Promise<string> => {
  const flags = ['--namespace', namespace, '--kubeconfig', peopleFileOf(environment)];
  const { stdout } = await run(process.execPath, [program(), 'list', ...flags]);
  return stdout.split('\n').find((line) => line.includes(name)) ?? '';
};

/** Writes of a status, of which Serin stands aside; each takes away what was said in the status. */
const foreignWrites: readonly (readonly [what: string, status: object])[] = [
  ['another weight', { canaryWeight: 77, conditions: null }],
  ['another phase', { phase: 'Succeeded', canaryWeight: 78, conditions: [] }],
  ['another counter', { failedChecks: 99, canaryWeight: 79, conditions: null }],
];

const markOf = async ({ field, canaryRef }: Tenant) =>
  raw(await field.environment.cluster.get(canaryRef))?.metadata.annotations?.[asideAnnotation];

/** A version that passes one check, by as many requests as the tenant's metrics server says. */
const releasedBy = (count: string) => async (tenant: Tenant) => {
  const { own } = tenant.field;
  const path = `/${tenant.name}`;
  own.answers(path, (request, response) => {
    const query = decodeURIComponent(request.url ?? '').replaceAll('+', ' ');
    sample(/^\S*query=sum\(increase/.test(query) ? count : 100)(request, response);
  });
  await tenant.release(
    { metrics: [{ name: 'request-success-rate', interval: '4s', thresholdRange: { min: 99 } }] },
    { metricsServer: own.url(path), provider: 'istio' },
  );
  await tenant.ends();
};

export const hidden: AttackClass = {
  name: 'hidden',
  title: 'what an operator would not see: another writer of a status, and verdicts on thin evidence',
  attacks: numbered('HID', [
    ...foreignWrites.map(([what, status]) =>
      attack(
        'issue 44' as const,
        `${what} in the status, without the condition that Serin stands aside, and without its mark`,
        {
          holds: async (tenant: Tenant) => {
            await eventually(
              'the mark is there again',
              () => markOf(tenant),
              (mark) => mark !== undefined,
            );
            expect(await listed(tenant)).toContain('left to another controller');
          },
        },
        async (tenant: Tenant) => {
          await tenant.app();
          await tenant.isReady();
          await tenant.edit(tenant.canaryRef, { status }, { subresource: 'status' });
          await eventually(
            'the Canary has the mark',
            () => markOf(tenant),
            (mark) => mark !== undefined,
          );
          await tenant.edit(tenant.canaryRef, { status: { ...status, canaryWeight: 5 } }, { subresource: 'status' });
          await tenant.edit(tenant.canaryRef, { metadata: { annotations: { [asideAnnotation]: null } } });
        },
      ),
    ),
    ...['0.4', '1', '2'].map((count) =>
      attack(
        'issue 44' as const,
        `a version whose check passes by ${count} requests`,
        {
          holds: async (tenant: Tenant) => {
            expect(tenant.words()).toContain(`request-success-rate (${count} request`);
            const canary = raw(await tenant.field.environment.cluster.get(tenant.canaryRef));
            expect(JSON.stringify(canary?.status)).toContain(`"requests":${count}`);
          },
        },
        releasedBy(count),
      ),
    ),
    ...['NaN', '+Inf', '-5', '1e308', 'many'].map((count) =>
      attack(
        'CWE-681' as const,
        `a count of requests that is ${count}`,
        { holds: async (tenant: Tenant) => expect(tenant.words()).not.toMatch(/NaN request|Infinity request|-5 request/) },
        releasedBy(count),
      ),
    ),
  ]),
  uncovered: [
    'a version on thin evidence is promoted all the same, unless its Canary has minimumRequests: validate and rehearse warn (docs/analysis.md).',
  ],
};

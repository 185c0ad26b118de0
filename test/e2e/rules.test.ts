import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Permission } from '../../src/api/permission.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { ControllerConfig } from '../../src/controller/config.ts';
import { everyFeature, type Features, permissionsFor } from '../../src/controller/permissions.ts';
import { isForbidden } from '../../src/kube/errors.ts';
import { electLeader } from '../../src/kube/lease.ts';
import { leasePermissions } from '../../src/kube/permissions.ts';
import { definitionOf, FURTHER_KINDS } from '../fakes/further-kinds.ts';
import { type RealEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { accountWith, runUseCase } from './rules/run-use-case.ts';
import { CONFIG, type UseCase, useCases, wholeRelease } from './rules/use-cases.ts';

const everything = permissionsFor(everyFeature);
/** Verbs that the audit log of a release does not show, and what needs them. */
const USED_ELSEWHERE = {
  'create services': 'an apply of what is not there yet (below)',
  'list events': 'an event that another replica has written first (src/kube/events.integration.test.ts)',
  'patch configmaps': 'copies that another controller left (test/integration/config-adoption.test.ts)',
  'patch secrets': 'the same',
};

/** All but this rule: others that grant the same on the same resources are gone with it. */
const without = (rule: Permission): Permission[] =>
  everything.filter(({ group, resources }) => group !== rule.group || !resources.some((one) => rule.resources.includes(one)));
/** A rule taken away takes those on the same resources along. */
const distinct = (rules: readonly Permission[]): Permission[] => [...new Map(rules.map((rule) => [nameOf(rule), rule])).values()];
const nameOf = ({ group, resources }: Permission): string => resources.map((one) => `${one}${group === '' ? '' : `.${group}`}`).join(', ');

/** `canaries/status` of `/apis/flagger.app/v1beta1/namespaces/a/canaries/shop/status?…`. */
function resourceIn(uri: string): { group: string; resource: string } {
  const path = new URL(uri, 'http://server').pathname.split('/').slice(1);
  const isCore = path[0] === 'api';
  const group = isCore ? '' : (path[1] ?? '');
  const rest = path.slice(isCore ? 2 : 3);
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  const [resource = '', , subresource] = inNamespace;
  return { group, resource: subresource === undefined ? resource : `${resource}/${subresource}` };
}

const isOf = ({ group, resources }: Permission, uri: string): boolean => {
  const found = resourceIn(uri);
  return found.group === group && (resources.includes(found.resource) || resources.includes('*'));
};

describe('each rule of the role is needed', () => {
  let environment: RealEnvironment;
  beforeAll(async () => {
    environment = await startRealEnvironment();
    for (const one of FURTHER_KINDS) await environment.cluster.apply(definitionOf(one));
  });
  afterAll(() => environment?.stop());

  const playWithout = async (useCase: UseCase, rule: Permission, namespace: string): Promise<string[]> => {
    const account = await accountWith(environment, namespace, without(rule));
    try {
      await runUseCase(environment, useCase, namespace, account, () => environment.forbidden(account.user).length > 0);
      return environment.forbidden(account.user);
    } finally {
      await account.stop();
    }
  };
  const isRefusedFor = (refused: readonly string[], rule: Permission) => {
    expect(refused).not.toEqual([]);
    for (const request of refused) expect(isOf(rule, request.split(' ')[1] ?? ''), `${request} without ${nameOf(rule)}`).toBe(true);
  };

  it('with all of them nothing is refused, and each verb is used', async () => {
    const account = await accountWith(environment, 'with-all', everything);
    try {
      await runUseCase(environment, wholeRelease, 'with-all', account, () => false);
      expect(environment.forbidden(account.user)).toEqual([]);
      const asked = environment.requestsOf(account.user);
      const unused = wholeRelease.rules.flatMap((rule) =>
        rule.verbs
          .filter((verb) => !asked.some((request) => request.verb === verb && isOf(rule, request.uri)))
          .map((verb) => `${verb} ${nameOf(rule)}`),
      );
      expect(unused.toSorted()).toEqual(Object.keys(USED_ELSEWHERE).toSorted());
    } finally {
      await account.stop();
    }
  });

  const limited: { what: string; changed: Partial<Features>; settings: Partial<ControllerConfig> }[] = [
    { what: 'Secrets by name', changed: { secretsNames: [CONFIG] }, settings: { secretsNames: [CONFIG] } },
    { what: 'another Secret by name', changed: { secretsNames: ['other'] }, settings: { secretsNames: ['other'] } },
    {
      what: 'Secrets by name, read when a release starts',
      changed: { secretsMode: 'get', secretsNames: [CONFIG] },
      settings: { secretsMode: 'get', secretsNames: [CONFIG] },
    },
    {
      what: 'Secrets of another namespace',
      changed: { secretsMode: 'off', secretsReferences: false },
      settings: { secretsNamespaces: ['other'] },
    },
    { what: 'Deployments alone', changed: { kinds: ['Deployment'], takeOver: false }, settings: {} },
  ];
  it.each(limited)(
    '$what: a release, and one back to what was promoted before, have nothing refused',
    async ({ what, changed, settings }) => {
      const namespace = `limited-${limited.findIndex((one) => one.what === what)}`;
      const account = await accountWith(environment, namespace, permissionsFor({ ...everyFeature, ...changed }));
      try {
        // The copies of the first colour exist, or are pruned, when this colour is used again.
        const useCase = { ...wholeRelease, settings, colours: ['green', 'red', 'white', 'green'] };
        await runUseCase(environment, useCase, namespace, account, () => environment.forbidden(account.user).length > 0);
        expect(environment.forbidden(account.user)).toEqual([]);
      } finally {
        await account.stop();
      }
    },
  );

  const removals = [wholeRelease, ...useCases].flatMap((useCase, index) =>
    distinct(useCase.rules).map((rule, place) => ({
      what: `${useCase.name}: ${nameOf(rule)}`,
      useCase,
      rule,
      namespace: `without-${index}-${place}`,
    })),
  );
  describe.concurrent('without it something is refused, and nothing but it', () => {
    it.each(removals)('$what', async ({ useCase, rule, namespace }) => {
      isRefusedFor(await playWithout(useCase, rule, namespace), rule);
    });
  });

  it('an apply that makes an object needs create as well as patch', async () => {
    const permissions = everything.map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => verb !== 'create') }));
    const account = await accountWith(environment, 'without-create', permissions);
    const metadata = { name: 'shop', namespace: 'without-create' };
    try {
      const made = account.cluster.apply({ apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }] } });
      await expect(made).rejects.toSatisfy(isForbidden);
    } finally {
      await account.stop();
    }
  });

  it('no controller leads without the rule on leases', async () => {
    const account = await accountWith(environment, 'without-lease', everything);
    const [rule] = leasePermissions;
    const leadership = electLeader(account.cluster, {
      namespace: 'without-lease',
      name: 'flagger-leader-election',
      identity: 'one',
      clock: systemClock,
      onLeading: () => expect.unreachable('it leads'),
      onLost: () => undefined,
    });
    try {
      const refused = await eventually(
        'a refusal',
        () => environment.forbidden(account.user),
        (list) => list.length > 0,
      );
      if (rule) isRefusedFor(refused, rule);
    } finally {
      await leadership.stop();
      await account.stop();
    }
  });

  it('every rule has its removal', () => {
    const removed = new Set(removals.map(({ rule }) => nameOf(rule)));
    expect(everything.map(nameOf).filter((name) => !removed.has(name))).toEqual([]);
  });
});

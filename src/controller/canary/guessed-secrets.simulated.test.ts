import { describe, expect, it, vi } from 'vitest';
import { guessedPins, holdingPin, knownSalt } from '../../../test/fakes/guessed-pins.ts';
import { aModelCanary, canaryRef, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { requestAnnotation } from '../../api/names.ts';
import { writeRequest } from '../../api/verb-request.ts';
import { ApiError } from '../../kube/errors.ts';
import { configChecksum } from '../../workloads/configs/checksum.ts';
import { revisionWithConfigs } from '../../workloads/configs/revision.ts';
import { readSalt, saltIdOf } from '../../workloads/configs/salt.ts';
import { readJournal } from '../../workloads/journal-record.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 120_000 });

const secretRef = { apiVersion: 'v1', kind: 'Secret', name: 'db', namespace: NAMESPACE };
const saltRef = { ...secretRef, name: 'podinfo-serin-salt' };

type Flags = NonNullable<Parameters<ModelLab['start']>[1]>;

/** An application that is initialized, whose pods read the Secret `db`. */
async function reading(pin: string, flags: Flags = {}, prepare: (lab: ModelLab) => void = () => undefined): Promise<ModelLab> {
  const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  lab.server.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: NAMESPACE }, ...holdingPin(pin) });
  await lab.application();
  push(lab, '1');
  await lab.pass(60_000);
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }));
  prepare(lab);
  lab.start(undefined, flags);
  expect(await lab.passUntil(() => lab.phase() === 'Initialized' && releaseOf(lab)?.step === 'resting', 120_000)).toBe(true);
  await lab.pass(5_000);
  return lab;
}

function push(lab: ModelLab, version: string): void {
  const [container] = raw(lab.server.find(targetRef))?.spec.template.spec.containers ?? [];
  const containers = [{ ...container, image: version, envFrom: [{ secretRef: { name: 'db' } }] }];
  lab.server.patch(targetRef, { spec: { template: { spec: { containers } } } });
}

const releaseOf = (lab: ModelLab) => raw(lab.canary())?.status?.release;
const ends = (lab: ModelLab, phase: string) => lab.passUntil(() => lab.phase() === phase && releaseOf(lab)?.step === 'resting', 900_000);
const rotate = (lab: ModelLab, pin: string) => lab.server.patch(secretRef, holdingPin(pin));
const runs = (lab: ModelLab): number => releaseOf(lab)?.run ?? -1;

/** Everything but Secrets, with journals unpacked, and the metadata of Secrets. */
function readable(lab: ModelLab): string {
  const { store } = lab.server.api;
  const objects = store.storeKeys().flatMap((key) => store.list(key).map(([, object]) => object));
  const texts = objects.map((object) => {
    const shown = object.kind === 'Secret' ? { metadata: object.metadata } : object;
    return JSON.stringify([shown, readJournal(object)]);
  });
  return [...texts, JSON.stringify(lab.logged)].join('\n');
}

const guessed = (lab: ModelLab): string[] =>
  guessedPins(readable(lab), 'db', lab.canary()?.metadata.uid ?? '', lab.server.find(targetRef) as KubeObject);

it('E140: a PIN in a Secret is not found by trying all of them against status, names, revisions, records, journals, events or log', async () => {
  const lab = await reading('4711');
  rotate(lab, '0815');
  expect(await ends(lab, 'Succeeded')).toBe(true);
  await lab.pass(60_000);
  expect(guessed(lab)).toEqual([]);
  expect(lab.server.find(saltRef)?.metadata.ownerReferences).toMatchObject([{ kind: 'ControllerRevision', name: 'podinfo-serin-anchor' }]);
});

const checksumOf = (lab: ModelLab): string => raw(lab.canary())?.status?.trackedConfigs?.['secret/db'] ?? '';
const annotate = (lab: ModelLab) => lab.server.patch(secretRef, { metadata: { annotations: { looked: `${lab.clock.nowMs()}` } } });
const saltNow = (lab: ModelLab) => readSalt(lab.server.find(saltRef) ?? { apiVersion: 'v1', kind: 'Secret', metadata: { name: '' } });

/** Acts while Serin is down. */
async function whileDown(lab: ModelLab, act: () => void, flags: Flags = {}): Promise<void> {
  lab.kill();
  act();
  lab.start(undefined, flags);
  await lab.pass(120_000);
}

/** The same Secret as another object, as a backup brings it back. */
function makeAgain(lab: ModelLab, pin: string): void {
  lab.server.delete(secretRef);
  lab.server.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: NAMESPACE }, ...holdingPin(pin) });
}

/** All that is recorded, as a version of Serin without salts would have recorded it. */
function asWithoutSalt(lab: ModelLab): void {
  const { template, revision, configs } = releaseOf(lab);
  const plain = configChecksum(raw(lab.server.find(secretRef)) ?? {});
  const before = revisionWithConfigs(template, { 'secret/db': { ...configs['secret/db'], checksum: plain } });
  const { store } = lab.server.api;
  lab.server.delete(saltRef);
  for (const [, object] of store.storeKeys().flatMap((key) => store.list(key))) {
    const text = JSON.stringify(object);
    const changed = text.replaceAll(configs['secret/db'].checksum, plain).replaceAll(revision, before);
    if (changed !== text) lab.server.restore(JSON.parse(changed));
  }
}

describe('E141: an upgrade over checksums without a salt', () => {
  it('starts no release, also where the Secret was written since, and the next one leaves none of them', async () => {
    const lab = await reading('4711');
    await whileDown(lab, () => asWithoutSalt(lab));
    expect([runs(lab), checksumOf(lab), guessed(lab)]).toEqual([0, expect.stringMatching(/^[0-9a-f]{16}$/), ['4711']]);
    const { generation } = lab.server.find(primaryRef)?.metadata ?? {};
    await whileDown(lab, () => annotate(lab));
    annotate(lab);
    await lab.pass(120_000);
    expect([runs(lab), lab.server.find(primaryRef)?.metadata.generation]).toEqual([0, generation]);
    push(lab, '2');
    expect(await ends(lab, 'Succeeded')).toBe(true);
    await lab.pass(5_000);
    expect([runs(lab), saltIdOf(checksumOf(lab))]).toEqual([1, saltNow(lab)?.id]);
  });

  it('lets a change of the Secret be released, in the middle of which it goes on', async () => {
    const lab = await reading('4711');
    await whileDown(lab, () => asWithoutSalt(lab));
    rotate(lab, '0815');
    expect(await lab.passUntil(() => lab.phase() === 'Progressing' && releaseOf(lab)?.routes.canary > 0, 300_000)).toBe(true);
    expect(saltIdOf(checksumOf(lab))).toBe(saltNow(lab)?.id);
    await whileDown(lab, () => undefined);
    expect(await ends(lab, 'Succeeded')).toBe(true);
    expect(runs(lab)).toBe(1);
  });

  it.each([true, false])('lets what was promoted before it come back, which ends a release as always: %s', async (isUpgraded) => {
    const lab = await reading('4711');
    const { generation } = lab.server.find(primaryRef)?.metadata ?? {};
    await whileDown(lab, () => void (isUpgraded && asWithoutSalt(lab)));
    push(lab, '2');
    expect(await lab.passUntil(() => lab.phase() === 'Progressing' && releaseOf(lab)?.routes.canary > 0, 300_000)).toBe(true);
    push(lab, '1');
    expect(await lab.passUntil(() => lab.phase() !== 'Progressing', 60_000)).toBe(true);
    const { revision, promotedRevision } = releaseOf(lab);
    expect([lab.phase(), runs(lab), revision]).toEqual(['Succeeded', 1, promotedRevision]);
    expect(lab.server.find(primaryRef)?.metadata.generation, 'the primary is not written').toBe(generation);
  });

  it('in the middle of a release goes on with it', async () => {
    const lab = await reading('4711');
    push(lab, '2');
    expect(await lab.passUntil(() => lab.phase() === 'Progressing' && releaseOf(lab)?.routes.canary > 0, 300_000)).toBe(true);
    await whileDown(lab, () => asWithoutSalt(lab));
    expect(await ends(lab, 'Succeeded')).toBe(true);
    expect(runs(lab)).toBe(1);
  });
});

describe('E142: a salt that is lost', () => {
  it('starts no release when the Secret is written, and none from a backup with other uids; a change is released', async () => {
    const lab = await reading('4711');
    await whileDown(lab, () => {
      lab.server.delete(saltRef);
      annotate(lab);
    });
    expect(runs(lab)).toBe(0);
    await whileDown(lab, () => makeAgain(lab, '4711'));
    expect(runs(lab)).toBe(0);
    rotate(lab, '0815');
    expect(await ends(lab, 'Succeeded')).toBe(true);
    await lab.pass(5_000);
    expect([runs(lab), saltIdOf(checksumOf(lab)), guessed(lab)]).toEqual([1, saltNow(lab)?.id, []]);
  });

  it('of a rolled back release starts none from a backup, and a change is released', async () => {
    const lab = await reading('4711');
    rotate(lab, '0815');
    expect(await lab.passUntil(() => lab.phase() === 'Progressing' && releaseOf(lab)?.routes.canary > 0, 300_000)).toBe(true);
    lab.server.patch(canaryRef, {
      metadata: {
        annotations: { [requestAnnotation]: writeRequest({ verb: 'rollback', id: 'r1', by: 'ann@example.org', atMs: lab.clock.nowMs() }) },
      },
    });
    expect(await ends(lab, 'Failed')).toBe(true);
    await whileDown(lab, () => {
      lab.server.delete(saltRef);
      makeAgain(lab, '0815');
    });
    expect([runs(lab), lab.phase()]).toEqual([1, 'Failed']);
    rotate(lab, '1234');
    expect(await ends(lab, 'Succeeded')).toBe(true);
  });

  it.each(['before', 'after'])('by a kill just %s it is stored starts no release', async (when) => {
    const lab = await reading('4711', {}, (one) => {
      one.refuse = ({ verb, ref }) => {
        if (verb === 'create' && ref.name === saltRef.name && when === 'before')
          throw new ApiError('503', { status: 503, reason: 'ServiceUnavailable' });
      };
    });
    expect(saltNow(lab) === undefined).toBe(when === 'before');
    lab.refuse = () => undefined;
    await whileDown(lab, () => annotate(lab));
    expect(runs(lab)).toBe(0);
  });
});

it('E140: a salt that someone has made before Serin is not used, and not kept', async () => {
  const forged = knownSalt;
  const owner = { apiVersion: 'apps/v1', kind: 'ControllerRevision', name: 'podinfo-serin-anchor', uid: 'forged' };
  const lab = await reading('4711', {}, (one) => {
    const { metadata, ...rest } = forged.render(
      { metadata: { name: 'podinfo', namespace: NAMESPACE, uid: 'x', generation: 1, resourceVersion: '1' } },
      owner,
    );
    one.server.create({ ...rest, metadata: { ...metadata, ownerReferences: [] } });
  });
  expect(saltIdOf(checksumOf(lab))).not.toBe(forged.id);
  expect(saltNow(lab)?.id).toBe(saltIdOf(checksumOf(lab)));
});

it('E140: a Secret of a user under the name of the salt stays, and releases go on', async () => {
  const lab = await reading('4711', {}, (one) => {
    one.server.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: saltRef.name, namespace: NAMESPACE },
      type: 'Opaque',
      data: { a: 'YQ==' },
    });
  });
  expect(lab.server.find(saltRef)).toMatchObject({ data: { a: 'YQ==' } });
  expect(lab.logged.filter(({ msg }) => msg.includes('salt'))).toHaveLength(1);
  rotate(lab, '0815');
  expect(await ends(lab, 'Succeeded')).toBe(true);
  expect(guessed(lab)).toEqual([]);
});

it('E140: Canaries whose pods read no Secret have no salt, and a restart reads none', async () => {
  const lab = await reading('4711');
  const asked: string[] = [];
  lab.kill();
  lab.listed = (kind) => void asked.push(kind);
  lab.start();
  await lab.pass(60_000);
  expect([lab.writes, runs(lab)]).toEqual([[], 0]);
});

describe('E140: a Canary that is deleted', () => {
  const aCanary = () => aModelCanary({ stepWeight: 25, maxWeight: 50 });

  it.each([true, false])('and made again while Serin is down starts no release, after an upgrade too: %s', async (isUpgraded) => {
    const lab = await reading('4711');
    const { generation } = lab.server.find(primaryRef)?.metadata ?? {};
    await whileDown(lab, () => {
      if (isUpgraded) asWithoutSalt(lab);
      lab.server.delete(canaryRef);
      lab.server.create(aCanary());
    });
    expect(await ends(lab, 'Initialized')).toBe(true);
    expect([runs(lab), lab.server.find(primaryRef)?.metadata.generation]).toEqual([0, generation]);
    await lab.pass(5_000);
    await whileDown(lab, () => annotate(lab));
    const { revision, promotedRevision } = releaseOf(lab);
    expect([runs(lab), revision, saltIdOf(checksumOf(lab))]).toEqual([0, promotedRevision, saltNow(lab)?.id]);
  });

  it.each([true, false])(
    'while Serin is down gives the application to the target that holds what was promoted: after an upgrade %s',
    async (isUpgraded) => {
      const lab = await reading('4711');
      await whileDown(lab, () => {
        if (isUpgraded) asWithoutSalt(lab);
        lab.server.delete(canaryRef);
      });
      expect(await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 600_000)).toBe(true);
      expect(lab.server.find(saltRef)).toBeUndefined();
    },
  );
});

it('E140: a Canary that is deleted leaves its salt to one of another name that takes over the primary', async () => {
  const lab = await reading('4711');
  const { id } = saltNow(lab) ?? {};
  push(lab, '2');
  expect(await lab.passUntil(() => lab.phase() === 'Progressing' && releaseOf(lab)?.routes.canary > 0, 300_000)).toBe(true);
  await whileDown(lab, () => lab.server.delete(canaryRef));
  const { generation } = lab.server.find(primaryRef)?.metadata ?? {};
  const heir = aModelCanary({ stepWeight: 25, maxWeight: 50 });
  lab.server.create({ ...heir, metadata: { ...heir.metadata, name: 'other' } });
  expect(await lab.passUntil(() => lab.server.find(saltRef) === undefined, 300_000)).toBe(true);
  const left = lab.server.find({ ...saltRef, name: 'other-serin-salt' });
  expect([left && readSalt(left)?.id, lab.server.find(primaryRef)?.metadata.generation]).toEqual([id, generation]);
});

describe('E143: with Secrets limited by name', () => {
  it('the salt is neither read nor stored; a change is released, and a restart starts none', async () => {
    const flags = { secretsNames: ['db'] };
    const lab = await reading('4711', flags);
    expect(saltNow(lab)).toBeUndefined();
    await whileDown(lab, () => undefined, flags);
    await whileDown(lab, () => makeAgain(lab, '4711'), flags);
    expect(runs(lab)).toBe(0);
    rotate(lab, '0815');
    expect(await ends(lab, 'Succeeded')).toBe(true);
    expect([runs(lab), guessed(lab)]).toEqual([1, []]);
  });

  it('a salt that is also named is kept', async () => {
    const lab = await reading('4711', { secretsNames: ['db', saltRef.name] });
    expect(saltNow(lab)?.id).toBe(saltIdOf(checksumOf(lab)));
  });
});

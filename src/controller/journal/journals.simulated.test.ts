import { describe, expect, it, vi } from 'vitest';
import type { SentWrite } from '../../../test/fakes/model/client.ts';
import { differencesIn, journalRecords, ordersTemplate, partsOf } from '../../../test/fakes/model/journals.ts';
import { aModelCanary, type ModelLab, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { awaitEnd, initializedLab, ordersPlan, release } from '../../../test/fakes/model/released.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { ApiError } from '../../kube/errors.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 120_000 });

const isOfJournal = ({ ref }: SentWrite): boolean => ref.kind === 'ControllerRevision' && ref.name.includes('-serin-journal-');
const weightsOf = (lab: ModelLab): number[] =>
  lab.writes.flatMap(({ subresource, body }) => {
    const { canaryWeight } = (body as { status?: { canaryWeight?: number } }).status ?? {};
    return subresource === 'status' && canaryWeight !== undefined ? [canaryWeight] : [];
  });

describe('the journal of a release', () => {
  it('is one record with its questions, answers, decisions and writes, and costs one write that no release waits for', async () => {
    const lab = await initializedLab();
    await release(lab, '2');
    const records = journalRecords(lab);
    const [part, ...others] = partsOf(records);
    expect(others).toEqual([]);
    expect(part).toMatchObject({ run: 1, number: 1, ended: 'Succeeded' });
    const entries = part?.segments.flatMap((segment) => segment.entries) ?? [];
    const measured = entries.flatMap(({ answer }) => (answer?.kind === 'measure' ? [answer] : []));
    expect(measured[0]).toMatchObject({ verdicts: [{ check: 'orders', value: 1, verdict: 'passed' }], queries: ['test/orders'] });
    expect(entries.flatMap(({ writes = [] }) => writes)).toContain('apply VirtualService podinfo');
    expect(differencesIn(partsOf(records))).toEqual([]);
    const written = lab.writes.filter(isOfJournal);
    expect(written.map(({ verb, priority }) => [verb, priority])).toEqual([['create', 'upkeep']]);
    expect(JSON.stringify(records[0]).length).toBeLessThan(16 * 1024);
  });

  it('of which the controller was killed is in parts that together replay', async () => {
    const lab = await initializedLab();
    lab.push('2');
    expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 25, 120_000)).toBe(true);
    lab.kill();
    await lab.pass(3_000);
    lab.start();
    expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 50, 120_000)).toBe(true);
    await lab.stop();
    lab.start();
    await awaitEnd(lab, 'Succeeded');
    await lab.pass(5_000);
    const parts = partsOf(journalRecords(lab));
    // A killed process loses its part. A stopped process stores it.
    expect(parts.map((part) => [part.number, part.ended])).toEqual([
      [1, undefined],
      [1, 'Succeeded'],
    ]);
    expect(new Set(parts.map(({ writer }) => writer)).size).toBe(2);
    expect(differencesIn(parts)).toEqual([]);
  });

  it('I15: is kept for as many releases as --journal-limit says', async () => {
    const lab = await initializedLab({ journalLimit: 2 });
    for (const version of ['2', '3', '4', '5']) await release(lab, version);
    expect(partsOf(journalRecords(lab)).map(({ run }) => run)).toEqual([3, 4]);
    expect(lab.writes.filter(isOfJournal).map(({ verb }) => verb)).toEqual(['create', 'create', 'create', 'delete', 'create', 'delete']);
  });

  it('is not written with --journal-limit=0', async () => {
    const lab = await initializedLab({ journalLimit: 0 });
    await release(lab, '2');
    expect([journalRecords(lab), lab.writes.filter(isOfJournal)]).toEqual([[], []]);
  });

  it('that cannot be stored changes nothing of the release', async () => {
    const lab = await initializedLab();
    lab.refuse = (write) => {
      if (isOfJournal(write)) throw new ApiError('quota exceeded', { status: 403, reason: 'Forbidden' });
    };
    await release(lab, '2');
    const without = await initializedLab({ journalLimit: 0 });
    await release(without, '2');
    expect(weightsOf(lab)).toEqual(weightsOf(without));
    expect(lab.logged.filter(({ msg }) => msg === 'a journal was not stored')).toHaveLength(1);
    expect([journalRecords(lab), lab.lost]).toEqual([[], []]);
    lab.close();
    without.close();
  });

  it('is stored in the end where the API server does not answer at first', async () => {
    const lab = await initializedLab();
    let failures = 0;
    lab.refuse = (write) => {
      if (isOfJournal(write) && failures++ < 2) throw new ApiError('overloaded', { status: 503, reason: 'ServiceUnavailable' });
    };
    await release(lab, '2');
    await lab.pass(30_000);
    expect([partsOf(journalRecords(lab)).length, failures]).toEqual([1, 3]);
  });

  it('holds no content of a Secret, no variable of a template and no annotation', async () => {
    const lab = await labWithApp();
    const metadata = { name: 'login', namespace: 'test' };
    lab.server.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { key: Buffer.from('hunter2-secret').toString('base64') } });
    const containers = [
      { name: 'web', image: '1', ports: [{ name: 'http', containerPort: 9898 }], envFrom: [{ secretRef: { name: 'login' } }] },
    ];
    lab.server.patch(targetRef, { spec: { template: { spec: { containers } } } });
    lab.server.create(ordersTemplate);
    const metric = { ...ordersPlan.metrics[0], templateVariables: { key: 'hunter2-variable' } };
    const canary = aModelCanary({ ...ordersPlan, metrics: [metric] });
    lab.server.create({ ...canary, metadata: { ...canary.metadata, annotations: { note: 'hunter2-annotation' } } });
    lab.start();
    await awaitEnd(lab, 'Initialized');
    const tracked = () => raw(lab.canary())?.status?.release?.configs?.['secret/login']?.checksum;
    const changed = Buffer.from('hunter2-changed').toString('base64');
    lab.server.patch({ apiVersion: 'v1', kind: 'Secret', ...metadata }, { data: { key: changed } });
    await awaitEnd(lab, 'Succeeded');
    await lab.pass(5_000);
    const text = JSON.stringify(partsOf(journalRecords(lab)));
    expect(text).toContain('secret/login');
    expect(tracked()).toEqual(expect.any(String));
    expect([text.includes('hunter2'), text.includes(changed), text.includes(String(tracked()))]).toEqual([false, false, false]);
  });

  it('does not delete what only wears its label (I16)', async () => {
    const lab = await initializedLab({ journalLimit: 1 });
    const labels = { 'serin.dev/journal': 'podinfo' };
    const base = { apiVersion: 'apps/v1', kind: 'ControllerRevision', revision: 1, data: {} };
    const forged = { ...base, metadata: { name: 'web-6c8', namespace: 'test', labels, annotations: {} } };
    lab.server.create(forged);
    const anchor = { ...base, metadata: { name: 'podinfo-serin-anchor', namespace: 'test' } };
    lab.server.patch({ ...anchor, name: 'podinfo-serin-anchor', namespace: 'test' }, { metadata: { labels } });
    for (const version of ['2', '3']) await release(lab, version);
    const names = journalRecords(lab).map(({ metadata }) => metadata.name);
    expect(names).toEqual(expect.arrayContaining(['web-6c8', 'podinfo-serin-anchor']));
    expect(names).toHaveLength(3);
  });
});

import { describe, expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { readTemplateRevision } from '../../workloads/anchor.ts';
import { TemplateRecords } from './template-records.ts';

const signal = new AbortController().signal;

describe('records of promoted templates', () => {
  const canary = aCanary();
  const templateOf = (image: string) => ({ template: { spec: { containers: [{ name: 'app', image }] } } });

  /** A cluster that keeps what is applied, and counts how often it is listed. */
  function keeping() {
    const stored = new Map<string, KubeObject>();
    let lists = 0;
    let failure: Error | undefined;
    const cluster = {
      list: async () => {
        lists += 1;
        return { items: [...stored.values()] };
      },
      apply: async (object: KubeObject) => {
        if (failure) throw failure;
        stored.set(object.metadata.name, object);
        return object;
      },
      delete: async ({ name }: ObjectRef) => void stored.delete(name),
    } as unknown as Cluster;
    const revisions = () => [...stored.values()].map((record) => [record.revision, readTemplateRevision(record)?.revision]);
    return {
      templates: new TemplateRecords(cluster, 3, async () => undefined),
      revisions,
      lists: () => lists,
      failWith(error: Error | undefined) {
        failure = error;
      },
    };
  }

  it('are read once by a process, as long as none has to go', async () => {
    const { templates, revisions, lists } = keeping();
    await templates.keep(canary, templateOf('1'), 'one', { signal });
    expect([lists(), templates.hasRoomAfter(canary, 'one'), templates.hasRoomAfter(canary, 'other')]).toEqual([1, true, false]);
    await templates.keep(canary, templateOf('2'), 'two', { records: 'unneeded', signal });
    await templates.keep(canary, templateOf('3'), 'three', { records: 'unneeded', signal });
    expect([lists(), revisions()]).toEqual([
      1,
      [
        [1, 'one'],
        [2, 'two'],
        [3, 'three'],
      ],
    ]);
    expect(templates.hasRoomAfter(canary, 'three')).toBe(false);
    await templates.keep(canary, templateOf('4'), 'four', { signal });
    expect([lists(), revisions()]).toEqual([
      2,
      [
        [2, 'two'],
        [3, 'three'],
        [4, 'four'],
      ],
    ]);
  });

  it('are read where this process has made none, or knows not what became of its last one', async () => {
    const { templates, lists, failWith } = keeping();
    await templates.keep(canary, templateOf('1'), 'one', { records: 'unneeded', signal });
    expect(lists()).toBe(1);
    failWith(new Error('no answer'));
    await expect(templates.keep(canary, templateOf('2'), 'two', { records: 'unneeded', signal })).rejects.toThrow('no answer');
    expect(templates.hasRoomAfter(canary, 'one')).toBe(false);
    failWith(undefined);
    await templates.keep(canary, templateOf('2'), 'two', { signal });
    expect(templates.hasRoomAfter(canary, 'two')).toBe(true);
    templates.forget(canary);
    expect(templates.hasRoomAfter(canary, 'two')).toBe(false);
  });
});
